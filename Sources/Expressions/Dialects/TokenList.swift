/// The tokens of an expression without errors, for what the tree does not keep: parentheses and
/// comments.
struct TokenList {
  private var tokens: [Token] = []
  /// Where the first comment stands.
  private(set) var comment: SourceRange?
  /// For each opening parenthesis, where it is closed.
  private var closing: [Int: Int] = [:]
  private let length: Int

  init(_ source: String, _ dialect: Dialect) {
    var source = source
    length = source.utf8.count
    source.withUTF8 { bytes in
      let next = TokenList.reader(bytes, dialect)
      var open: [Int] = []
      var end = 0
      while let token = next() {
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

  /// What is no token is space or a comment, which goes to the end of its line.
  private mutating func note(_ source: ByteView, from: Int, to: Int) {
    guard comment == nil, let start = source[from..<to].firstIndex(of: UInt8(ascii: "/")) else {
      return
    }
    let line = source[start..<to].prefix { $0 != 0x0A && $0 != 0x0D }
    comment = SourceRange(from: start, to: line.endIndex)
  }

  private static func reader(_ source: ByteView, _ dialect: Dialect) -> () -> Token? {
    var cel = Lexer(source)
    var superscript = SuperscriptLexer(source)
    return {
      let token = dialect == .superscript ? try? superscript.next() : cel.next()
      return token?.kind == .end ? nil : token
    }
  }

  /// A range that begins and ends with tokens, without the parentheses and the space around them.
  func withoutParentheses(_ range: SourceRange) -> SourceRange {
    var first = count { $0.from < range.from }
    var last = count { $0.to <= range.to } - 1
    guard first <= last else { return range }
    while first < last, closing[first] == last { (first, last) = (first + 1, last - 1) }
    return SourceRange(from: tokens[first].from, to: tokens[last].to)
  }

  /// How many tokens come before the first that is not like this; those that are come first.
  private func count(of isBefore: (Token) -> Bool) -> Int {
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(tokens[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
