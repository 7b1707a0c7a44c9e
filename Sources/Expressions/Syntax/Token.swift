/// A token of the expression language: its kind and its bytes in the source.
struct Token {
  enum Kind: UInt8 {
    case end, invalid
    case identifier, quotedIdentifier
    case int, hexInt, uint, hexUint, double
    case string, bytes
    case `true`, `false`, null
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
    case dot, comma, colon, question
    case plus, minus, star, slash, percent, not
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, `in`
    case and, or
  }

  var kind: Kind
  var from: Int
  var to: Int

  var range: SourceRange { SourceRange(from: from, to: to) }
}

extension Token.Kind {
  /// The name of the token in messages.
  var description: String {
    switch self {
    case .end: "the end"
    case .invalid: "this character"
    case .identifier, .quotedIdentifier: "a name"
    case .int, .hexInt, .uint, .hexUint, .double: "a number"
    case .string: "a string"
    case .bytes: "bytes"
    case .true, .false: "a bool"
    case .null: "null"
    case .leftParenthesis: "'('"
    case .rightParenthesis: "')'"
    case .leftBracket: "'['"
    case .rightBracket: "']'"
    case .leftBrace: "'{'"
    case .rightBrace: "'}'"
    case .dot: "'.'"
    case .comma: "','"
    case .colon: "':'"
    case .question: "'?'"
    case .plus: "'+'"
    case .minus: "'-'"
    case .star: "'*'"
    case .slash: "'/'"
    case .percent: "'%'"
    case .not: "'!'"
    case .equal: "'=='"
    case .notEqual: "'!='"
    case .less: "'<'"
    case .lessOrEqual: "'<='"
    case .greater: "'>'"
    case .greaterOrEqual: "'>='"
    case .in: "'in'"
    case .and: "'&&'"
    case .or: "'||'"
    }
  }

  /// The precedence of a binary operator, or 0 for other tokens. `? :` has the precedence 1 and is right-associative.
  /// All other operators are left-associative.
  var precedence: Int {
    switch self {
    case .question: 1
    case .or: 2
    case .and: 3
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in: 4
    case .plus, .minus: 5
    case .star, .slash, .percent: 6
    default: 0
    }
  }

  /// The node kind of a binary operator, or nil: `&&`, `||` and `? :` have more operands.
  var operation: SyntaxTree.Kind? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .in: .in
    case .plus: .add
    case .minus: .subtract
    case .star: .multiply
    case .slash: .divide
    case .percent: .modulo
    default: nil
    }
  }
}
