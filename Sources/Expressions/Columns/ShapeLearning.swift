/// Learns the shape of a record that the general reader has accepted.
extension RecordShapes {
  /// Stores the shape of a record. Records that repeat a key, or that write keys with escapes, have no
  /// shape.
  package mutating func learn(_ record: ByteView) {
    // SAFETY: Literals are copied into steps, and no view of the record is stored.
    // Tests: RecordShapesTests.
    guard let base = record.baseAddress, stepCount < RecordShapes.mostSteps,
      lessons < RecordShapes.mostLessons
    else { return }
    lessons += 1
    var lesson = Lesson(
      cursor: JSONCursor(base, from: 0, to: record.count), cells: running.defaults,
      nesting: dataNesting)
    do throws(JSONFault) {
      try object(AttributeTrie.root, depth: 0, &lesson)
      try lesson.cursor.expectEnd()
    } catch {
      return
    }
    guard lesson.isLearnable else { return }
    lesson.values.append(
      Lesson.Value(
        from: lesson.objectEnd, to: lesson.objectEnd, action: .end, number: endings.count,
        nesting: 0))
    addEnding(
      filled: lesson.isFilled, cells: lesson.cells, captures: lesson.captured,
      unknownKeys: lesson.unknownKeys)
    if remember(lesson.values, record) != endings.count - 1 { dropEnding() }
  }

  /// The facts about one record.
  private struct Lesson {
    struct Value {
      var from: Int
      var to: Int
      var action: Step.Action
      var number: Int
      var nesting: Int
    }

    var cursor: JSONCursor
    /// The cells of the slots that get no value.
    var cells: [Cell]
    let nesting: Int
    var values: [Value] = []
    var isFilled: Set<Int> = []
    var visited: Set<Int> = []
    var captured: Set<Int> = []
    /// The objects directly in the record, including those that are not read.
    var objects: Set<String> = []
    var unknownKeys: [String] = []
    var isLearnable = true
    /// Where the record's object ends.
    var objectEnd = 0

    /// The number of levels that a value at a depth may have below it, as the general reader counts them.
    func nesting(at depth: Int) -> Int { nesting - max(depth - 1, 0) }
  }

  private mutating func object(_ node: Int, depth: Int, _ lesson: inout Lesson)
    throws(JSONFault)
  {
    guard lesson.nesting(at: depth) > 0 else { throw lesson.cursor.fault(.tooDeep) }
    try lesson.cursor.expect(UInt8(ascii: "{"))
    if !lesson.cursor.take(UInt8(ascii: "}")) {
      while true {
        guard lesson.cursor.peek() == UInt8(ascii: "\"") else { throw lesson.cursor.unexpected() }
        let key = try lesson.cursor.string()
        if key.hasEscapes { lesson.isLearnable = false }
        try lesson.cursor.expect(UInt8(ascii: ":"))
        _ = lesson.cursor.peek()
        try member(key.bytes, of: node, depth: depth, &lesson)
        if lesson.cursor.take(UInt8(ascii: ",")) { continue }
        try lesson.cursor.expect(UInt8(ascii: "}"))
        break
      }
    }
    if depth == 0 { lesson.objectEnd = lesson.cursor.at }
  }

  private mutating func member(
    _ key: ByteView, of node: Int, depth: Int, _ lesson: inout Lesson
  ) throws(JSONFault) {
    let child = tree.child(of: node, named: key)
    if let child, !lesson.visited.insert(child).inserted { lesson.isLearnable = false }
    if depth == 0 { return try root(key, child, &lesson) }
    guard let child else { return try value(.skip, 0, depth: depth + 1, &lesson) }
    try attribute(child, depth: depth + 1, &lesson)
  }

