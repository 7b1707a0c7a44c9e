internal import ArgumentParser
internal import CivilTime
internal import Expressions
internal import Requests
internal import RuleEngine
internal import RuleInsight

/// A config file before it becomes a rule set, with all its diagnostics.
struct ConfigFile {
  /// The contents of the file.
  let content: FileContent
  var path: String { content.path }
  /// The display name of the file.
  var name: String { path == "-" ? "standard input" : path }
  var bytes: [UInt8] { content.bytes }
  private var text: ConfigText
  /// The findings that apply to this use.
  var diagnostics: [Diagnostic]
  /// The source of each expression, by its path.
  private let expressions: [String: String]

  var config: Config? { text.config }
  var ruleSet: RuleSet? { text.ruleSet }
  var statistics: RuleAnalysis.Statistics? { text.statistics }

  /// - Parameter format: nil to detect the format by the keys.
  init(_ path: String, format: Config.Format? = nil, language: RuleLanguage = .standard) throws {
    content = try FileContent(path)
    let bytes = content.bytes
    var decoded = Config.decode(bytes, format: format)
    if let other = Self.otherKind(decoded, bytes, path) {
      decoded = Compilation(output: nil, diagnostics: [other])
    }
    text = ConfigText(bytes, decoded, language: language)
    diagnostics = text.diagnostics
    var expressions: [String: String] = [:]
    for audience in text.config?.placements.flatMap(\.audiences) ?? [] {
      expressions[audience.expressionPath] = audience.expression
    }
    self.expressions = expressions
  }

  /// Reports the kind of a file that is not a config.
  private static func otherKind(
    _ decoded: Compilation<Config>, _ bytes: [UInt8], _ path: String
  ) -> Diagnostic? {
    let hasContent = decoded.output.map { !$0.placements.isEmpty || !$0.paywalls.isEmpty } ?? false
    if bytes.allSatisfy({ $0 <= 0x20 }) {
      return Diagnostic(.decodeFailure, "the file is empty; expected a config")
    }
    guard !hasContent, decoded.diagnostics.contains(where: { $0.code == .decodeFailure })
    else { return nil }
    if let nested = NestedConfig.diagnostic(bytes, path) { return nested }
    guard let kind = FileKind.ofSound(bytes), kind != .config else { return nil }
    let name = path == "-" ? path : ShellWord.quoted(path)
    return Diagnostic(
      .decodeFailure, "this is \(kind.name), not a config",
      suggestion: kind.taker(name).map { "it is for 'tollgate \($0)'" })
  }

  /// Adds findings that only checks need: ``ConfigText/check(_:now:isForAll:)``.
  mutating func check(
    _ schema: ContextSchema, now: Instant, isForAll: Bool = false,
    versions: [VersionCheck.Range] = [], tell: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    text.check(schema, now: now, isForAll: isForAll, versions: versions, tell: tell)
    diagnostics = text.diagnostics
  }

