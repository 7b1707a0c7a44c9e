@testable import Expressions

/// Any string: a tree, or diagnostics inside the string. A tree is printed as a string with the same tree. After formatting in
/// either dialect, an expression compiles to the same program.
public enum ParserCheck {
  private static let limits = Limits(sourceBytes: 10_000, nesting: 100)

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let source = FuzzInput(bytes, parts: 1)[0]
    let (tree, diagnostics) = parse(source)
    let again = parse(source)
    require(again.diagnostics == diagnostics, "the diagnostics differ the second time")
    for diagnostic in diagnostics { check(diagnostic, source) }
    for environment in environments { checkFormatting(source, environment) }
    require(
      diagnostics.isEmpty || diagnostics.contains { $0.severity == .error },
      "there is something to say, and no error")
    guard diagnostics.isEmpty else { return }
    require(tree.isSame(as: tree), "a tree is not the same as itself")
    checkPrinting(tree)
  }

  static func parse(_ source: String) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
    var source = source
    return source.withUTF8 { Parser.parse($0, limits: limits) }
  }

  static func check(_ diagnostic: Diagnostic, _ source: String) {
    if let range = diagnostic.range {
      let isInside = range.from >= 0 && range.to <= source.utf8.count
      require(isInside, "'\(diagnostic.message)' lies at \(range) of \(source.utf8.count) bytes")
    }
    _ = DiagnosticText.render(diagnostic, source: source)
  }

  private static let environments = [
    ExpressionEnvironment(limits: limits), ExpressionEnvironment.superscript(limits: limits),
  ]

  private static func checkFormatting(_ source: String, _ environment: ExpressionEnvironment) {
    let formatted = environment.format(source)
    for reason in formatted.refusal { check(reason, source) }
    let compiled = environment.compile(source)
    require(formatted.compiles == (compiled.output != nil), "formatting tells otherwise")
    if !formatted.refusal.isEmpty {
      require(formatted.text == source, "refused, and changed to \(formatted.text)")
      // A refusal without a place means that the result is different, as after a limit.
      let isKnown = !formatted.compiles || formatted.refusal.contains { $0.range != nil }
      require(isKnown || isNearLimit(source, environment), "the print is not the same expression")
      return
    }
    require(environment.compile(formatted.text).output != nil, "no longer compiles")
    let again = environment.format(formatted.text)
    require(again.text == formatted.text && again.refusal.isEmpty, "formatted twice it differs")
  }

  private static func isNearLimit(_ source: String, _ environment: ExpressionEnvironment) -> Bool {
    var wide = environment
    wide.limits = Limits(sourceBytes: 100_000, nesting: 1_000)
    return wide.format(source).refusal.isEmpty
  }

  private static func checkPrinting(_ tree: SyntaxTree) {
    let printed = Printer.print(tree)
    let (copy, diagnostics) = parse(printed)
    // Spaces and escapes make strings longer, so a limit may be exceeded.
    if diagnostics.contains(where: { $0.code == .limitExceeded }) { return }
    require(diagnostics.isEmpty, "the print cannot be read: \(printed)")
    require(copy.isSame(as: tree), "the print has another tree: \(printed)")
    require(Printer.print(copy) == printed, "the print of the print differs: \(printed)")
  }
}
