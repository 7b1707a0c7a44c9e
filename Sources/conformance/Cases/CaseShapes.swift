internal import Expressions
internal import Scenarios

/// The keys that the lines of each suite may have.
enum CaseShapes {
  /// Returns the first problem of a line, such as an unknown key, or nil for a valid line.
  static func problem(in content: Value, suite: String) -> KeyShape.Problem? {
    guard let shapes = bySuite[suite] else { return nil }
    let kind = shapes.key.flatMap { text(content, $0) }
    if let key = shapes.key, kind == nil, shapes.byKind[""] == nil {
      return KeyShape.Problem(path: "", message: "the line has no '\(key.joined(separator: "."))'")
    }
    guard let shape = shapes.byKind[kind ?? ""] else {
      let known = shapes.byKind.keys.filter { !$0.isEmpty }.sorted()
      return KeyShape.Problem(
        path: shapes.key?.joined(separator: ".") ?? "", message: "there is no '\(kind ?? "")'",
        suggestion: Suggestion.closest(to: kind ?? "", among: known))
    }
    if case .map(let expected)? = content["expect"], expected.isEmpty {
      return KeyShape.Problem(path: "expect", message: "nothing is expected")
    }
    return shape.problem(in: content)
  }

  private static func text(_ content: Value, _ path: [String]) -> String? {
    var value: Value? = content
    for key in path { value = value?[key] }
    return value?.text
  }

  /// The names of the suites.
  static var suites: [String] { bySuite.keys.sorted() }

  /// The shapes of a suite: the key that names the kind of a line, and the allowed keys of each kind.
  struct Suite {
    var key: [String]?
    var byKind: [String: KeyShape]
  }

  private static let common = KeyShape(
    """
    suite id kind expect skip note source derived
    basis=(test source measured peer seed decision)
    """)

  private static func suite(_ text: String) -> Suite {
    Suite(key: nil, byKind: ["": common.with(KeyShape(text, parts: parts))])
  }

  private static func suite(
    by key: String..., of kinds: [String: String], always: String = ""
  ) -> Suite {
    let shared = common.with(KeyShape(always, parts: parts))
    return Suite(
      key: key, byKind: kinds.mapValues { shared.with(KeyShape($0, parts: parts)) })
  }

  /// Shapes that are used in several places.
  private static let parts: [String: String] = [
    "interval": "{type=(MINUTES INFINITY) minutes}",
    "occurrence": "{key maxCount interval=$interval}",
    "variants": "[id type=(TREATMENT HOLDOUT) percentage paywallId]",
    "rule": """
    {experimentId experimentGroupId expression expressionCel expressionJs evaluates
     occurrence=$occurrence variants=$variants}
    """,
    "rules": """
    [experimentId experimentGroupId expression expressionCel expressionJs evaluates
     occurrence=$occurrence variants=$variants]
    """,
    "platform": "=(iOS Android Web)",
    "assignments": "[experimentId variantId isSentToServer type=(TREATMENT HOLDOUT) paywallId]",
    "period": "{unit=(day week month year) count}",
    "intro": """
    {mode=(freeTrial payAsYouGo payUpFront) unit=(day week month year) count cycles price
     displayPrice iso8601}
    """,
    "slots": "[slot label product product_id]",
    "resolved": """
    [slot label product product_id store_product price price_per_month period period_label
     trial_period trial_price savings savings_percentage]
    """,
    "products": """
    [id name store=(apple google stripe) store_product entitlements display_price
     display_period period]
    """,
    "theme": """
    {background primary secondary text_primary text_secondary accent surface font_family
     corner_radius font_families{display heading body mono}}
    """,
  ]

