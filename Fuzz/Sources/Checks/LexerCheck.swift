@testable import Expressions

/// Any bytes: the lexer covers all of them, token by token, and reports every invalid token.
public enum LexerCheck {
  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty else { return }
    let tokens = walk(bytes)
    require(walk(bytes).count == tokens.count, "the tokens differ the second time")
  }

  private static func walk(_ bytes: ByteView) -> [Token] {
    var lexer = Lexer(bytes)
    var tokens: [Token] = []
    var end = 0
    while true {
      let token = lexer.next()
      require(token.from >= end, "a token begins in the one before it")
      require(token.to <= bytes.count, "a token ends behind the text")
      if token.kind == .end { break }
      require(token.to > token.from, "a token has no bytes")
      readLiteral(token, bytes)
      end = token.to
      tokens.append(token)
    }
    let isTold = tokens.contains { $0.kind == .invalid } == !lexer.problems.isEmpty
    require(isTold, "invalid tokens and problems do not go together")
    for problem in lexer.problems {
      require((problem.range?.to ?? 0) <= bytes.count, "a problem lies behind the text")
    }
    return tokens
  }

  private static func readLiteral(_ token: Token, _ bytes: ByteView) {
    switch token.kind {
    case .string, .bytes:
      var text: [UInt8] = []
      do throws(Literals.Fault) {
        try Literals.appendText(token, in: bytes, to: &text)
      } catch {
        let isInside = error.range.from >= token.from && error.range.to <= token.to
        require(isInside, "a bad escape lies outside its literal")
      }
    case .int, .hexInt, .uint, .hexUint: _ = Literals.magnitude(token, in: bytes)
    case .double:
      _ = NumberText.double(UnsafeBufferPointer(rebasing: bytes[token.from..<token.to]))
    default: break
    }
  }
}
