/// The attribute paths of a program as a tree of names, for filling a frame from JSON in one pass.
///
/// The tree is built once and read for every attribute of every user, so it is stored in plain memory. A frame reads
/// the tree through a ``View``, which needs no reference counting.
final class AttributeTrie: @unchecked Sendable {
  // SAFETY: The memory is never written to after `init`, and `deinit` frees it.
  // Tests: FrameFillTests, tsan.

  struct Node {
    /// The slot of the attribute that ends here, or -1.
    var slot: Int32 = -1
    var isPresenceOnly = false
    /// The nodes directly below, as a range of the view's children.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// Whether the nodes directly below have consecutive slots, and no nodes below them.
    var isRun = false
    /// The open-addressing table of the names below: its first place in the view's edges, and its size minus
    /// one.
    var table: Int32 = 0
    var mask: Int32 = 0
  }

  /// A name below a node. An empty place of a table leads to node -1.
  struct Edge {
    var prefix: UInt64 = 0
    var length: Int32 = 0
    var name: Int32 = 0
    var node: Int32 = -1
  }

  /// The memory of the tree, valid while the tree exists.
  struct View {
    // SAFETY: Frames and shapes hold a reference to the trie as long as they use its view.
    // Tests: FrameFillTests, asan.

    let nodes: UnsafePointer<Node>
    let children: UnsafePointer<Int32>
    let edges: UnsafePointer<Edge>
    let names: UnsafePointer<UInt8>
  }

  let view: View

  static let root = 0

  init(_ slots: SlotTable) {
    let tree = AttributeTree(slots)
    func copy<T>(_ array: [T]) -> UnsafePointer<T> {
      let memory = UnsafeMutablePointer<T>.allocate(capacity: max(array.count, 1))
      for (i, element) in array.enumerated() { (memory + i).initialize(to: element) }
      return UnsafePointer(memory)
    }
    view = View(
      nodes: copy(tree.nodes), children: copy(tree.children), edges: copy(tree.edges),
      names: copy(tree.names))
  }

  deinit {
    view.nodes.deallocate()
    view.children.deallocate()
    view.edges.deallocate()
    view.names.deallocate()
  }
}

// SAFETY: Nodes, children and tables refer to each other by places that `AttributeTree` recorded.
// Tables are never full, so every search ends at an empty place. Tests: FrameFillTests, asan.
extension AttributeTrie.View {
  /// The node below `node` with this name, or nil.
  @inline(__always)
  func child(of node: Int, named name: ByteView) -> Int? {
    child(of: node, named: name, prefix: AttributeTrie.prefix(name))
  }

  /// - Parameter prefix: the first eight bytes of the name, zero-padded.
  @inline(__always)
  func child(of node: Int, named name: ByteView, prefix: UInt64) -> Int? {
    let parent = nodes[node]
    guard parent.childCount > 0 else { return nil }
    let mask = Int(parent.mask)
    let table = edges + Int(parent.table)
    var i = AttributeTrie.hash(prefix, name.count) & mask
    while true {
      let edge = table[i]
      guard edge.node >= 0 else { return nil }
      if edge.prefix == prefix, Int(edge.length) == name.count,
        name.count <= 8 || isSame(name, edge)
      {
        return Int(edge.node)
      }
      i = (i + 1) & mask
    }
  }

  /// Whether names of more than eight bytes are equal after the first eight.
  @inline(__always)
  private func isSame(_ name: ByteView, _ edge: AttributeTrie.Edge) -> Bool {
    // SAFETY: Both names have the same length, which is above eight bytes. Tests: FrameFillTests,
    // asan.
    guard let bytes = UnsafeRawPointer(name.baseAddress) else { return false }
    let known = UnsafeRawPointer(names) + Int(edge.name)
    // The last eight bytes, and the bytes between them and the first eight.
    let last = name.count &- 8
    if bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
      != known.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    {
      return false
    }
    var i = 8
    while i < last {
      if bytes.load(fromByteOffset: i, as: UInt8.self)
        != known.load(fromByteOffset: i, as: UInt8.self)
      {
        return false
      }
      i &+= 1
    }
    return true
  }
}

