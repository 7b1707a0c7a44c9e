/// The entry of a function or macro in the reference.
package struct FunctionPage: Sendable {
  package let family: FunctionFamily
  /// The signatures of the function.
  package let signatures: [FunctionSignature]
  /// The effect of the function, in a sentence or two.
  package let summary: String
  /// An example as `call == result`, which is true in every dialect that knows the function.
  package let example: String
  package let dialects: [Dialect]

  /// - Parameter signatures: one or more, separated by semicolons.
  package init(
    _ family: FunctionFamily, _ signatures: String, _ summary: String, _ example: String,
    in dialects: [Dialect]
  ) {
    self.family = family
    self.signatures = FunctionSignature.all(in: signatures) ?? []
    self.summary = summary
    self.example = example
    self.dialects = dialects
  }

  private init(_ row: Macro.Row, in dialect: Dialect) {
    self.init(
      row.family, row.signatures.description, row.summary.description, row.example.description,
      in: [dialect])
  }

  private init(_ entry: FunctionEntry) {
    let row = entry.function.row
    family = row.family
    signatures = entry.signatures
    summary = row.summary.description
    example = row.example.description
    dialects = Dialect.allCases.filter { row.dialects.contains($0 == .cel ? .cel : .superscript) }
  }

  /// The names used in calls, each once.
  package var names: [String] {
    signatures.reduce(into: []) { if !$0.contains($1.name) { $0.append($1.name) } }
  }

  /// All functions and macros that expressions can call, without the host's functions.
  package static let all: [FunctionPage] =
    FunctionEntry.named.map { FunctionPage($0) }
    + Macro.allCases.map { FunctionPage($0.row, in: .cel) }
    + [bind]
    + Superscript.Form.allCases.map { FunctionPage($0.row, in: .superscript) }

  /// The only macro without a receiver (``Macro`` has the others).
  private static let bind = FunctionPage(
    .loops, "cel.bind(x, T, any) -> any", "Names a value for use in the last argument.",
    "cel.bind(x, 2 + 3, x * x) == 25", in: [.cel])

  /// The ways of calling a function of this name. The name includes the name space.
  package static func signatures(of name: String, in dialect: Dialect) -> [FunctionSignature] {
    signatures[dialect]?[name] ?? []
  }

  private static let signatures: [Dialect: [String: [FunctionSignature]]] = {
    var signatures: [Dialect: [String: [FunctionSignature]]] = [:]
    for page in all {
      for dialect in page.dialects {
        for signature in page.signatures {
          signatures[dialect, default: [:]][signature.name, default: []].append(signature)
        }
      }
    }
    return signatures
  }()

  /// A replacement for the name of an unknown function.
  package static func suggestion(for name: String, among names: [String]) -> String? {
    FunctionHint.text(name, known: names)
  }
}