  static let bySuite: [String: Suite] = [
    "cel": suite(
      """
      file section name expr container locale type_env[name type function] bindings
      disable_check disable_macros check_only expect{value type error} expect_default
      needs=[proto proto:strong-enum checker custom-function ext:strings ext:math ext:optionals
        ext:encoders ext:bindings ext:block ext:comprehensions2 ext:network ext:protos locale
        unknowns]
      uses=[time bytes uint types regex dyn macros]
      """),
    "superscript": suite(
      """
      kind=(cel-superscript) context expression matches class=(rule operator odd)
      expect{value type error error_class error_prefix panic}
      """),
    "superscript-versions": suite(
      """
      expression context class outcomes<{value type error error_class error_prefix panic hang}>
      """),
    "superwall-rules": suite(by: "input", "op", of: superwallRules),
    "agentwallie": suite(by: "kind", of: agentWallie),
    "liquid": suite(
      """
      template data templates mode=(lax strict strict2) strict invalid expect_any
      class=(core extra-tag extra-filter) paywall tags
      """),
    "liquidjs": suite(
      """
      template data templates mode=(lax strict strict2) invalid paywall liquidjs liquidjs_error
      expect_shopify
      """),
    "paywall-strings": suite(
      """
      set context data template template_angle template_wallie expect_liquidjs expect_shopify
      expect_wallie vars missing guarded
      """),
    "agentwallie-templates": suite(
      "template slots=$slots resolved=$resolved selected user theme=$theme"),
    "superwall-filters": suite("template data zone doc_says"),
    "pricing": suite(
      by: "kind", of: pricing, always: "system format_basis fixture expect_raw expect_unverified"),
    "currency-format": suite(
      """
      amount currency locale foundation_formatstyle foundation_numberformatter narrow iso
      babel_2_18_cldr icu_72_1
      """),
    "sdk-version-cases": suite(
      """
      area config user
      ranges[sdk=(ios android web agentwallie) versions evaluator=(raw numeric skip text) result] why
      sure
      """),
    "tollgate-expressions": suite(
      """
      expression context dialect=(cel superscript) platform=(ios android web)
      limits{sourceBytes nesting steps memoryBytes dataNesting regexSteps}
      expect{value error diagnostics[code from to suggestion]}
      """),
    "tollgate-templates": suite(
      """
      template data templates dialect=(superwall shopify agentwallie) mode=(lax strict strict2)
      html source_html zone locale errors
      limits{sourceBytes steps outputBytes memoryBytes nesting pathNames filters variables
        partialStatements}
      """),
    "tollgate-batches": suite(
      """
      input{config dialect=(superscript cel) platform=(ios android web) now timeZone seed
        assigner=(hash djb2) draw users placements layout=(long wide)}
      expect{outcomes rejected summary unknownKeys}
      """),
    "tollgate-check": suite(
      """
      input{config dialect=(superscript cel) platform=(ios android web all) schema}
      expect{findings}
      """),
    "tollgate-assignment": suite(
      "input{salt experiment subject weights} expect{fraction variant}"),
    "tollgate-decisions": suite(
      """
      input{config format=(superwall agentwallie) dialect=(superscript cel)
        platform=(ios android web) placement user now timeZone seed assigner=(hash djb2) draw
        request=(presentation getPaywall getPresentationResult handleImplicitTrigger
          paywallDeclineCheck confirmAllAssignments preload)
        table=(ios android tollgate)}
      expect{reason audience paywall variant assignment{source from} reasons clauses shares effects findings
        errors[audience code path clause message] diagnostics[code severity=(error warning note) path elsewhere]
        notes{unknownKeys unknownStatuses} text overview
        explained{code heldBack[audience limit{key count of minutes session}]
          errors[audience code text] owned[audience entitlement] draw{number from to} stored}
        subscription{status entitlements[entitlement granted] asked} refused}
      """),
  ]

  private static let superwallRules: [String: String] = [
    // A case of kind `cel` names no operation.
    "": """
    kind=(cel) input{expression variables device_functions computed_functions host}
    expect{value type error panic matches}
    """,
    "evaluateRule":
      "input{op rule=$rule context storedOccurrences} expect{outcome source experimentId}",
    "tryToMatchOccurrence": """
    input{op expressionMatched occurrence=$occurrence storedCount}
    expect{outcome source unsavedOccurrence=$occurrence}
    """,
    "count": """
    input{op name what=(placements occurrences) interval=$interval eventsMinutesAgo} expect{count}
    """,
    "reset": "input{op events occurrences platform=$platform} expect{events occurrences}",
    "timeSince": "input{op type minutesAgo platform=$platform timeZone now} expect{value}",
    "webComputed": "input{op type unit history now} expect{value}",
    "chooseVariant": """
    input{op percentages draw drawRange platform=$platform}
    expect{index variant{id type} error}
    """,
    "chooseAssignments": """
    input{op experiments[id groupId trigger variants=$variants] existing=$assignments}
    expect{assignments=$assignments assignedExperimentCount oneOf}
    """,
    "transferAssignments": """
    input{op server=$assignments local=$assignments config[id variants]}
    expect{assignments=$assignments}
    """,
    "preloadPaywallIds": """
    input{op rules[experimentId preload=(IF_TRUE ALWAYS NEVER) evaluates] assignments=$assignments}
    expect{paywallIds}
    """,
    "decodePreload": "input{op json} expect{behavior}",
    "filterTriggers": "input{op triggers disablePreload{all triggers}} expect{triggers}",
    "evaluatePlacement": """
    input{op placement triggers<=$rules> context assignments=$assignments storedOccurrences}
    expect{triggerResult experimentId groupId paywallId assignment confirmable
      unmatched[experimentId source] unsavedOccurrence}
    """,
    "confirmAssignment": """
    input{op triggerResult requestType hasAssignment isSentToServer debugger platform=$platform}
    expect{confirmed}
    """,
    "mapTriggerResult": "input{op triggerResult} expect{presentationResult}",
    "mapPipelineError": "input{op reason} expect{presentationResult}",
    "statusReasonString": "input{op reason platform=$platform} expect{string}",
    "triggerFireParams": """
    input{op placement triggerResult experiment{id variantId paywallId}
      unmatched[experimentId source] platform=$platform}
    expect{params}
    """,
    "featureBlock": """
    input{op state result closeReason gating=(gated nonGated)} expect{featureCalled onErrorCode}
    """,
    "canTriggerPaywall": """
    input{op event triggers paywallOpen presentedBy platform=$platform} expect{outcome}
    """,
    "shouldGetAssignments": """
    input{op isLoggedIn neverCalledStaticConfig isFirstAppOpen} expect{value}
    """,
    "register": "input{op placement} expect{ignored handlerCalled}",
    "processParams": "input{op placement custom isSuperwallEvent} expect{customKept keysPresent}",
    "mergeAttributes": "input{op new old appInstalledAt platform=$platform} expect{merged}",
    "paddedVersion": "input{op version platform=$platform} expect{value}",
    "toPassable": "input{op value platform=$platform} expect{passable}",
  ].mapValues { "kind=(cel rule occurrence variant outcome) " + $0 }