extension AttributeTrie {
  /// The first eight bytes of a name that a cursor has passed, zero-padded. After short names the text
  /// continues, so that eight bytes can be read together.
  @inline(__always)
  static func prefix(_ name: ByteView, before cursor: JSONCursor) -> UInt64 {
    // SAFETY: Eight bytes are read only where the cursor's text has eight. Tests: FrameFillTests,
    // asan.
    guard let base = UnsafeRawPointer(name.baseAddress), name.count < 8,
      base + 8 <= UnsafeRawPointer(cursor.base + cursor.end)
    else { return prefix(name) }
    let mask = (1 as UInt64) << UInt64(8 &* name.count) &- 1
    return base.loadUnaligned(as: UInt64.self) & mask
  }

  /// The first eight bytes, zero-padded.
  @inline(__always)
  static func prefix(_ name: ByteView) -> UInt64 {
    // SAFETY: Eight bytes are read only from names that have eight. Tests: FrameFillTests, asan.
    guard let base = name.baseAddress else { return 0 }
    if name.count >= 8 { return UnsafeRawPointer(base).loadUnaligned(as: UInt64.self) }
    var prefix: UInt64 = 0
    var i = 0
    while i < name.count {
      prefix |= UInt64(base[i]) << UInt64(8 &* i)
      i &+= 1
    }
    return prefix
  }

  @inline(__always)
  fileprivate static func hash(_ prefix: UInt64, _ length: Int) -> Int {
    Int(truncatingIfNeeded: ((prefix ^ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15) >> 40)
  }
}

/// The tree while it is being built.
private struct AttributeTree {
  var nodes = [AttributeTrie.Node()]
  var children: [Int32] = []
  var edges: [AttributeTrie.Edge] = []
  var names: [UInt8] = []

  init(_ slots: SlotTable) {
    var below: [[(name: String, node: Int)]] = [[]]
    // Names are compared by bytes, because string comparison normalises.
    var known: [[[UInt8]: Int]] = [[:]]
    for number in 0..<slots.count {
      // Answers come from the host, whatever names a context contains.
      guard let names = slots.attribute(number)?.names else { continue }
      var node = AttributeTrie.root
      for name in names {
        if let child = known[node][Array(name.utf8)] {
          node = child
        } else {
          nodes.append(AttributeTrie.Node())
          below.append([])
          known.append([:])
          known[node][Array(name.utf8)] = nodes.count - 1
          below[node].append((name, nodes.count - 1))
          node = nodes.count - 1
        }
      }
      nodes[node].slot = Int32(number)
      nodes[node].isPresenceOnly = slots.slots[number].isPresenceOnly
    }
    for (node, entries) in below.enumerated() where !entries.isEmpty {
      index(node, entries)
      let first = nodes[entries[0].node].slot
      nodes[node].isRun =
        first >= 0
        && entries.enumerated().allSatisfy { place, entry in
          nodes[entry.node].slot == first + Int32(place) && below[entry.node].isEmpty
        }
    }
  }

  private mutating func index(_ node: Int, _ entries: [(name: String, node: Int)]) {
    var size = 4
    while size < entries.count * 3 { size *= 2 }
    nodes[node].firstChild = Int32(children.count)
    nodes[node].childCount = Int32(entries.count)
    nodes[node].table = Int32(edges.count)
    nodes[node].mask = Int32(size - 1)
    let start = edges.count
    edges += Array(repeating: AttributeTrie.Edge(), count: size)
    for entry in entries {
      children.append(Int32(entry.node))
      let bytes = Array(entry.name.utf8)
      let prefix = bytes.withUnsafeBufferPointer { AttributeTrie.prefix($0) }
      var i = AttributeTrie.hash(prefix, bytes.count) & (size - 1)
      while edges[start + i].node >= 0 { i = (i + 1) & (size - 1) }
      edges[start + i] = AttributeTrie.Edge(
        prefix: prefix, length: Int32(bytes.count), name: Int32(names.count),
        node: Int32(entry.node))
      names += bytes
    }
  }
}
