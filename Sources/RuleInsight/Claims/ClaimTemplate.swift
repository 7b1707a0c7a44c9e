internal import Expressions
internal import RuleEngine

/// A template with marks around its tags, which trace each character of the rendered text to its
/// place. The check's choices replace conditions about the user.
struct ClaimTemplate: Sendable {
  /// A condition about the user. The check tries its values.
  struct Choice: Sendable {
    /// The possible values. Users without known attributes have the first one.
    var values: [Value]
  }

  /// The output of a tag.
  struct Tag: Sendable {
    var range: SourceRange
    /// The product attributes that the value is computed from.
    var reads: [TemplateAnalysis.Read]
    /// Whether the value is a single attribute, changed at most by filters that leave it readable.
    var isPlain: Bool
    var filters: [String]
    /// The time that is added to today: `"now" | date_add: 7, "days"`.
    var added: Period?
  }

  /// The template with marks.
  private(set) var source: String
  private(set) var tags: [Tag] = []
  /// The start of the template's own texts, and the attributes of the conditions around them.
  private(set) var texts: [(start: Int, guards: [String])] = []
  private(set) var choices: [Choice] = []
  /// Whether the output depends on the selected product.
  private(set) var readsSelected = false
  /// Whether the output depends on the user's eligibility.
  private(set) var readsEligibility = false
  private let firstChoice: Int
  /// Whether the template contains characters that are reserved for the marks.
  let isUnreadable: Bool

  /// The root of the choices' values in the template.
  static let choiceRoot = "tollgate_choice"

  private static let productRoots: Set<String> = [
    "products", "primary", "secondary", "tertiary", "theme",
  ]
  /// Filters that leave an attribute readable.
  private static let harmless: Set<String> = [
    "upcase", "downcase", "capitalize", "strip", "lstrip", "rstrip", "append", "prepend", "default",
    "escape", "locale", "strip_html",
  ]

  init(
    _ source: String, _ analysis: TemplateAnalysis, _ environment: TemplateEnvironment,
    firstChoice: Int = 0
  ) {
    self.firstChoice = firstChoice
    self.source = source
    isUnreadable = source.unicodeScalars.contains { ClaimText.Mark.all.contains($0.value) }
    guard !isUnreadable else { return }
    let bytes = Array(source.utf8)
    var edits: [(at: Int, to: Int, text: String)] = []
    for output in analysis.parts.outputs {
      let (from, to) = (output.range.from, output.range.to)
      guard to <= bytes.count, from + 1 < to, Self.opens(bytes, from) else { continue }
      edits.append((from, from, "\u{E000}\(tags.count)\u{E001}"))
      edits.append((to, to, "\u{E002}"))
      tags.append(tag(output, analysis.parts))
    }
    for text in analysis.parts.texts where text.range.to <= bytes.count {
      edits.append((text.range.from, text.range.from, "\u{E003}\(texts.count)\u{E001}"))
      texts.append((text.range.from, text.guards))
    }
    if environment.dialect != .agentwallie { ask(analysis.parts, bytes, &edits) }
    self.source = Self.edited(bytes, edits)
    let reads = analysis.reads
    readsSelected = reads.contains { read in
      guard read.names.count > 1, read.names[0] == "products" else { return false }
      return read.names[1] == nil || read.names[1] == "selected" || read.names[1] == "selectedIndex"
    }
    readsEligibility = reads.contains { read in
      read.names.contains { $0 == nil || Self.eligibilityNames.contains($0 ?? "") }
    }
  }

  private static let eligibilityNames: Set<String> = [
    "hasIntroductoryOffer", "isFreeTrialAvailable", "is_trial_available", "trialPhases", "phases",
    "chargedToday", "firstChargeDate", "renewsAt", "endDateOfOffer", "totalInFirstYear",
    "trial_phases", "charged_today", "first_charge_date", "renews_at", "end_date_of_offer",
    "total_in_first_year",
  ]

  private static func opens(_ bytes: [UInt8], _ at: Int) -> Bool {
    let (first, second) = (bytes[at], bytes[at + 1])
    return (first == UInt8(ascii: "{") || first == UInt8(ascii: "<"))
      && (second == first || second == UInt8(ascii: "%"))
  }

  private static func edited(_ bytes: [UInt8], _ edits: [(at: Int, to: Int, text: String)])
    -> String
  {
    var result: [UInt8] = []
    var at = 0
    for edit in edits.enumerated().sorted(by: {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }).map({ $0.element }) where edit.at >= at {
      result += bytes[at..<edit.at]
      result += Array(edit.text.utf8)
      at = max(edit.to, edit.at)
    }
    result += bytes[at...]
    return String(decoding: result, as: UTF8.self)
  }