  /// Learns a member of the record itself.
  private mutating func root(
    _ key: ByteView, _ child: Int?, _ lesson: inout Lesson
  ) throws(JSONFault) {
    let name = String(decoding: key, as: UTF8.self)
    let capture = captures.firstIndex { $0.utf8.elementsEqual(name.utf8) }
    if objects.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      // The general reader reports a repeated object.
      if !lesson.objects.insert(name).inserted { lesson.isLearnable = false }
      // The general reader has accepted the record, so it is an object or null.
      if lesson.cursor.isAtNull { return try value(.null, 0, depth: 1, &lesson) }
      guard let child else { return try value(.object, 0, depth: 1, &lesson) }
      return try attribute(child, mustBeObject: true, depth: 1, &lesson)
    }
    guard let capture else {
      if let child { return try attribute(child, depth: 1, &lesson) }
      if lesson.unknownKeys.count < RecordShapes.mostUnknownKeys,
        !lesson.unknownKeys.contains(where: { $0.utf8.elementsEqual(name.utf8) })
      {
        lesson.unknownKeys.append(name)
      }
      return try value(.skip, 0, depth: 1, &lesson)
    }
    // A value that is wanted twice is left to the general reader.
    if child != nil || !lesson.captured.insert(capture).inserted { lesson.isLearnable = false }
    try value(.capture, capture, depth: 1, &lesson)
  }

  /// Learns the value of a name if the program reads the name, or a name below it.
  private mutating func attribute(
    _ id: Int, mustBeObject: Bool = false, depth: Int, _ lesson: inout Lesson
  ) throws(JSONFault) {
    let node = tree.nodes[id]
    let slot = Int(node.slot)
    guard node.childCount > 0 else {
      lesson.isFilled.insert(slot)
      if mustBeObject, node.isPresenceOnly { lesson.isLearnable = false }
      let action: Step.Action =
        node.isPresenceOnly ? .presence : mustBeObject ? .objectSlot : .slot
      return try value(action, slot, depth: depth, &lesson)
    }
    // A map that is read whole and in parts is left to the general reader.
    if slot >= 0 { lesson.isLearnable = false }
    if lesson.cursor.peek() == UInt8(ascii: "{") {
      mark(node, .missing, below: .unreachable, &lesson)
      try object(id, depth: depth, &lesson)
    } else {
      mark(
        node, binding.isLenient ? .behindValue : .notAMap,
        below: binding.isLenient ? .unreachable : .notAMap, &lesson)
      try value(.skipUnlessObject, 0, depth: depth, &lesson)
    }
  }

  private func mark(
    _ node: AttributeTrie.Node, _ direct: Cell, below: Cell, _ lesson: inout Lesson
  ) {
    for i in 0..<Int(node.childCount) {
      let child = tree.nodes[Int(tree.children[Int(node.firstChild) + i])]
      if child.slot >= 0 { lesson.cells[Int(child.slot)] = direct }
      if child.childCount > 0 { mark(child, below, below: below, &lesson) }
    }
  }

  private mutating func value(
    _ action: Step.Action, _ number: Int, depth: Int, _ lesson: inout Lesson
  ) throws(JSONFault) {
    let from = lesson.cursor.at
    let nesting = lesson.nesting(at: depth)
    try lesson.cursor.skipValue(nesting: nesting)
    lesson.values.append(
      Lesson.Value(
        from: from, to: lesson.cursor.at, action: action, number: number, nesting: nesting))
  }

  // MARK: The tree

  /// - Returns: the number of the ending that the steps lead to, or nil when there are too many.
  private mutating func remember(_ values: [Lesson.Value], _ record: ByteView) -> Int? {
    var at = 0
    /// The step that precedes the next step.
    var previous: UnsafeMutablePointer<Step>?
    for value in values {
      guard let next = step(record[at..<value.from], value, after: previous) else { return nil }
      previous = next
      at = value.to
    }
    return previous.map { Int($0.pointee.number) }
  }

  /// Finds or creates the step with these bytes that follows another step.
  private mutating func step(
    _ literal: Slice<ByteView>, _ value: Lesson.Value, after previous: UnsafeMutablePointer<Step>?
  ) -> UnsafeMutablePointer<Step>? {
    // SAFETY: Each literal has `length` bytes, and every step lives as long as the shapes.
    // Tests: RecordShapesTests.
    let head = previous == nil ? first : previous?.pointee.next
    var candidate = head
    while let known = candidate {
      let bytes = ByteView(start: known.pointee.literal, count: Int(known.pointee.length))
      if known.pointee.action == value.action, bytes.elementsEqual(literal) { return known }
      candidate = known.pointee.other
    }
    guard
      let made = add(value.action, number: value.number, nesting: value.nesting, literal)
    else { return nil }
    made.pointee.other = head
    if let previous { previous.pointee.next = made } else { first = made }
    return made
  }
}
