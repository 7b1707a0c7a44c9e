/// A parsed template: statements and expressions in one array, children as indexes, names and strings as ranges of the
/// source. Strings that differ from the source are stored after it.
struct TemplateTree {
  // SAFETY: The tree stores offsets and no pointers. `source` is the text that it was parsed from.
  // Offsets past the source belong to `made`, an array. Tests: RenderingTests,
  // TemplateAnalysisTests.

  typealias ID = Int

  enum Kind: UInt8 {
    // Expressions.
    case null, empty, blank
    case bool  // a: 0 or 1
    case int, double  // b, c: bits
    case string  // a: from, b: count
    case path  // a: list of segments, the root first
    case name  // a: from, b: count; a segment after a dot, or the root
    case variable  // a: value; the root of a path: the variable with this name
    case range  // a, b
    case filter  // a: input, b: list of arguments, c: number of the filter
    case keyword  // a: from, b: count, c: value; an argument with a name
    case compare  // a, b; c: LiquidRelation
    case and, or  // a, b
    case not  // a

    // Statements.
    case text  // a: from, b: count
    case output  // a: value
    case assign  // a: from, b: count, c: value
    case capture  // a: from, b: count, c: statements
    case ifs  // a: list of condition and statements, then statements; see NONE
    case cases  // a: list: value; then for each branch: count of values, values, statements
    case loop  // a: list, see TemplateTree.Loop
    case table  // a: list, see TemplateTree.Loop
    case cycle  // a: list of name, from and count of its text, then items
    case increment, decrement  // a: from, b: count
    case ifChanged  // a: statements
    case include, render  // a: list, see TemplateTree.Partial
    case leave  // a: 0 for break, 1 for continue
    case sequence  // a: list
    case verbatim  // a: path, b: from, c: count; a path, or the source if there is no value
  }

  struct Node {
    var kind: Kind
    /// The place in the source.
    var from: UInt32
    var to: UInt32
    var a: UInt32 = 0
    var b: UInt32 = 0
    var c: UInt32 = 0

    var range: SourceRange { SourceRange(from: Int(from), to: Int(to)) }
  }

  /// The place of the bytes of a name or a string.
  struct Bytes: Equatable {
    var from: UInt32
    var count: UInt32

    init(_ from: Int, _ to: Int) {
      self.from = UInt32(from)
      count = UInt32(max(to - from, 0))
    }

    init(from: UInt32, count: UInt32) {
      self.from = from
      self.count = count
    }
  }

  /// A missing child.
  static let none = UInt32.max
  /// An offset that continues where the previous loop ended.
  static let continuing = UInt32.max - 1

  /// The children of a loop, in the order of its list.
  struct Loop {
    var variable: Bytes
    var items: UInt32
    /// The source of the items, which names the loop.
    var text: Bytes
    var offset = TemplateTree.none
    var limit = TemplateTree.none
    var columns = TemplateTree.none
    var isReversed = false
    var body = TemplateTree.none
    var otherwise = TemplateTree.none
  }

  /// The children of a tag that renders another template.
  struct Partial {
    var name: UInt32
    /// The value for the template's name or for the alias.
    var value = TemplateTree.none
    var isLoop = false
    var alias: Bytes?
    var arguments: [(name: Bytes, value: UInt32)] = []
  }

  private(set) var nodes: [Node] = []
  private(set) var lists: [UInt32] = []
  /// Strings that differ from the source. The places of these strings begin after the source.
  var made: [UInt8] = []
  private(set) var sourceCount = 0
  var root: ID = 0

  /// Removes all content and reserves memory for a source of this number of bytes.
  mutating func begin(sourceCount: Int) {
    self.sourceCount = sourceCount
    nodes.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    if !made.isEmpty { made = [] }
    root = 0
    nodes.reserveCapacity(sourceCount / 8 + 12)
    lists.reserveCapacity(sourceCount / 8 + 16)
  }

  subscript(id: ID) -> Node { nodes[id] }

  mutating func add(
    _ kind: Kind, _ from: Int, _ to: Int, _ a: UInt32 = 0, _ b: UInt32 = 0, _ c: UInt32 = 0
  ) -> UInt32 {
    nodes.append(Node(kind: kind, from: UInt32(from), to: UInt32(max(to, from)), a: a, b: b, c: c))
    return UInt32(nodes.count - 1)
  }

