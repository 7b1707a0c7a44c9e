import Expressions

/// An expression of the core language as the reference interpreter sees it. It knows how to write
/// itself, so that the parser under test is tested along with the rest.
indirect enum ReferenceExpression {
  case literal(Value)
  /// A root of the context, or a variable of a macro around it.
  case name(String)
  case select(ReferenceExpression, String)
  case index(ReferenceExpression, ReferenceExpression)
  case has(ReferenceExpression, String)
  case not(ReferenceExpression)
  case negate(ReferenceExpression)
  case binary(ReferenceOperator, ReferenceExpression, ReferenceExpression)
  case conditional(ReferenceExpression, ReferenceExpression, ReferenceExpression)
  case list([ReferenceExpression])
  case map([(key: ReferenceExpression, value: ReferenceExpression)])
  case size(ReferenceExpression, asMethod: Bool)
  case text(ReferenceTextTest, ReferenceExpression, ReferenceExpression)
  /// `range.macro(variable, bodies...)`
  case macro(ReferenceMacro, ReferenceExpression, String, [ReferenceExpression])
  /// `cel.bind(variable, value, body)`
  case bind(String, ReferenceExpression, ReferenceExpression)
  /// `map.?name.orValue(other)`
  case orValue(ReferenceExpression, String, ReferenceExpression)

  /// The direct subexpressions, for finding the smallest one that goes wrong.
  var children: [ReferenceExpression] {
    switch self {
    case .literal, .name: []
    case .select(let a, _), .has(let a, _), .not(let a), .negate(let a), .size(let a, _): [a]
    case .index(let a, let b), .binary(_, let a, let b), .text(_, let a, let b): [a, b]
    case .conditional(let a, let b, let c): [a, b, c]
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .macro(_, let range, _, _): [range]
    case .bind(_, let value, _): [value]
    case .orValue(let a, _, let b): [a, b]
    }
  }
}

enum ReferenceMacro: String, CaseIterable {
  case all, exists
  case existsOne = "exists_one"
  case map, filter
}

enum ReferenceOperator: String, CaseIterable {
  case or = "||"
  case and = "&&"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case isIn = "in"
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case modulo = "%"

  /// How tightly it binds, after the grammar of the CEL specification. `? :` is 1, a unary
  /// operator 7, a member 8.
  var binding: Int {
    switch self {
    case .or: 2
    case .and: 3
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: 4
    case .add, .subtract: 5
    case .multiply, .divide, .modulo: 6
    }
  }
}

enum ReferenceTextTest: String, CaseIterable {
  case contains, startsWith, endsWith
}

/// Writes expressions with the fewest parentheses that the grammar allows, and now and then with
/// more, with white space and comments where they make no difference.
struct ReferenceWriter<Generator: RandomNumberGenerator> {
  var random: Generator
  /// False: one space between tokens and nothing superfluous.
  var isPlayful = true
  private var tokens: [String] = []

  init(random: Generator, isPlayful: Bool = true) {
    self.random = random
    self.isPlayful = isPlayful
  }

  mutating func write(_ expression: ReferenceExpression) -> String {
    tokens = []
    emit(expression, atLeast: 1)
    var text = ""
    for token in tokens {
      text += space(text.unicodeScalars.last, token.unicodeScalars.first)
      text += token
    }
    return text
  }

  private mutating func space(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> String {
    guard let before, let after else { return "" }
    func isWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || "0123456789_\"'`.".unicodeScalars.contains(scalar)
    }
    let mustPart = isWord(before) && isWord(after) && after != "." && before != "."
    guard isPlayful else { return mustPart || before != "(" && after != ")" ? " " : "" }
    switch Int.random(in: 0..<24, using: &random) {
    case 0: return "  "
    case 1: return "\n"
    case 2: return " // a comment: \"'(\n"
    case 3: return "\t"
    case 4..<16: return mustPart ? " " : ""
    default: return " "
    }
  }

  private mutating func emit(_ expression: ReferenceExpression, atLeast binding: Int) {
    let own = ReferenceWriter.binding(of: expression)
    let superfluous = isPlayful && Int.random(in: 0..<12, using: &random) == 0
    let isWrapped = own < binding || superfluous
    if isWrapped { tokens.append("(") }
    emitContent(expression)
    if isWrapped { tokens.append(")") }
  }