  private func tag(_ output: TemplateParts.Output, _ parts: TemplateParts) -> Tag {
    let (reads, isPlain) = Self.resolved(output.source, parts, depth: 0)
    return Tag(
      range: output.range, reads: reads, isPlain: isPlain, filters: output.source.filters,
      added: output.source.filters.first == "date_add" ? Self.added(source(of: output.range)) : nil)
  }

  private func source(of range: SourceRange) -> String {
    let bytes = Array(source.utf8)
    guard range.from >= 0, range.to <= bytes.count, range.from <= range.to else { return "" }
    return String(decoding: bytes[range.from..<range.to], as: UTF8.self)
  }

  /// The time in a tag such as `{{ "now" | date_add: 7, "days" | date: "%B %-d" }}`.
  private static func added(_ tag: String) -> Period? {
    let parts = tag.split { " {}<>=-|:,\"'".contains($0) }.map { $0.lowercased() }
    guard parts.count >= 3, ["now", "today"].contains(parts[0]), parts[1] == "date_add",
      let count = Int(parts[2]), 1...999 ~= count
    else { return nil }
    let name = parts.count > 3 ? parts[3] : "days"
    return Period.Unit.allCases.first { name == $0.name || name == $0.name + "s" }
      .flatMap { Period($0, count) }
  }

  /// The attributes that a value is computed from, directly or through the template's own variables.
  private static func resolved(_ source: TemplateParts.Source, _ parts: TemplateParts, depth: Int)
    -> (reads: [TemplateAnalysis.Read], isPlain: Bool)
  {
    var reads = source.reads
    var isPlain = true
    for variable in source.variables where depth < 8 {
      for value in (parts.assigned[variable.name] ?? []).prefix(16) {
        var (others, isOne) = resolved(value, parts, depth: depth + 1)
        if isOne, !variable.members.isEmpty { others[0].names += variable.members }
        isPlain = isPlain && isOne
        reads += others
      }
    }
    return (
      reads,
      isPlain && source.isPath && reads.count == 1 && source.filters.allSatisfy(harmless.contains)
    )
  }

  /// Replaces conditions that are not about products with choices of the check.
  private mutating func ask(
    _ parts: TemplateParts, _ bytes: [UInt8], _ edits: inout [(at: Int, to: Int, text: String)]
  ) {
    var known: [String: Int] = [:]
    for test in parts.tests where test.range.to > test.range.from && test.range.to <= bytes.count {
      let isAboutOthers = test.source.reads.contains { read in
        !Self.productRoots.contains(read.names.first.flatMap { $0 } ?? "products")
      }
      // A variable contains a value that the template itself has computed.
      guard isAboutOthers, test.source.variables.isEmpty else { continue }
      let written = String(decoding: bytes[test.range.from..<test.range.to], as: UTF8.self)
      let key = written + (test.cases ?? []).joined(separator: " ")
      let number = known[key] ?? choices.count
      if number == choices.count {
        guard choices.count < 12 else { return }
        known[key] = number
        choices.append(Choice(values: Self.values(test.cases)))
      }
      edits.append(
        (test.range.from, test.range.to, " \(Self.choiceRoot).c\(firstChoice + number) "))
    }
  }

  private static func values(_ cases: [String]?) -> [Value] {
    guard let cases else { return [.bool(false), .bool(true)] }
    return [.string("")]
      + cases.prefix(8).map { text in
        if let number = Int64(text) { return .int(number) }
        return .string(String(text.dropFirst().dropLast()))
      }
  }

  /// The combinations of choices to try: each value of each choice alone, and the first and the
  /// last values of all.
  var combinations: [[Value]] {
    if choices.isEmpty { return [[]] }
    let usual = choices.map { $0.values[0] }
    var result = [usual, choices.map { $0.values[$0.values.count - 1] }]
    if choices.count <= 3, choices.allSatisfy({ $0.values.count == 2 }) {
      return (0..<(1 << choices.count)).map { bits in
        choices.indices.map { choices[$0].values[bits >> $0 & 1] }
      }
    }
    for (place, choice) in choices.enumerated() {
      for value in choice.values.dropFirst() {
        var one = usual
        one[place] = value
        if !result.contains(one) { result.append(one) }
      }
    }
    return result
  }
}
