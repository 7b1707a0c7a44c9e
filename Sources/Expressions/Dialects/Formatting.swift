/// An expression in the standard style of its language.
package struct FormattedExpression: Sendable {
  /// The formatted source, or the original if it cannot be formatted.
  package var text: String
  /// Why the source stays unchanged: the errors of an expression that does not compile, or what the formatter
  /// would lose.
  package var refusal: [Diagnostic] = []

  /// Whether the expression compiles.
  package var compiles: Bool { !refusal.contains { $0.severity == .error } }

  /// A source that stays unchanged, for a reason that is not an error.
  package static func refused(_ text: String, _ reason: String, _ range: SourceRange? = nil)
    -> FormattedExpression
  {
    let diagnostic = Diagnostic(
      .notFormatted, "\(reason), so the expression is not formatted", severity: .note, range: range)
    return FormattedExpression(text: text, refusal: [diagnostic])
  }
}

extension ExpressionEnvironment {
  /// Formats an expression. An expression stays unchanged if it has errors, or if formatting would lose something or
  /// change the meaning. Formatting the result again changes nothing.
  package func format(_ source: String) -> FormattedExpression {
    let compiled = compile(source)
    guard let program = compiled.output else {
      let errors = compiled.diagnostics.filter { $0.severity == .error }
      return FormattedExpression(text: source, refusal: errors)
    }
    if let comment = TokenList(source, dialect).comment {
      return .refused(source, "formatting would lose a comment", comment)
    }
    let tree = dialect.parse(source, limits: limits).tree
    let text = Printer.print(tree, dialect)
    guard text != source else { return FormattedExpression(text: source) }
    // The result is parsed and compiled again, so that a bug in the formatter changes no rule.
    let (again, problems) = dialect.parse(text, limits: limits)
    let compiledAgain = compile(text)
    guard problems.isEmpty, again.isSame(as: tree), let same = compiledAgain.output,
      program.isSame(as: same), compiled.diagnostics.isSame(as: compiledAgain.diagnostics),
      Printer.print(again, dialect) == text
    else { return .refused(source, "formatting would change the expression") }
    return FormattedExpression(text: text)
  }
}

extension [Diagnostic] {
  /// Whether both lists have the same diagnostics. The places and suggestions of the diagnostics may differ.
  fileprivate func isSame(as other: [Diagnostic]) -> Bool {
    func placeless(_ diagnostic: Diagnostic) -> Diagnostic {
      var diagnostic = diagnostic
      diagnostic.range = nil
      diagnostic.suggestion = nil
      return diagnostic
    }
    return map(placeless) == other.map(placeless)
  }
}

extension Program {
  /// Whether both programs have the same graph. The nodes may have different places in the sources.
  func isSame(as other: Program) -> Bool {
    storage.rootNodes == other.storage.rootNodes && storage.graph.isSame(as: other.storage.graph)
  }
}

extension ConditionGraph {
  func isSame(as other: borrowing ConditionGraph) -> Bool {
    guard nodes == other.nodes, lists == other.lists, slots.count == other.slots.count,
      constants.cells.count == other.constants.cells.count
    else { return false }
    for slot in 0..<slots.count where !slots.isSame(slot, as: slot, of: other.slots) {
      return false
    }
    for (a, b) in zip(constants.cells, other.constants.cells) where !a.isIdentical(to: b) {
      return false
    }
    return true
  }
}

extension Cell {
  /// Whether both cells have the same value, including number types and signs of zero.
  fileprivate func isIdentical(to other: Cell) -> Bool {
    if self == other { return true }
    guard tag == other.tag, outsideCount == other.outsideCount else { return false }
    switch tag {
    case Tag.list, Tag.optional, Tag.function:
      return zip(elements, other.elements).allSatisfy { $0.isIdentical(to: $1) }
    case Tag.map: return zip(entries, other.entries).allSatisfy { $0.isIdentical(to: $1) }
    default:
      guard hasBytesOutside, let a = address, let b = other.address else { return false }
      // SAFETY: Both constants have `outsideCount` bytes at their addresses, and both pools are
      // alive. Tests: FormattingCorpusTests.
      return UnsafeRawBufferPointer(start: a, count: outsideCount)
        .elementsEqual(UnsafeRawBufferPointer(start: b, count: outsideCount))
    }
  }
}