  private static let agentWallie: [String: String] = [
    "filter": "input{filters[field op value join=(and or)] context} expect{match}",
    "condition": """
    input{condition{field op value} slots=$slots selected user theme=$theme} expect{visible}
    """,
    "placement": """
    input{placement context user entitlements stored[user experiment variant paywall holdout]
      campaigns[id name status placements[id name type status]
        audiences[id name priority filters[field op value join=(and or)] entitlement_check
          frequency_cap experiment{id status holdout variants[id paywall traffic]}]]}
    expect{result{campaign audience experiment variant paywall holdout} stored_after}
    """,
    "assignment": """
    input{user experiment experiments variants[id paywall traffic] holdout population{prefix count}
      steps[save{user experiment variant paywall holdout} get{user experiment}
        clear{user experiment} clear_user clear_all]}
    expect{hash bucket variant paywall counts different gets[variant paywall holdout]}
    """,
    "expression": """
    input{text slots=$slots selected resolved=$resolved products=$products user theme=$theme}
    expect{text}
    """,
    "product": """
    input{slots=$slots products=$products locale
      store<{price currency display_price locale period_unit period_value
        intro{mode=(free_trial pay_as_you_go pay_up_front) unit value cycles price display_price}}>
      call=(period_label_unit period_label_text period_unit trial_period monthly)
      args{price currency text unit value}}
    expect{result
      resolved[slot label product store_product price raw_price price_per_month period period_label
        trial_period trial_price has_trial savings]}
    """,
    "entitlement": """
    input{products=$products steps[purchase restore reset]} expect{status active lookup}
    """,
    "model": """
    input{json type=(config campaign placement audience filter frequency_cap experiment variant
      product slot schema settings theme component style gradient animation font_families
      cta_action_param)}
    expect{ok fields param unknown_component reencode_roundtrips}
    """,
  ]

  private static let pricing: [String: String] = {
    let product = """
      product{identifier productId type store storefront currency locale price rawPrice price_micros
        price_minor_units displayPrice iso8601 period intro=$intro trial_period_days
        trial_period_price_minor_units fullIdentifier
        offers purchaseOptions[purchaseOptionId offerId price] billingPlan{type price period=$period}
        coupon{percentOff amountOff duration=(once repeating forever) months}
        subscription{period period_count trial_period_days}
        billing=$period commitment=$period entitlements hasFreeTrial trialDays trialPeriodDays
        slots[slot label displayPrice displayPeriod
          store{displayPrice price currency locale period=$period intro=$intro}]}
      context{now timeZone deviceLocale introOfferEligibility isFreeTrialOverride storeEligible
        isEligible hasActiveSubscriptionInGroup hasActiveTrialInGroup
        customerEntitlements[id isActive latestProductId store]}

      """
    let kinds = [
      "attributes": "", "products_api": "", "checkout_context": "", "resolved_products": "",
      "savings": "",
      "period_price": "expect{pricePerDay pricePerWeek pricePerMonth pricePerYear error}",
      "period_normalize": "expect{unit count error}", "period_parse": "expect{unit count error}",
      "billing_cycles": "expect{cycles error}", "format": "expect{formatted error}",
      "price_decode": "expect{rawPrice error}",
      "product_id": """
      expect{productId basePlan{type=(auto specific none) id} offer{type=(auto specific none) id}
        fullIdentifier environment priceId trial error}
      """,
      "offer_selection": "expect{rawPrice error}",
      "trial_eligibility": "expect{isFreeTrialAvailable error}",
      "period_label": "expect{period_label error}", "trial_period": "expect{trial_period error}",
    ]
    return kinds.mapValues { product + $0 }
  }()
}
