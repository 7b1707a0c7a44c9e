public import CivilTime

/// What only the caller of a rendering knows.
///
/// ```swift
/// let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
/// let rendered = try template.render(["user": ["name": "<Ann>"]], RenderOptions(escaping: .html))
/// rendered.text  // "Hello &lt;Ann&gt;"
/// ```
public struct RenderOptions: Sendable {
  /// What happens to characters of values that mean something in the target.
  public enum Escaping: String, Hashable, Sendable, CaseIterable {
    /// Nothing: the text is shown as text.
    case text
    /// `&`, `<`, `>` and quotes of values become references; the template's own text stays.
    case html
  }

  public var escaping: Escaping
  /// What the word `now` means; without it `now` is an error.
  public var now: Instant?
  /// The zone in which dates are shown; without one they keep the offset that they were written with.
  public var zone: TemplateZone?
  /// The locale of `money`, `plural`, `date` and `countdown_from`.
  public var locale: String
  public var money: MoneyFormatter?
  /// The words of locales; nil for English.
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

  /// The zone with a name of the tz database (`Europe/Berlin`) or a fixed offset (`+05:30`).
  public init?(named name: String) {
    guard let rules = TimeZones.zone(named: name) else { return nil }
    self.rules = rules
  }
}

/// Why a part of a template gave nothing. The text does not say so.
///
/// ```swift
/// let template = try TemplateEnvironment(dialect: .shopify).compile("{{ a | divided_by: 0 }}").get()
/// let rendered = try template.render(["a": 3])
/// rendered.text  // ""
/// rendered.errors.map(\.kind)  // [.divisionByZero]
/// ```
public struct RenderError: Error, Hashable, Sendable {
  public var kind: EvaluationError.Kind
  /// Where in the template, or nil.
  public var range: SourceRange?
  /// The name of the template, where it is one that another renders.
  public var template: String
  /// What went wrong, for people.
  public var message: String
}

/// A rendered text and what went wrong in it. It keeps its memory for the next text.
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
  /// What went wrong, in the order in which it did; at most 100, and the one that ended it.
  package internal(set) var errors: [RenderError] = []

  package init() {}

  /// Whether the template was rendered to its end: false when a limit was reached.
  package var isComplete: Bool { end == nil }

  /// How many bytes the text has.
  package var count: Int { output.count }

  /// The text.
  package var string: String { String(decoding: output.bytes, as: UTF8.self) }

  /// Gives the bytes of the text, which are valid UTF-8, without copying them.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // SAFETY: The text is borrowed while the closure runs, so its buffer cannot grow or go away.
    // Tests: RenderingTests, PrecomputeTextsTests.
    body(output.bytes)
  }

  var hasFaults: Bool { end != nil || !faults.isEmpty }
}

extension Frame {
  /// Sets what templates that are rendered on this frame know of their surroundings.
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
  /// Runs a template. This is the hot path: it allocates nothing once frame and text are warm.
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

/// What went wrong, for people.
enum RenderMessages {
  /// What the filter `money` does not take; nil where that is told as of other filters.
  static func money(_ error: EvaluationError) -> String? {
    switch error.kind {
    case .conversion:
      "money takes a number and the code of a currency, such as 'EUR'; one of them is something else"
    case .noSuchOverload: "money needs the code of a currency, as in money: 'EUR'"
    default: nil
    }
  }

  static func text(_ error: EvaluationError) -> String {
    switch error.kind {
    case .divisionByZero: "division by zero"
    case .conversion:
      "the value cannot be converted, or has no text (as after a division by zero)"
    case .noSuchOverload:
      error.operandTypes.count == 2
        ? "\(error.operandTypes[0]) and \(error.operandTypes[1]) cannot be combined"
        : "the filter or tag does not accept these values"
    case .overflow: "the number or the date is too large"
    case .limitExceeded: "a limit was reached; the rest is not rendered"
    case .unknownValue: "the time of day is not known here"
    default: error.kind.slug
    }
  }
}
