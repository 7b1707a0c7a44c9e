internal import Expressions

/// The types of the members of case lines. The shapes of lines do not contain types.
enum CaseKinds {
  /// The types of keys that all suites share.
  static func common(_ name: String, suite: String) -> Value? {
    switch name {
    case "suite": .object(["const": .string(suite)])
    case "id", "source", "skip": ["type": "string", "minLength": 1]
    case "kind" where suite == "paywall-strings", "note": ["type": "string"]
    case "derived": ["const": true]
    default: nil
    }
  }

  /// Types that are not composed of other types.
  static let plain = ["array", "boolean", "null", "number", "string"]

  /// The required members of a line of the suite.
  static func required(of suite: String) -> [String] {
    ["suite", "id"] + names(needed[suite] ?? "expect input")
  }

  /// The required members of a member, if the line has the member.
  static func requiredMembers(of name: String, suite: String) -> [String] {
    names(neededMembers["\(suite) \(name)"] ?? "")
  }

  /// - Returns: the schemas of members by name, and the names of nullable members. A name that ends with `[]` means a
  ///   list with nullable elements.
  static func byName(of suite: String) -> (kinds: [String: Value], nullable: Set<String>) {
    var kinds: [String: Value] = [:]
    var nullable: Set<String> = []
    for (kind, list) in table[suite] ?? [:] {
      for name in names(list) {
        if kind == "null" { nullable.insert(name) } else { kinds[name] = schema(kind) }
      }
    }
    return (kinds, nullable)
  }

