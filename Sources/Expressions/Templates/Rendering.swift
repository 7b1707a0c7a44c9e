public import CivilTime

/// Options for rendering a template.
///
/// ```swift
/// let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
/// let rendered = try template.render(["user": ["name": "<Ann>"]], RenderOptions(escaping: .html))
/// rendered.text  // "Hello &lt;Ann&gt;"
/// ```
public struct RenderOptions: Sendable {
  /// How values are escaped for the target format.
  public enum Escaping: String, Hashable, Sendable, CaseIterable {
    /// No escaping: the output is plain text.
    case text
    /// In values, `&`, `<`, `>` and quotes become character references. The text of the template stays the same.
    case html
  }

  public var escaping: Escaping
  /// The current time, which templates can read as `now`. If the time is nil, using `now` is an error.
  public var now: Instant?
  /// The time zone of dates. If the zone is nil, dates have the offset that they were written with.
  public var zone: TemplateZone?
  /// The locale of `money`, `plural`, `date` and `countdown_from`.
  public var locale: String
  public var money: MoneyFormatter?
  /// The words of locales, or nil for English.
  package var words: LocaleWords?

  public init(
    escaping: Escaping = .text, now: Instant? = nil,
    zone: TemplateZone? = nil, locale: String = "en_US", money: MoneyFormatter? = nil
  ) {
    self.escaping = escaping
    self.now = now
    self.zone = zone
    self.locale = locale
    self.money = money
  }
}

/// A time zone.
///
/// ```swift
/// let template = try TemplateEnvironment().compile("{{ user.end | date: '%H:%M' }}").get()
/// let options = RenderOptions(zone: TemplateZone(named: "Europe/Berlin"))
/// try template.render(["user": ["end": "2026-03-01T12:00:00Z"]], options).text  // "13:00"
/// ```
public struct TemplateZone: Hashable, Sendable {
  let rules: TimeZoneRules

  /// Creates a time zone from a name of the tz database (`Europe/Berlin`) or from a fixed offset (`+05:30`).
  public init?(named name: String) {
    guard let rules = TimeZones.zone(named: name) else { return nil }
    self.rules = rules
  }
}

/// The reason why a part of a template rendered to nothing. The output does not contain the error.
///
/// ```swift
/// let template = try TemplateEnvironment(dialect: .shopify).compile("{{ a | divided_by: 0 }}").get()
/// let rendered = try template.render(["a": 3])
/// rendered.text  // ""
/// rendered.errors.map(\.kind)  // [.divisionByZero]
/// ```
public struct RenderError: Error, Hashable, Sendable {
  public var kind: EvaluationError.Kind
  /// The range in the template, or nil if it is unknown.
  public var range: SourceRange?
  /// The name of the template with the error if another template renders it, otherwise empty.
  public var template: String
  /// A description of the error.
  public var message: String
}

/// A rendered string and its errors. The memory of the string is reused for the next rendering.
///
/// ```swift
/// let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
/// var frame = Frame(for: template.program)
/// try frame.fill(["user": ["name": "Ann"]])
/// var text = RenderedText()
/// template.render(in: &frame, into: &text)
/// text.string  // "Hello Ann"
/// text.isComplete  // true
/// ```
package struct RenderedText: ~Copyable {
  fileprivate var output = OutputBuffer(limit: 0)
  fileprivate var faults: [UInt64] = []
  fileprivate var moreFaults = 0
  /// The fault that ended the rendering.
  fileprivate var end: UInt64?
  /// The errors, in the order in which they occurred: at most 100, and the one that ended the rendering.
  package internal(set) var errors: [RenderError] = []

  package init() {}

  /// Whether the template was rendered to its end. The value is false if a limit was reached.
  package var isComplete: Bool { end == nil }

  /// The length of the output in bytes.
  package var count: Int { output.count }

  /// The output.
  package var string: String { String(decoding: output.bytes, as: UTF8.self) }

  /// Passes the bytes of the output, which are valid UTF-8, to the body without copying them.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // SAFETY: The text is borrowed while the closure runs, so its buffer cannot grow or go away.
    // Tests: RenderingTests, PrecomputeTextsTests.
    body(output.bytes)
  }

  var hasFaults: Bool { end != nil || !faults.isEmpty }
}