  private static func binding(of expression: ReferenceExpression) -> Int {
    switch expression {
    case .conditional: return 1
    case .binary(let operation, _, _): return operation.binding
    case .not, .negate: return 7
    case .literal(let value):
      // A negative number as an operand of a member needs parentheses to stay one.
      return LiteralText.isNegative(value) ? 7 : 9
    default: return 8
    }
  }

  private mutating func emitContent(_ expression: ReferenceExpression) {
    switch expression {
    case .literal(let value):
      tokens.append(LiteralText.write(value, isPlayful: isPlayful, using: &random))
    case .name(let name): tokens.append(name)
    case .select(let operand, let name):
      emit(operand, atLeast: 8)
      emitMember(name)
    case .index(let operand, let key):
      emit(operand, atLeast: 8)
      tokens.append("[")
      emit(key, atLeast: 1)
      tokens.append("]")
    case .has(let operand, let name):
      tokens += ["has", "("]
      emit(operand, atLeast: 8)
      tokens += [".", LiteralText.isName(name) ? name : "`\(name)`", ")"]
    case .not(let operand):
      tokens.append("!")
      // The grammar does not mix the unary operators.
      if case .negate = operand { emit(operand, atLeast: 8) } else { emit(operand, atLeast: 7) }
    case .negate(let operand):
      tokens.append("-")
      if case .not = operand { emit(operand, atLeast: 8) } else { emit(operand, atLeast: 7) }
    case .binary(let operation, let left, let right):
      emit(left, atLeast: operation.binding)
      tokens.append(operation.rawValue)
      emit(right, atLeast: operation.binding + 1)
    case .conditional(let condition, let yes, let no):
      emit(condition, atLeast: 2)
      tokens.append("?")
      emit(yes, atLeast: 2)
      tokens.append(":")
      emit(no, atLeast: 1)
    case .list(let elements): emitElements(elements.map { ($0, nil) }, "[", "]")
    case .map(let entries): emitElements(entries.map { ($0.key, $0.value) }, "{", "}")
    case .size(let operand, asMethod: true):
      emit(operand, atLeast: 8)
      tokens += [".", "size", "(", ")"]
    case .size(let operand, asMethod: false):
      tokens += ["size", "("]
      emit(operand, atLeast: 1)
      tokens.append(")")
    case .text(let test, let receiver, let argument):
      emit(receiver, atLeast: 8)
      tokens += [".", test.rawValue, "("]
      emit(argument, atLeast: 1)
      tokens.append(")")
    case .macro(let macro, let range, let variable, let bodies):
      emit(range, atLeast: 8)
      tokens += [".", macro.rawValue, "(", variable]
      for body in bodies {
        tokens.append(",")
        emit(body, atLeast: 1)
      }
      tokens.append(")")
    case .bind(let variable, let value, let body):
      tokens += ["cel", ".", "bind", "(", variable, ","]
      emit(value, atLeast: 1)
      tokens.append(",")
      emit(body, atLeast: 1)
      tokens.append(")")
    case .orValue(let operand, let name, let other):
      emit(operand, atLeast: 8)
      tokens += [".?", name, ".", "orValue", "("]
      emit(other, atLeast: 1)
      tokens.append(")")
    }
  }

  private mutating func emitMember(_ name: String) {
    let useIndex = isPlayful && Int.random(in: 0..<8, using: &random) == 0
    if useIndex {
      tokens += ["[", LiteralText.write(.string(name), isPlayful: false, using: &random), "]"]
    } else {
      tokens += [".", LiteralText.isName(name) ? name : "`\(name)`"]
    }
  }

  private mutating func emitElements(
    _ elements: [(ReferenceExpression, ReferenceExpression?)], _ open: String, _ close: String
  ) {
    tokens.append(open)
    for (i, (element, value)) in elements.enumerated() {
      if i > 0 { tokens.append(",") }
      emit(element, atLeast: 1)
      if let value {
        tokens.append(":")
        emit(value, atLeast: 1)
      }
    }
    if isPlayful, !elements.isEmpty, Int.random(in: 0..<8, using: &random) == 0 {
      tokens.append(",")
    }
    tokens.append(close)
  }
}
