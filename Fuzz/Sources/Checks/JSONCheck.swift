@testable import Expressions

/// Any bytes: JSON or a fault with a place. JSON is written as JSON of the same value. Filling the attributes of a frame has
/// the same result as looking them up in the value.
public enum JSONCheck {
  private static let nesting = 32

  private static let program: Program = {
    var builder = ProgramBuilder(ExpressionEnvironment(limits: Limits(dataNesting: nesting)))
    for source in [
      "user.a == 1", "has(user.b)", "user.a.b == 1 || user.c.d.e == 2", "has(user.c.d)",
      "device.country == 'DE'", "params.x", "user", "user.`a b`", "user.id == device.id",
    ] { builder.add(source) }
    return builder.build()
  }()

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    check(bytes)
    let records = bytes.split(separator: 0x0A, maxSplits: 1).map { Array($0) }
    if let first = records.first, let last = records.last { checkShapes(first, last) }
  }

  private static func check(_ bytes: UnsafeBufferPointer<UInt8>) {
    var frame = Frame(for: program)
    let value: Value?
    do throws(JSONFault) {
      value = try Value.parse(json: bytes, nesting: nesting)
    } catch {
      require(error.offset >= 0 && error.offset <= bytes.count, "a fault lies outside the text")
      require(!error.message.isEmpty, "a fault without a message")
      value = nil
    }
    let isFilled: Bool
    do throws(JSONFault) {
      try frame.fill(json: bytes)
      isFilled = true
    } catch {
      require(error.offset >= 0 && error.offset <= bytes.count, "a fault lies outside the text")
      isFilled = false
    }
    guard let value else {
      require(!isFilled, "a frame takes what is no JSON")
      return
    }
    checkWriting(value)
    guard case .map = value else {
      require(!isFilled, "a frame takes JSON that is no object")
      return
    }
    require(isFilled, "a frame refuses an object")
    for (slot, path) in program.requirements.enumerated() { check(slot, path, value, frame) }
  }

  private static func checkWriting(_ value: Value) {
    let json = value.json
    guard let copy = try? Value.parse(json: json.utf8, nesting: nesting) else {
      fatalError("broken promise: what is written cannot be read: \(json)")
    }
    require(
      Outcome.value(copy).isSame(as: .value(value)), "written and read it differs: \(json)")
    require(copy.json == json, "written again it differs: \(json)")
  }

  private static func check(
    _ slot: Int, _ path: AttributePath, _ value: Value, _ frame: borrowing Frame
  ) {
    var wanted: Value? = value
    for name in path.names { wanted = wanted?[name] }
    let cell = frame.slots[slot]
    let isRoot = path.names.count == 1
    guard let wanted else {
      require(!cell.isValue || isRoot, "\(path) is not there and has a value")
      return
    }
    require(cell.isValue, "\(path) is there and has no value")
    // If only `has()` reads an attribute, its value is unknown.
    if cell == .true { return }
    require(
      Outcome.value(Value(cell)).isSame(as: .value(distinct(wanted))), "\(path) differs")
  }

  /// Filling a row with the shape of another record, or of the same one, has the same result as the general reader.
  private static func checkShapes(_ first: [UInt8], _ second: [UInt8]) {
    var shapes = RecordShapes(for: program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: program)
    var frame = Frame(for: program)
    let captured = UnsafeMutablePointer<RecordShapes.Captured>.allocate(capacity: 1)
    defer { captured.deallocate() }
    for record in [first, second, second, first] {
      // A record is one line.
      if record.contains(UInt8(ascii: "\n")) { continue }
      let isJSON = (try? frame.fill(json: record)) != nil
      // The bytes after it may be read too. If there are too few, shapes are not used.
      let next = String(repeating: "{\"userId\":1}", count: 12).utf8.prefix(record.count * 7 % 130)
      let followed = record + Array("\n".utf8) + Array(next)
      let isAlone = record.count % 2 == 0
      followed.withUnsafeBufferPointer { buffer in
        columns.reset()
        let text = isAlone ? ByteView(rebasing: buffer[..<record.count]) : buffer
        let end = shapes.fill(
          text, slack: buffer.count - text.count, row: 5, of: &columns, captured: captured)?.length
        if end == nil, isJSON { shapes.learn(ByteView(rebasing: buffer[..<record.count])) }
        guard let end else { return }
        require(end == record.count, "a record of \(record.count) bytes ends at \(end)")
        require(isJSON, "a shape takes what is no JSON")
        for slot in 0..<columns.slotCount {
          let (quick, general) = (columns.cell(slot, row: 5), frame.slots[slot])
          let isSame =
            quick.isValue || general.isValue
            ? quick.isValue == general.isValue
              && Outcome.value(Value(quick)).isSame(as: .value(Value(general)))
            : quick.tag == general.tag
          require(isSame, "by its shape \(program.requirements[slot]) differs")
        }
      }
    }
  }

  /// The value with only the last value of repeated keys, at the first place.
  private static func distinct(_ value: Value) -> Value {
    switch value {
    case .list(let elements): return .list(elements.map(distinct))
    case .map(let entries):
      var kept: [Value.Entry] = []
      for entry in entries {
        let entry = Value.Entry(key: entry.key, value: distinct(entry.value))
        let same = kept.firstIndex { Outcome.value($0.key).isSame(as: .value(entry.key)) }
        if let same { kept[same] = entry } else { kept.append(entry) }
      }
      return .map(kept)
    default: return value
    }
  }
}