extension Frame {
  /// Sets the options of templates that are rendered on this frame.
  public mutating func setOptions(_ options: RenderOptions) {
    rendering.escapesHTML = options.escaping == .html
    rendering.now = options.now?.timestamp
    rendering.zone = options.zone?.rules
    rendering.locale = options.locale
    rendering.money = options.money
    rendering.words = options.words
  }
}

extension TemplateSet {
  /// Runs a template. This is the hot path: it allocates nothing when frame and output are warm.
  func run(_ number: Int, in frame: inout Frame, into text: inout RenderedText) {
    let storage = program.storage
    swap(&frame.rendering.output, &text.output)
    frame.rendering.output.reset(limit: storage.template?.outputBytes ?? 0)
    frame.rendering.scratch.reset(limit: storage.limits.memoryBytes)
    if !frame.rendering.faults.isEmpty { frame.rendering.faults = [] }
    frame.rendering.moreFaults = 0
    frame.clearVariables(Int(storage.graph[storage.rootNodes[number]].b))
    var trace = NoTrace()
    let mark = frame.arena.mark
    let cell = Machine.run(storage, from: program.entries[number].start, in: &frame, &trace)
    frame.arena.release(to: mark)
    swap(&frame.rendering.output, &text.output)
    text.end = cell.tag == Tag.fault ? cell.low : nil
    if !text.errors.isEmpty { text.errors = [] }
    if !text.faults.isEmpty { text.faults = [] }
    if !frame.rendering.faults.isEmpty { swap(&text.faults, &frame.rendering.faults) }
    text.moreFaults = frame.rendering.moreFaults
  }

  func errors(of text: borrowing RenderedText, _ number: Int) -> [RenderError] {
    var errors = text.faults.map { error($0, number) }
    if let end = text.end { errors.append(error(end, number)) }
    return errors
  }

  private func error(_ fault: UInt64, _ number: Int) -> RenderError {
    let error = EvaluationError(fault: Cell(low: fault, high: 0))
    let storage = program.storage
    var result = RenderError(
      kind: error.kind, range: nil, template: "", message: RenderMessages.text(error))
    guard Int(error.instruction) < storage.nodeOf.count else { return result }
    let node = Int(storage.nodeOf[Int(error.instruction)])
    let isMoney =
      storage.graph[node].kind == .filter
      && LiquidFunction(rawValue: UInt8(storage.graph[node].b)) == .money
    if isMoney, let problem = RenderMessages.money(error) { result.message = problem }
    let own = program.entries[number].source
    if let range = storage.graph.range(of: node, in: own) {
      result.range = range
    } else {
      let origin = storage.graph.origins[node]
      result.range = origin.range
      result.template = partialNames[Int(origin.source)] ?? ""
    }
    return result
  }
}

/// Descriptions of errors.
enum RenderMessages {
  /// The description of an error of the filter `money`, or nil if it is the same as for other filters.
  static func money(_ error: EvaluationError) -> String? {
    switch error.kind {
    case .conversion:
      "money needs a number and a currency code such as 'EUR'; one of them has the wrong type"
    case .noSuchOverload: "money needs a currency code, as in money: 'EUR'"
    default: nil
    }
  }

  static func text(_ error: EvaluationError) -> String {
    switch error.kind {
    case .divisionByZero: "division by zero"
    case .conversion:
      "the value cannot be converted, or cannot be written as a string (as after a division by zero)"
    case .noSuchOverload:
      error.operandTypes.count == 2
        ? "\(error.operandTypes[0]) and \(error.operandTypes[1]) cannot be combined"
        : "the filter or tag does not accept these values"
    case .overflow: "the number or the date is too large"
    case .limitExceeded: "a limit was reached; the rest is not rendered"
    case .unknownValue: "the current time is not set"
    default: error.kind.slug
    }
  }
}
