/// The tokens of an expression without errors, for the parts that the tree does not contain: parentheses
/// and comments.
package struct TokenList {
  private var tokens: [Token] = []
  /// The place of the first comment.
  private(set) var comment: SourceRange?
  /// The place of the closing parenthesis for each opening parenthesis.
  private var closing: [Int: Int] = [:]
  private let length: Int

  package init(_ source: String, _ dialect: Dialect) {
    // SAFETY: The reader and its view stay in the closure. Only ranges are stored.
    // Tests: FormattingCorpusTests.
    var source = source
    length = source.utf8.count
    source.withUTF8 { bytes in
      var reader = Reader(bytes, dialect)
      var open: [Int] = []
      var end = 0
      while let token = reader.next() {
        note(bytes, from: end, to: token.from)
        end = token.to
        if token.kind == .leftParenthesis { open.append(tokens.count) }
        if token.kind == .rightParenthesis, let first = open.popLast() {
          closing[first] = tokens.count
        }
        tokens.append(token)
      }
      note(bytes, from: end, to: bytes.count)
    }
  }

  /// Notes the first comment between tokens. Everything else between tokens is space, and a comment ends with its line.
  private mutating func note(_ source: ByteView, from: Int, to: Int) {
    // SAFETY: Callers pass ends of tokens in ascending order, which are inside the source.
    // Tests: FormattingCorpusTests.
    guard comment == nil, let start = source[from..<to].firstIndex(of: UInt8(ascii: "/")) else {
      return
    }
    let line = source[start..<to].prefix { $0 != 0x0A && $0 != 0x0D }
    comment = SourceRange(from: start, to: line.endIndex)
  }

  /// The lexer of a dialect. The reader is not a closure, because optimised builds lost the source in a closure.
  private struct Reader {
    // SAFETY: The lexers use a view that outlives the reader. Tests: FormattingCorpusTests.

    private var cel: Lexer
    private var superscript: SuperscriptLexer
    private let dialect: Dialect

    init(_ source: ByteView, _ dialect: Dialect) {
      cel = Lexer(source)
      superscript = SuperscriptLexer(source)
      self.dialect = dialect
    }

    /// The next token, or nil at the end.
    mutating func next() -> Token? {
      guard dialect == .superscript else {
        let token = cel.next()
        return token.kind == .end ? nil : token
      }
      do throws(SuperscriptLexer.Fault) {
        let token = try superscript.next()
        return token.kind == .end ? nil : token
      } catch {
        return nil
      }
    }
  }

  /// Extends a range to whole tokens, and removes the parentheses and the space around it.
  package func withoutParentheses(_ range: SourceRange) -> SourceRange {
    var first = count { $0.from < range.from }
    var last = count { $0.to <= range.to } - 1
    guard first <= last else { return range }
    while first < last, closing[first] == last { (first, last) = (first + 1, last - 1) }
    return SourceRange(from: tokens[first].from, to: tokens[last].to)
  }

  /// The number of tokens at the beginning for which the predicate is true. For all later tokens, the predicate is
  /// false.
  private func count(of isBefore: (Token) -> Bool) -> Int {
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(tokens[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
