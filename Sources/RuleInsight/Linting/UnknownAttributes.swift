internal import Expressions
internal import RuleEngine

/// A condition reads an attribute that SDKs do not send, or whose name is spelled differently
/// everywhere else.
///
/// `device.regionCod == "US"`
enum UnknownAttributes: Lint {
  static let page = CodePage(
    .unknownAttribute, .warning,
    what:
      "A condition reads an attribute that SDKs do not send, or that is spelled differently elsewhere.",
    why: """
      Such an attribute is always missing: in superscript it counts as 0 or empty, in CEL the condition is \
      an error. If no known name is similar, the finding is only a note, because apps and records have \
      their own attributes.
      """,
    example: .condition(#"device.regionCod == "US""#),
    advice: "Write the known name. Upper and lower case matter.",
    better: .condition(#"device.regionCode == "US""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    var uses = Uses()
    for condition in subject.conditions {
      uses.addValues(of: condition.expression)
      for (id, path) in condition.expression.attributes where path[0] != "" {
        let name = condition.expression.lastName(id)
        uses.add(
          path, name ?? condition.expression[id].range, isName: name != nil, condition.paths)
      }
    }
    for placed in subject.filters {
      let path = placed.filter.path
      let name = path.last ?? ""
      let end = placed.filter.field.utf8.count
      uses.add(
        path.count == 1 ? [""] + path : path,
        SourceRange(from: end - name.utf8.count, to: end), isName: true, ["\(placed.path).field"])
    }
    uses.prepare(subject.schema)
    return uses.all.flatMap { use in findings(use, among: uses, subject) }
  }

  private static func findings(_ use: Uses.Use, among uses: Uses, _ subject: LintSubject)
    -> [Diagnostic]
  {
    let (root, name) = (use.root, use.name)
    let schema = subject.schema
    if schema[root, name] != nil || root == "params" && name.hasPrefix("$") { return [] }
    if UnrequestedQuestions.property([root, name]) != nil { return [] }
    if root == "computed" { return computed(use, subject) }
    // A separate lint checks attributes with the names of functions.
    if root == "device", subject.isSuperscript,
      let host = subject.language.platform?.hostFunctions,
      Dialect.superscript.isFunctionName(name, with: host)
    {
      return []
    }
    let roots = subject.config.format == .agentWallie ? wallieRoots : superwallRoots
    guard roots.contains(root) else {
      return subject.config.format == .agentWallie ? unknownRoot(use, schema) : []
    }
    let known =
      uses.known(in: root, like: name) ?? (root == "device" ? deviceName(name, schema) : nil)
    if let meant = known ?? uses.usual(for: use) {
      return warnings(use, meant, isKnown: known != nil)
    }
    guard schema.completeRoots.contains(root) else { return [] }
    return ["device", ""].contains(root)
      ? [note(use, schema)].compactMap { $0 } : absent(use, schema)
  }

  /// The device attribute that a name abbreviates or is the plural of.
  private static func deviceName(_ name: String, _ schema: ContextSchema) -> String? {
    var candidates = [name + "s", String(name.dropLast(name.hasSuffix("s") ? 1 : 0))]
    // An app's own records may have `device.model`.
    if name.contains(where: { $0.isUppercase }) {
      candidates.append("device" + name.prefix(1).uppercased() + name.dropFirst())
    }
    return candidates.first { schema["device", $0] != nil }
  }

  /// The SDKs' names of attributes that often have other names in records.
  private static let otherNames = [
    "country": "regionCode", "countryCode": "regionCode", "region": "regionCode",
    "language": "deviceLanguageCode", "locale": "deviceLocale", "model": "deviceModel",
    "currency": "deviceCurrencyCode", "version": "appVersion", "os": "platform",
    "isFirstOpen": "isFirstAppOpen", "installDate": "appInstallDate",
    "entitlements": "activeEntitlements", "paywallViews": "totalPaywallViews",
  ]

  /// Reports all unlisted attributes of a root whose names a user-defined schema lists completely.
  private static func absent(_ use: Uses.Use, _ schema: ContextSchema) -> [Diagnostic] {
    let meant = Suggestion.closest(to: use.name, among: schema.names(in: use.root))
    return use.places.map { place in
      finding(
        "the schema has no '\(use.text)'", at: place.path, range: place.range,
        suggestion: meant.map { "did you mean '\(use.path($0))'?" }, subject: use.text)
    }
  }

  private static let superwallRoots: Set<String> = ["user", "device", "params"]
  private static let wallieRoots: Set<String> = ["user", "device", "event", ""]

  private static func warnings(_ use: Uses.Use, _ meant: String, isKnown: Bool) -> [Diagnostic] {
    let message =
      isKnown
      ? "there is no attribute '\(use.text)'"
      : "'\(use.text)' is read only here, but '\(use.path(meant))' is read elsewhere"
    return use.places.map { place in
      finding(
        message, at: place.path, range: place.range,
        suggestion: "did you mean '\(use.path(meant))'?",
        fix: place.isName
          ? Diagnostic.Fix([Diagnostic.Fix.Edit(place.range, meant)], isSafe: isKnown) : nil,
        subject: use.text)
    }
  }

  /// Reports one note per attribute, regardless of the number of reads.
  private static func note(_ use: Uses.Use, _ schema: ContextSchema) -> Diagnostic? {
    guard let first = use.places.first else { return nil }
    let others = use.places.count - 1
    return Diagnostic(
      page.code, "SDKs do not send '\(use.text)'; only your own records can have it",
      severity: .note, range: first.range, path: first.path,
      notes: others > 0 ? ["\(others) more \(others == 1 ? "place reads" : "places read") it"] : [],
      suggestion: use.root == "device" && schema["device", otherNames[use.name] ?? ""] != nil
        ? otherNames[use.name].map { "SDKs send \(use.path($0))" } : nil)
  }

  /// Reports unknown roots of filters, which may read any root. Compiling reports unknown roots of expressions.
  private static func unknownRoot(_ use: Uses.Use, _ schema: ContextSchema) -> [Diagnostic] {
    guard let close = Suggestion.closest(to: use.root, among: ["user", "device", "event"]) else {
      return [note(use, schema)].compactMap { $0 }
    }
    return use.places.map {
      finding(
        "filters cannot read '\(use.root)'", at: $0.path,
        suggestion: "did you mean '\(close).\(use.name)'?")
    }
  }

  /// Reports attributes of `computed`, which only has functions.
  private static func computed(_ use: Uses.Use, _ subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    let isProperty = UnrequestedQuestions.property(["device", use.name]) != nil
    return use.places.map { place in
      finding(
        "'computed' has functions and no attributes, so '\(use.text)' is always missing",
        at: place.path, range: place.range,
        suggestion: isProperty ? "write device.\(use.name)" : "call one of its functions")
    }
  }
}

/// The places where attributes are read.
private struct Uses {
  struct Use {
    var root: String
    var name: String
    /// The places of the reads, and whether the range only covers the attribute's name.
    var places: [(path: String, range: SourceRange, isName: Bool)] = []

    var text: String { path(name) }

    func path(_ name: String) -> String { root.isEmpty ? name : "\(root).\(name)" }
  }

  private(set) var all: [Use] = []
  private var numbers: [[String]: Int] = [:]
  /// The strings that each attribute is compared with, by root and name.
  private var values: [[String]: Set<String>] = [:]

  /// Adds the strings that the attributes of an expression are compared with.
  mutating func addValues(of expression: ParsedExpression) {
    for relation in expression.relations {
      guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
        let path = expression.path(attribute), path.count == 2
      else { continue }
      for literal in literals.prefix(Self.mostNames) {
        if case .string(let text)? = expression.literal(literal), !text.isEmpty {
          values[path, default: []].insert(text)
        }
      }
    }
  }

  /// Whether two attributes are compared with the same values, and their names differ by a letter.
  private func areAlike(_ number: Int, _ other: Int) -> Bool {
    guard NearNames.isVariant(names[number], of: names[other]),
      let own = values[[all[number].root, all[number].name]],
      let others = values[[all[other].root, all[other].name]]
    else { return false }
    return !own.isDisjoint(with: others)
  }

  mutating func add(
    _ path: [String], _ range: SourceRange, isName: Bool, _ paths: [String]
  ) {
    guard path.count > 1 else { return }
    let key = Array(path.prefix(2))
    if numbers[key] == nil {
      numbers[key] = all.count
      all.append(Use(root: key[0], name: key[1]))
    }
    // The range of a longer path only covers its last name.
    for place in paths {
      all[numbers[key] ?? 0].places.append((place, range, isName && path.count == 2))
    }
  }

  /// If a name has at least this many reads, a similar name with one read is a likely misspelling.
  private static let usual = 4
  private static let mostNames = 400

  /// The names with at least ``usual`` reads, by root.
  private var usualNames: [String: NearNames.List] = [:]
  /// The names of the schema, by root and style.
  private var schemaNames: [String: NearNames.List] = [:]
  /// The name of each use; empty if there are more than ``mostNames``.
  private var names: [NearNames.Known] = []

  /// Prepares the names that other names are compared with, after all uses were added.
  mutating func prepare(_ schema: ContextSchema) {
    var roots: Set<String> = []
    // If there are more names than this, they are probably generated, and comparing all pairs is slow.
    if all.count <= Self.mostNames { names = all.map { NearNames.Known($0.name) } }
    for use in all {
      if roots.insert(use.root).inserted {
        for name in schema.names(in: use.root) {
          let key = use.root == "device" ? use.root : Self.style(use.root, name)
          schemaNames[key, default: NearNames.List()].append(name)
        }
      }
      guard use.places.count >= Self.usual else { continue }
      usualNames[use.root, default: NearNames.List()].append(use.name)
    }
  }

  private static func style(_ root: String, _ name: String) -> String {
    root + (name.contains("_") ? "_" : ".")
  }

  /// The schema's name that was likely intended. Apps use another style for their own names.
  func known(in root: String, like name: String) -> String? {
    schemaNames[root == "device" ? root : Self.style(root, name)]?.nearest(to: name)
  }

  /// The more frequent name, if a use looks like a typo of it.
  func usual(for use: Use) -> String? {
    // A guard and a comparison in one condition are one use.
    guard Set(use.places.map { $0.path }).count == 1 else { return nil }
    let number = numbers[[use.root, use.name]] ?? 0
    for (place, known) in names.enumerated()
    where place != number && all[place].root == use.root {
      // If both names are read once, only swapped letters show which name is wrong.
      let isLikely =
        all[place].places.count > 1
        ? NearNames.isSlip(names[number], of: known) || areAlike(number, place)
        : place < number && NearNames.isSwap(names[number], of: known)
      if isLikely { return known.name }
    }
    return usualNames[use.root]?.nearest(to: use.name)
  }
}