  /// Findings in display order: errors first, then warnings, each in the order of the file.
  func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] { text.places.sorted(diagnostics) }

  /// The rule set, or an error with the reason why there is none. Reports problems of single
  /// elements on standard error.
  ///
  /// - Parameters:
  ///   - placements: the requested placements; nil for all placements.
  ///   - keepsGoing: whether to drop rules that do not compile.
  func requireRuleSet(for placements: [String]? = nil, keepsGoing: Bool = true) throws -> RuleSet {
    let language = ruleSet?.language ?? .standard
    func leavesOut(_ diagnostic: Diagnostic) -> Bool {
      diagnostic.severity == .error && diagnostic.leavesOut(in: language)
    }
    let errors = diagnostics.filter(leavesOut)
    let shown = diagnostics.filter { leavesOut($0) || isMisread($0) }
    guard let ruleSet else {
      throw CommandError(errors.map { render($0) }.joined(separator: "\n"))
    }
    for diagnostic in shown.prefix(5) { FileText.printError(render(diagnostic)) }
    let more = shown.count > 5 ? " (\(shown.count) in all)" : ""
    for name in placements ?? [] where ruleSet.placement(named: name) == nil {
      throw CommandError(hint(forPlacement: name))
    }
    if ruleSet.placementNames.isEmpty, !errors.isEmpty {
      throw CommandError("\(path) has no placements")
    }
    let unusable = unusableParts(of: placements)
    if unusable.count > 0, !keepsGoing {
      throw CommandError(
        "\(unusable.texts.joined(separator: " and ")), and nothing was decided; 'tollgate check' "
          + "shows them all, and --keep-going decides without \(unusable.count == 1 ? "it" : "them")",
        exitCode: Ending.findings)
    }
    if errors.isEmpty, shown.count > 5 {
      FileText.printError("There are \(shown.count) in all; 'tollgate check' shows them.\n")
    } else if !errors.isEmpty {
      FileText.printError(
        "Continuing without the invalid parts\(more); 'tollgate check' shows them all.\n")
    }
    return ruleSet
  }

  /// Whether a finding reports a value that is read differently from how it is written, so that
  /// outcomes differ from the text of the file.
  private func isMisread(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.severity != .note && config?.misread.contains(diagnostic.path) == true
  }

  /// The number and the descriptions of unusable parts of placements: rules that do not compile, and unreadable
  /// elements.
  ///
  /// - Parameter names: nil for all placements.
  fileprivate func unusableParts(of names: [String]?) -> (count: Int, texts: [String]) {
    guard let ruleSet, let config else { return (0, []) }
    let broken = (names ?? ruleSet.placementNames).reduce(0) { $0 + ruleSet.brokenRules(of: $1) }
    let asked = names.map { $0.compactMap(config.placement) } ?? config.placements
    let audiences = Set(asked.flatMap(\.unreadAudiences)).count
    let variants = Set(asked.flatMap(\.audiences).flatMap(\.unreadVariants)).count
    let filters = asked.flatMap(\.audiences).reduce(0) { $0 + $1.filters.count { !$0.isKnown } }
    let placements = names == nil ? config.unreadPlacements.count : 0
    var texts: [String] = []
    if broken > 0 {
      texts.append(
        "\(counted(broken, "rule")) of \(path) \(broken == 1 ? "does" : "do") not compile")
    }
    for (count, noun) in [
      (placements, "placement"), (audiences, "audience"), (variants, "variant"),
      (filters, "filter"),
    ]
    where count > 0 {
      texts.append("\(counted(count, noun)) of \(path) cannot be read")
    }
    return (broken + placements + audiences + variants + filters, texts)
  }

  /// A diagnostic with its file, line and source.
  func render(_ diagnostic: Diagnostic) -> String {
    let place = text.places.place(of: diagnostic)
    var shown = diagnostic
    var source = diagnostic.range.flatMap { _ in expressions[diagnostic.path] }
    let isAboutWhole = diagnostic.path.isEmpty && diagnostic.range == nil
    if source == nil, let place, !isAboutWhole {
      let excerpt = FileExcerpt(place.range, of: bytes)
      source = excerpt.text
      shown.range = excerpt.range
    }
    return DiagnosticText.render(
      shown, source: source,
      place: name + (place.map { ":\($0.position.line):\($0.position.column)" } ?? ""),
      isExact: true)
  }

  /// The place of a diagnostic in the file, if it has one.
  func place(of diagnostic: Diagnostic) -> DiagnosticPlaces.Place? {
    text.places.place(of: diagnostic)
  }

  /// The edits of a diagnostic's fix in the file.
  func edits(_ diagnostic: Diagnostic) -> [DiagnosticPlaces.Edit] {
    text.places.edits(of: diagnostic)
  }

  /// A diagnostic as an annotation.
  func annotation(_ diagnostic: Diagnostic) -> String {
    Annotations.line(diagnostic, file: path, text.places.place(of: diagnostic)?.position)
  }

  /// A diagnostic as a JSON object, with the file and the place in the file.
  func json(_ diagnostic: Diagnostic) -> Value { text.finding(diagnostic, file: path) }
}

/// The line of a file where a place begins, or the part of a long line around it.
private struct FileExcerpt {
  private(set) var text: String
  /// The place in the excerpt.
  private(set) var range: SourceRange

  /// The number of bytes to show on each side of the beginning of the place.
  private static let reach = 400

  init(_ place: SourceRange, of bytes: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let from = min(place.from, bytes.count)
    var start = from
    while start > 0, from - start < Self.reach, bytes[start - 1] != newline { start -= 1 }
    // Avoids starting in the middle of a character.
    while start < from, bytes[start] & 0xC0 == 0x80 { start += 1 }
    var end = from
    while end < bytes.count, end - from < Self.reach, bytes[end] != newline { end += 1 }
    // Skips indentation.
    while start < from, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") {
      start += 1
    }
    text = String(decoding: bytes[start..<end], as: UTF8.self)
    range = SourceRange(from: from - start, to: min(max(place.to, from), end) - start)
  }
}

extension Diagnostic {
  /// Whether an error means that its element is unusable here.
  fileprivate func leavesOut(in language: RuleLanguage) -> Bool {
    switch code {
    // SDKs reject the config, but decisions continue. The outcome is an error, or names the unknown paywall.
    case .wouldReject, .unknownPaywall, .variantWithoutPaywall: false
    // Only an evaluation that uses the pattern fails.
    case .badRegex: language == .cel
    default: true
    }
  }
}

extension RuleSet {
  /// The number of rules of a placement that do not compile.
  func brokenRules(of placement: String) -> Int {
    guard let number = self.placement(named: placement) else { return 0 }
    return rules[placements[number].rules].filter(\.isBroken).count
  }
}

extension ConfigFile {
  /// Throws when the config does not have this placement.
  func checkPlacement(_ placement: String) throws {
    guard ruleSet?.placement(named: placement) != nil else {
      throw CommandError(hint(forPlacement: placement))
    }
  }

  /// Throws when rules of placements do not compile or are unreadable, which is already reported.
  ///
  /// - Parameter placements: nil for all.
  func checkRules(of placements: [String]?) throws {
    if unusableParts(of: placements).count > 0 { throw ExitCode(Ending.findings) }
  }
}
