/// An expression as written: nodes in one flat array, children by index.
///
/// In the tree, macros are calls, and `&&` and `||` are chains of any length. Names and string contents are ranges
/// of ``text``, which begins with the source itself, so that names and strings without escapes are not copied.
package struct SyntaxTree {
  package typealias ID = Int

  package enum Kind: UInt8 {
    /// Replaces code for which the parser reported an error.
    case invalid
    case null
    case bool  // a: 0 or 1
    case int, uint, double  // a, b: the low and high half of the 64 bits
    case string, bytes  // a, b: offset and count in text
    case identifier  // a, b: name; c: 1 with a leading dot
    case select  // a: operand; b, c: name
    case optionalSelect
    case index  // a: operand; b: index
    case optionalIndex
    case call  // a, b: name; c: list of target + 1 (or 0) and arguments
    case list  // c: list of elements
    case map  // c: list of keys and values
    case message  // a: the name's node; c: list of field name nodes and values
    case optionalElement  // a: the element, key or field marked with '?'
    case not, negate  // a: operand, c: 1 for superscript's '!!' and '--'
    case and, or  // c: list of operands
    case conditional  // a, b, c
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, `in`  // a, b
    case add, subtract, multiply, divide, modulo  // a, b
    /// A test of an explanation, which the parser does not create.
    case clause  // a: the test; b: its number
  }

  package struct Node {
    package var kind: Kind
    /// The height of the tree below, which bounds every recursion over it.
    package var height: UInt16
    package var a: UInt32
    package var b: UInt32
    package var c: UInt32
    package var from: UInt32
    package var to: UInt32

    package var range: SourceRange { SourceRange(from: Int(from), to: Int(to)) }
    package var bits: UInt64 { UInt64(a) | UInt64(b) << 32 }
  }

  package internal(set) var nodes: [Node] = []
  /// Lists of node IDs, each preceded by its count.
  package internal(set) var lists: [UInt32] = []
  package internal(set) var text: [UInt8]
  package internal(set) var root: ID = 0

  /// An empty tree.
  init() { text = [] }

  init(source: ByteView) {
    // SAFETY: The tree copies the text and stores no view. Tests: ParserTests.
    text = Array(source)
    nodes.reserveCapacity(source.count / 4 + 8)
  }

  package subscript(id: ID) -> Node { nodes[id] }

  /// The operands of a node, in source order.
  package func operands(of node: Node) -> [ID] {
    switch node.kind {
    case .invalid, .null, .bool, .int, .uint, .double, .string, .bytes, .identifier: return []
    case .not, .negate, .select, .optionalSelect, .optionalElement, .clause: return [Int(node.a)]
    case .index, .optionalIndex, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      .in, .add, .subtract, .multiply, .divide, .modulo:
      return [Int(node.a), Int(node.b)]
    case .conditional: return [Int(node.a), Int(node.b), Int(node.c)]
    case .and, .or, .list, .map: return list(node.c).map(Int.init)
    case .message: return [Int(node.a)] + list(node.c).map(Int.init)
    case .call:
      let (target, arguments) = (list(node.c).prefix(1), list(node.c).dropFirst())
      return target.filter { $0 > 0 }.map { Int($0) - 1 } + arguments.map(Int.init)
    }
  }

  /// The node IDs of a list.
  package func list(_ at: UInt32) -> ArraySlice<UInt32> {
    let start = Int(at)
    return lists[start + 1..<start + 1 + Int(lists[start])]
  }

  package func text(_ offset: UInt32, _ count: UInt32) -> ArraySlice<UInt8> {
    text[Int(offset)..<Int(offset + count)]
  }

  /// Passes the whole text, which contains names and strings as ranges, to the body.
  func withText<Result>(_ body: (ByteView) -> Result) -> Result {
    // SAFETY: The view lives as long as the closure runs. Tests: ParserTests.
    text.withUnsafeBufferPointer { body($0) }
  }

  func withText<Result>(_ offset: UInt32, _ count: UInt32, _ body: (ByteView) -> Result) -> Result {
    // SAFETY: The view lives as long as the closure runs. Ranges come from the parser and are
    // slices of the array, which are checked. Tests: ParserTests, fuzz parser.
    text.withUnsafeBufferPointer {
      body(ByteView(rebasing: $0[Int(offset)..<Int(offset + count)]))
    }
  }

  package func name(_ offset: UInt32, _ count: UInt32) -> String {
    String(decoding: text(offset, count), as: UTF8.self)
  }
}

extension SyntaxTree.Kind {
  /// Whether the node alone is a value.
  package var isLiteral: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double, .string, .bytes: true
    default: false
    }
  }
}
