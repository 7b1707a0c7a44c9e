@testable import Expressions

/// Any text: a tree or diagnostics that lie in the text, and a tree that prints as a text with the
/// same tree.
public enum ParserCheck {
  private static let limits = Limits(sourceBytes: 10_000, nesting: 100)

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let source = FuzzInput(bytes, parts: 1)[0]
    let (tree, diagnostics) = parse(source)
    let again = parse(source)
    require(again.diagnostics == diagnostics, "the diagnostics differ the second time")
    for diagnostic in diagnostics { check(diagnostic, source) }
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

  private static func checkPrinting(_ tree: SyntaxTree) {
    let printed = Printer.print(tree)
    let (copy, diagnostics) = parse(printed)
    // Spaces and escapes make texts longer, so a limit may be passed.
    if diagnostics.contains(where: { $0.code == .limitExceeded }) { return }
    require(diagnostics.isEmpty, "the print cannot be read: \(printed)")
    require(copy.isSame(as: tree), "the print has another tree: \(printed)")
    require(Printer.print(copy) == printed, "the print of the print differs: \(printed)")
  }
}