  mutating func add(list: some Collection<UInt32>) -> UInt32 {
    lists.append(UInt32(list.count))
    lists.append(contentsOf: list)
    return UInt32(lists.count - list.count - 1)
  }

  /// Starts a list whose elements are added one by one, without other lists in between.
  mutating func beginList() -> UInt32 {
    lists.append(0)
    return UInt32(lists.count - 1)
  }

  mutating func append(_ element: UInt32, toList list: UInt32) {
    lists.append(element)
    lists[Int(list)] += 1
  }

  /// Removes a list that was started and the nodes that were added since then.
  mutating func cancelList(_ list: UInt32, nodes count: Int) {
    lists.removeLast(lists.count - Int(list))
    nodes.removeLast(nodes.count - count)
  }

  func list(_ at: UInt32) -> ArraySlice<UInt32> {
    let start = Int(at)
    return lists[start + 1..<start + 1 + Int(lists[start])]
  }

  mutating func add(_ loop: Loop, _ kind: Kind, _ from: Int, _ to: Int) -> UInt32 {
    let list = add(list: [
      loop.variable.from, loop.variable.count, loop.items, loop.text.from, loop.text.count,
      loop.offset, loop.limit, loop.columns, loop.isReversed ? 1 : 0, loop.body, loop.otherwise,
    ])
    return add(kind, from, to, list)
  }

  func loop(_ id: ID) -> Loop {
    let list = Array(list(nodes[id].a))
    return Loop(
      variable: Bytes(from: list[0], count: list[1]), items: list[2],
      text: Bytes(from: list[3], count: list[4]), offset: list[5], limit: list[6],
      columns: list[7], isReversed: list[8] == 1, body: list[9], otherwise: list[10])
  }

  mutating func add(_ partial: Partial, _ kind: Kind, _ from: Int, _ to: Int) -> UInt32 {
    var list = [
      partial.name, partial.value, partial.isLoop ? 1 : 0, partial.alias?.from ?? TemplateTree.none,
      partial.alias?.count ?? 0,
    ]
    for argument in partial.arguments {
      list += [argument.name.from, argument.name.count, argument.value]
    }
    return add(kind, from, to, add(list: list))
  }

  func partial(_ id: ID) -> Partial {
    let list = Array(list(nodes[id].a))
    var partial = Partial(name: list[0], value: list[1], isLoop: list[2] == 1)
    if list[3] != TemplateTree.none { partial.alias = Bytes(from: list[3], count: list[4]) }
    for i in stride(from: 5, to: list.count, by: 3) {
      partial.arguments.append((Bytes(from: list[i], count: list[i + 1]), list[i + 2]))
    }
    return partial
  }

  /// Stores a string that is not in the source.
  mutating func make(_ bytes: some Sequence<UInt8>) -> Bytes {
    let start = made.count
    made.append(contentsOf: bytes)
    return Bytes(sourceCount + start, sourceCount + made.count)
  }

  /// The bytes of a name or a string in the source, or nil if it is stored elsewhere.
  @inline(__always)
  func view(_ bytes: Bytes, of source: ByteView) -> ByteView? {
    let (from, count) = (Int(bytes.from), Int(bytes.count))
    return from + count <= sourceCount ? ByteView(rebasing: source[from..<from + count]) : nil
  }

  /// The bytes of a name or a string.
  func withBytes<Result>(_ bytes: Bytes, of source: ByteView, _ body: (ByteView) -> Result)
    -> Result
  {
    let (from, count) = (Int(bytes.from), Int(bytes.count))
    if from + count <= sourceCount { return body(ByteView(rebasing: source[from..<from + count])) }
    return made.withUnsafeBufferPointer {
      body(ByteView(rebasing: $0[(from - sourceCount)..<(from - sourceCount + count)]))
    }
  }

  func string(_ bytes: Bytes, of source: ByteView) -> String {
    withBytes(bytes, of: source) { String(decoding: $0, as: UTF8.self) }
  }
}
