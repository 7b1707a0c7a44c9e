/// The families of functions, in the order of the reference.
package enum FunctionFamily: String, CaseIterable, Sendable {
  case strings, conversions, numbers, lists, loops, missing, times, dates, history, versions
  case patterns, network, encodings
  /// The functions of operators, of the checker and of apps. Expressions do not name these functions.
  case unnamed

  /// The heading of the family.
  package var title: String {
    switch self {
    case .strings: "Strings"
    case .conversions: "Types and conversions"
    case .numbers: "Numbers"
    case .lists: "Lists, sets and maps"
    case .loops: "Loops and variables"
    case .missing: "Missing values"
    case .times: "Times and durations"
    case .dates: "Days and months"
    case .history: "Event history"
    case .versions: "Versions"
    case .patterns: "Regular expressions"
    case .network: "IP addresses"
    case .encodings: "Encodings"
    case .unnamed: "Unnamed"
    }
  }
}

extension Function {
  enum TextTest { case contains, startsWith, endsWith, matches }

  /// How the graph uses a function.
  enum Use: Hashable {
    case call
    /// The function is a test of a string, which has its own instruction.
    case textTest(TextTest)
    /// The function returns its operand, or fails if the operand has the wrong type.
    case requirement
    /// Expressions cannot call the function by name.
    case unnamed
  }

  /// The languages that know a function.
  struct Dialects: OptionSet {
    let rawValue: UInt8
    static let cel = Self(rawValue: 1)
    static let superscript = Self(rawValue: 2)
    static let both: Self = [.cel, .superscript]
  }

  /// How a function visits its operands.
  enum Work {
    /// The function visits each element and each byte once.
    case once
    /// The function may compare each element of one operand with each element of another.
    case pairs
  }

  /// The properties of a function, except its body.
  struct Row {
    var family: FunctionFamily
    /// The signatures of the function, separated by semicolons (``FunctionSignature``). Names of extension libraries
    /// contain their name space.
    var signatures: StaticString
    /// The effect of the function, in one sentence that starts with a verb.
    var summary: StaticString
    /// An example as `call == result`, which is true in every language that knows the function.
    var example: StaticString
    var dialects: Dialects
    var use: Use
    /// The evaluation steps that the function takes, in addition to steps of patterns.
    var work: Work
    /// Whether a call on constants is computed at compile time, if ``Calls`` can do so.
    var folds: Bool
    /// Whether superscript's `hasFn` knows the function.
    var isAnnounced: Bool

    @inline(__always)
    init(
      _ family: FunctionFamily, _ signatures: StaticString, _ summary: StaticString,
      _ example: StaticString, in dialects: Dialects = .cel, use: Use = .call, work: Work = .once,
      folds: Bool = true, isAnnounced: Bool = false
    ) {
      self.family = family
      self.signatures = signatures
      self.summary = summary
      self.example = example
      self.dialects = dialects
      self.use = use
      self.work = work
      self.folds = folds
      self.isAnnounced = isAnnounced
    }

    /// A function that expressions cannot call by name. The signatures only describe the operands.
    @inline(__always)
    init(unnamed signatures: StaticString, use: Use = .unnamed, work: Work = .once) {
      self.init(.unnamed, signatures, "", "", in: [], use: use, work: work)
    }
  }

  /// The string test of the function, or nil if the function is not a string test.
  var textTest: TextTest? {
    guard case .textTest(let test) = row.use else { return nil }
    return test
  }
}

/// A row of the table with its strings parsed. Each entry is built once per process.
struct FunctionEntry: Sendable {
  let function: Function
  let signatures: [FunctionSignature]
  let dialects: Function.Dialects
  /// The name in `name(a, b)`, or nil if the function cannot be called this way.
  let name: String?
  /// The name in `a.name(b)`, or nil if the function is not a method.
  let method: String?
  /// The possible numbers of operands, including the receiver.
  let counts: ClosedRange<Int>

  private static let all = Function.allCases.map(FunctionEntry.init)

  private init(_ function: Function) {
    let row = function.row
    self.function = function
    dialects = row.dialects
    signatures = FunctionSignature.all(in: row.signatures.description) ?? []
    let isNamed = row.use == .call || function.textTest != nil
    name = isNamed ? signatures.first { !$0.isMethod }?.name : nil
    method = isNamed ? signatures.first { $0.isMethod }?.name : nil
    let least = signatures.map { $0.counts.lowerBound }.min() ?? 0
    counts = least...max(signatures.map { $0.counts.upperBound }.max() ?? 0, least)
  }

  /// Functions that expressions call by name.
  static let named = all.filter { ($0.name ?? $0.method) != nil }

  /// The named functions of a language.
  static func named(in dialect: Function.Dialects) -> [FunctionEntry] {
    named.filter { $0.dialects.contains(dialect) }
  }

  fileprivate static func entry(of function: Function) -> FunctionEntry {
    all[Int(function.rawValue)]
  }
}

extension Function {
  var entry: FunctionEntry { FunctionEntry.entry(of: self) }

  /// How a call is written in sources that the program generates, or nil if expressions cannot call it.
  var notation: (name: String, isMethod: Bool)? {
    let entry = entry
    guard let name = entry.name ?? entry.method else { return nil }
    return (name, entry.method == name)
  }
}