  private static func names(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  private static func schema(_ kind: String) -> Value {
    switch kind {
    case "strings": list("string")
    case "integers": list("integer")
    case "numbers": list("number")
    case "objects": list("object")
    case "string", "integer", "number", "boolean", "object", "array":
      .object(["type": .string(kind)])
    case let kind where kind.contains("|"):
      .object(["anyOf": .list(kind.split(separator: "|").map { schema(String($0)) })])
    default: .object(["$ref": .string("#/$defs/\(kind)")])
    }
  }

  private static func list(_ element: String) -> Value {
    .object(["type": "array", "items": .object(["type": .string(element)])])
  }

  private static let needed = [
    "agentwallie": "kind input expect", "agentwallie-templates": "template expect",
    "cel": "expr expect", "currency-format": "amount currency locale foundation_formatstyle",
    "liquid": "template data", "liquidjs": "template data liquidjs",
    "paywall-strings": "template data expect vars", "pricing": "kind system product expect",
    "sdk-version-cases": "area config user ranges",
    "superscript": "context expression expect matches",
    "superscript-versions": "context expression outcomes", "superwall-filters": "template expect",
    "superwall-rules": "kind input expect", "tollgate-expressions": "expression context expect",
    "tollgate-templates": "template expect",
  ]

  private static let neededMembers = [
    "sdk-version-cases ranges": "sdk versions result",
    "tollgate-assignment input": "salt experiment subject weights",
    "tollgate-assignment expect": "fraction variant",
    "tollgate-batches input": "config users", "tollgate-check input": "config",
    "tollgate-check expect": "findings", "tollgate-decisions input": "config placement user",
    "tollgate-expressions diagnostics": "code", "agentwallie assignment": "user experiment",
  ]

  /// The names of members by suite and type. Members with several types are not listed.
  private static let table: [String: [String: String]] = [
    "agentwallie": [
      "string": """
      audience call clear_user currency display_period display_price entitlement_check field group
      label locale name op param paywall period period_label period_unit placement prefix price
      price_per_month product slot status store_product text trial_period trial_price unit
      unknown_component variant id campaign font_family
      """,
      "integer": """
      bucket count cycles different hash limit period_value priority savings selected traffic
      """,
      "boolean": "has_trial match ok reencode_roundtrips visible clear_all",
      "object": "context counts fields lookup",
      "strings": "active entitlements experiments",
      "boolean|integer": "holdout",
      "array": "stored_after",
      "object|string": "json user",
      "null": """
      condition experiment result param paywall period period_label price_per_month product
      raw_price savings trial_period trial_price variant gets[]
      """,
    ],
    "agentwallie-templates": [
      "string": "expect label period period_label price price_per_month product_id slot template",
      "integer": "selected savings_percentage", "object": "user",
      "null": "slots savings_percentage trial_period trial_price",
    ],
    "cel": [
      "string": "container expr file name section locale",
      "boolean": "check_only disable_check disable_macros expect_default",
      "object": "bindings", "typed": "value", "type": "type", "strings": "error",
      "functions": "function",
    ],
    "currency-format": [
      "string": """
      amount currency locale foundation_formatstyle foundation_numberformatter narrow iso
      babel_2_18_cldr icu_72_1
      """
    ],
    "liquid": [
      "string": "template expect", "object": "data templates", "boolean": "invalid paywall strict",
      "strings": "expect_any tags", "null": "expect",
    ],
    "liquidjs": [
      "string": "template expect_shopify liquidjs liquidjs_error", "object": "data templates",
      "boolean": "invalid paywall", "null": "expect_shopify liquidjs liquidjs_error",
    ],
    "paywall-strings": [
      "string": """
      set context template template_angle template_wallie expect expect_liquidjs expect_shopify
      expect_wallie
      """,
      "object": "data", "strings": "vars missing", "boolean": "guarded",
    ],
    "pricing": [
      "string": """
      basePlanId currency deviceLocale displayPrice environment error fixture format_basis formatted
      fullIdentifier id identifier introOfferEligibility iso8601 label latestProductId locale now
      period_label priceId pricePerDay pricePerMonth pricePerWeek pricePerYear productId
      purchaseOptionId slot storefront system timeZone trial trial_period displayPeriod offerId type
      """,
      "integer": """
      count cycles period_count price_micros price_minor_units trialDays trialPeriodDays
      trial_period_days trial_period_price_minor_units
      """,
      "boolean": """
      hasActiveSubscriptionInGroup hasActiveTrialInGroup hasFreeTrial isActive isEligible
      isFreeTrialAvailable isFreeTrialOverride storeEligible
      """,
      "object": "expect expect_raw expect_unverified", "array": "entitlements",
      "array|string": "offers", "integer|string": "rawPrice",
      "null": "expect latestProductId offerId trial_period trial_period_days",
    ],
    "superscript": [
      "string": "context expression type error error_class",
      "boolean": "matches error_prefix panic",
      "value": "value",
    ],
    "superscript-versions": [
      "string": "context expression class type error error_class",
      "boolean": "error_prefix panic hang",
      "value": "value",
    ],
    "superwall-filters": ["string": "template zone doc_says expect", "object": "data"],
    "superwall-rules": [
      "string": """
      appInstalledAt behavior closeReason event experimentGroupId experimentId expression
      expressionCel expressionJs groupId id key name op outcome paywallId placement
      presentationResult presentedBy reason requestType result source state string timeZone trigger
      triggerResult type unit variantId version
      """,
      "integer": """
      assignedExperimentCount count draw index maxCount percentage storedCount
      """,
      "number": "minutes minutesAgo",
      "boolean": """
      all confirmable confirmed debugger evaluates expressionMatched featureCalled handlerCalled
      hasAssignment ignored isFirstAppOpen isLoggedIn isSentToServer isSuperwallEvent matches
      neverCalledStaticConfig panic paywallOpen
      """,
      "strings": "computed_functions device_functions keysPresent oneOf paywallIds",
      "array": "percentages history", "integers": "drawRange",
      "object": """
      context custom customKept events eventsMinutesAgo host json merged new occurrences old params
      variables
      """,
      "boolean|string": "error", "integer|string": "onErrorCode",
      "integer|object": "storedOccurrences", "object|string": "passable", "value": "value",
      "null": """
      assignment occurrence closeReason expressionCel gating paywallId presentedBy result evaluates
      isSentToServer onErrorCode
      """,
    ],
    "sdk-version-cases": [
      "string": "area versions result why sure", "object": "config user",
    ],
    "tollgate-expressions": [
      "string": "expression error code suggestion",
      "integer": "from to sourceBytes nesting steps memoryBytes dataNesting regexSteps",
      "object": "context", "value": "value",
    ],
    "tollgate-templates": [
      "string": "template zone locale expect", "object": "data templates", "strings": "errors",
      "boolean": "html source_html",
      "integer": """
      sourceBytes steps outputBytes memoryBytes nesting pathNames filters variables partialStatements
      """,
    ],
    "tollgate-batches": [
      "object": "config summary", "string": "now timeZone seed", "number": "draw",
      "array": "users", "objects": "outcomes", "integers": "rejected",
      "strings": "placements unknownKeys",
    ],
    "tollgate-check": ["object|string": "config", "object": "schema", "finding": "findings"],
    "tollgate-assignment": [
      "string": "salt experiment subject", "numbers": "weights", "integer": "variant",
      "double": "fraction",
    ],
    "tollgate-decisions": [
      "string": """
      placement now timeZone seed reason paywall variant clause message text overview entitlement
      key status source
      """,
      "object": "config unknownKeys unknownStatuses", "object|string": "user",
      "number|double": "draw", "number": "number", "integer": "count of",
      "integer|string": "audience", "boolean": "asked granted refused session stored",
      "array": "effects", "finding": "findings", "strings": "shares elsewhere",
      "objects": "reasons",
      "clauses": "clauses",
      "null": "audience paywall assignment",
    ],
  ]

  // MARK: Parts

  /// The definitions that the schema of a suite refers to.
  static func parts(of suite: String) -> KeyValuePairs<String, Value> {
    switch suite {
    case "superscript", "superscript-versions": ["value": superscriptValue]
    case "superwall-rules", "tollgate-expressions": ["value": looseValue]
    case "tollgate-assignment": ["double": wrapper("$float", ["type": "number"])]
    case "tollgate-check": ["finding": findings]
    case "tollgate-decisions":
      [
        "double": wrapper("$float", ["type": "number"]), "finding": findings,
        "clauses": [
          "type": "array",
          "items": [
            "type": "array",
            "items": ["type": "string", "pattern": #" = (\([a-z-]+\)|[a-z-]+)$"#],
          ],
        ],
      ]
    case "cel": ["typed": typedValue, "type": celType, "functions": functions]
    default: [:]
    }
  }

  /// The format of a finding: `SEVERITY CODE PATH[FROM..<TO]`. The range is optional.
  private static let findings: Value = [
    "type": "array",
    "items": [
      "type": "string",
      "pattern": #"^(error|warning|note) [a-z0-9-]+( [^ ]+)?$"#,
    ],
  ]

  private static func wrapper(_ key: String, _ schema: Value) -> Value {
    .object([
      "type": "object", "required": .list([.string(key)]),
      "properties": .object([key: schema]), "additionalProperties": false,
    ])
  }

  /// A value in the notation that distinguishes integers and doubles.
  private static let superscriptValue = wrappedValue(numbers: ["integer"])
  private static let looseValue = wrappedValue(numbers: ["number"])

  private static func wrappedValue(numbers: [String]) -> Value {
    let wrappers: [(String, Value)] = [
      ("$uint", ["type": "integer", "minimum": 0]), ("$float", ["type": ["number", "null"]]),
      ("$bytes", ["type": "array", "items": ["type": "integer", "minimum": 0, "maximum": 255]]),
      ("$timestamp", ["type": "integer"]), ("$function", ["type": "string"]),
      ("$raw", ["type": "string"]), ("$long", ["type": "integer"]),
    ]
    let names = wrappers.map { $0.0.dropFirst() }.joined(separator: "|")
    let single: Value = .object([
      "minProperties": 1, "maxProperties": 1,
      "patternProperties": .object(["^[$](\(names))$": [:]]), "additionalProperties": false,
    ])
    let known = Value.map(wrappers.map { Value.Entry(key: .string($0), value: $1) })
    let object: Value = .object([
      "type": "object", "if": single, "then": .object(["properties": known]),
      "else": ["additionalProperties": ["$ref": "#/$defs/value"]],
    ])
    return .object([
      "anyOf": .list([
        .object(["type": .texts(["boolean", "null", "string"] + numbers)]),
        ["type": "array", "items": ["$ref": "#/$defs/value"]], object,
      ])
    ])
  }

  /// A typed value of the suite `cel`: an object with one key, which names the type.
  private static let typedValue: Value = {
    let whole: Value = ["type": "string", "pattern": "^-?[0-9]+$"]
    let typed: Value = ["$ref": "#/$defs/typed"]
    return .object([
      "type": "object", "minProperties": 1, "maxProperties": 1,
      "properties": .object([
        "null": ["const": true], "bool": ["type": "boolean"], "string": ["type": "string"],
        "int": whole, "uint": whole,
        "double": [
          "anyOf": [["type": "number"], ["enum": ["NaN", "Infinity", "-Infinity", "-0.0"]]]
        ],
        "bytes": ["type": "string", "pattern": "^[A-Za-z0-9+/]*=*$"],
        "list": .object(["type": "array", "items": typed]),
        "map": .object([
          "type": "array", "items": .object(["type": "array", "minItems": 2, "items": typed]),
        ]),
        "type": ["type": "string"], "timestamp": ["type": "string", "pattern": "Z$"],
        "duration": ["type": "string", "pattern": "^-?[0-9.]+s$"],
        "enum": .object([
          "type": "object", "required": ["type", "value"],
          "properties": .object(["type": ["type": "string"], "value": whole]),
          "additionalProperties": false,
        ]),
        "message": .object([
          "type": "object", "required": ["type"],
          "properties": .object([
            "type": ["type": "string"],
            "fields": .object(["type": "object", "additionalProperties": typed]), "any": typed,
          ]),
          "additionalProperties": false,
        ]),
      ]),
      "additionalProperties": false,
    ])
  }()

  private static let celType: Value = {
    let type: Value = ["$ref": "#/$defs/type"]
    let types: Value = .object(["type": "array", "items": type])
    return .object([
      "anyOf": .list([
        [
          "enum": [
            "dyn", "null_type", "bool", "int", "uint", "double", "string", "bytes", "any",
            "timestamp", "duration", "error",
          ]
        ],
        .object([
          "type": "object", "minProperties": 1, "maxProperties": 1,
          "properties": .object([
            "list": type, "map": types, "message": ["type": "string"],
            "wrapper": ["type": "string"],
            "type": .object(["anyOf": .list([["const": .null], type])]),
            "param": ["type": "string"],
            "abstract": .object([
              "type": "object", "required": ["name"],
              "properties": .object(["name": ["type": "string"], "params": types]),
              "additionalProperties": false,
            ]),
            "function": .object([
              "type": "object", "properties": .object(["result": type, "args": types]),
              "additionalProperties": false,
            ]),
          ]),
          "additionalProperties": false,
        ]),
      ])
    ])
  }()

  private static let functions: Value = {
    let type: Value = ["$ref": "#/$defs/type"]
    return .object([
      "type": "array",
      "items": .object([
        "type": "object", "required": ["id", "result"],
        "properties": .object([
          "id": ["type": "string"], "params": .object(["type": "array", "items": type]),
          "result": type, "type_params": ["type": "array", "items": ["type": "string"]],
          "member": ["type": "boolean"],
        ]),
        "additionalProperties": false,
      ]),
    ])
  }()
}
