@testable import Expressions

/// What the parser made of a text, for tables.
struct ParsedText {
  var tree: SyntaxTree
  var diagnostics: [Diagnostic]

  init(_ source: String, limits: Limits = Limits()) {
    var source = source
    (tree, diagnostics) = source.withUTF8 { Parser.parse($0, limits: limits) }
  }

  /// The tree with an operator before its operands, in parentheses: `(+ 1 (* 2 3))`.
  var shape: String { shape(tree.root) }

  private func shape(_ id: SyntaxTree.ID) -> String {
    let node = tree[id]
    let (a, b, c) = (Int(node.a), Int(node.b), Int(node.c))
    func list(_ name: String, _ at: UInt32) -> String {
      "(" + ([name] + tree.list(at).map { shape(Int($0)) }).joined(separator: " ") + ")"
    }
    switch node.kind {
    case .invalid: return "?"
    case .null: return "null"
    case .bool: return a == 1 ? "true" : "false"
    case .int: return "\(Int64(bitPattern: node.bits))"
    case .uint: return "\(node.bits)u"
    case .double: return "\(Double(bitPattern: node.bits))"
    case .string: return "'\(tree.name(node.a, node.b))'"
    case .bytes: return "b'\(Array(tree.text(node.a, node.b)))'"
    case .identifier: return (c == 1 ? "." : "") + tree.name(node.a, node.b)
    case .select: return "(. \(shape(a)) \(tree.name(node.b, node.c)))"
    case .optionalSelect: return "(.? \(shape(a)) \(tree.name(node.b, node.c)))"
    case .index: return "([] \(shape(a)) \(shape(b)))"
    case .optionalIndex: return "([?] \(shape(a)) \(shape(b)))"
    case .call: return call(node)
    case .list: return list("list", node.c)
    case .map: return list("map", node.c)
    case .message: return list("message \(shape(a))", node.c)
    case .optionalElement: return "(? \(shape(a)))"
    case .not: return "(! \(shape(a)))"
    case .negate: return "(- \(shape(a)))"
    case .and: return list("&&", node.c)
    case .or: return list("||", node.c)
    case .conditional: return "(?: \(shape(a)) \(shape(b)) \(shape(c)))"
    default: return "(\(ParsedText.symbol(node.kind)) \(shape(a)) \(shape(b)))"
    }
  }

  private func call(_ node: SyntaxTree.Node) -> String {
    let parts = Array(tree.list(node.c))
    let target = parts[0] == 0 ? [] : ["on \(shape(Int(parts[0]) - 1))"]
    let arguments = parts.dropFirst().map { shape(Int($0)) }
    return "(" + ([tree.name(node.a, node.b)] + target + arguments).joined(separator: " ") + ")"
  }

  private static func symbol(_ kind: SyntaxTree.Kind) -> String {
    switch kind {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .in: "in"
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    default: "%"
    }
  }
}
