internal import Expressions
internal import RuleEngine

/// The columns of a CSV file of users, and the conversion of a row to a user record.
///
/// Names with dots are paths: `user.plan` is the member `plan` of `user`. An empty cell without
/// quotes omits its member.
struct CSVHeader: Sendable {
  // SAFETY: Rows with the wrong number of cells are rejected before they come here, so every column
  // has a cell. Tests: InputFormsTests, DemoFormsTests, PrecomputeFilesTests.

  /// A member of the record: a column, or an object with members.
  private struct Node: Sendable {
    /// The key with its quotes and colon.
    var key: [UInt8]
    var name: String
    var column: Int?
    var members: [Node] = []
    /// The index of the member by name, because a table may have thousands.
    var places: [[UInt8]: Int] = [:]
  }

  private var root = Node(key: [], name: "")
  let names: [String]
  var columns: Int { names.count }
  /// Columns whose cells are always strings, whatever they look like.
  private let textColumns: Set<Int>

  /// - Parameters:
  ///   - cells: the names, in order.
  ///   - isText: whether a column always contains strings, whatever they look like; nil for a table of users, in which
  ///     only the column `userId` always does.
  ///   - flat: names that are paths without dots.
  init(
    _ names: [String], path: String, isText: ((String) -> Bool)? = nil, flat: FlatNames? = nil
  ) throws {
    self.names = names
    let cells = try flat.map { flat in try names.map { try flat.path(of: $0, in: path) } } ?? names
    func fail(_ text: String) -> CommandError { CommandError("\(path): the header \(text)") }
    textColumns = Set(cells.indices.filter { isText?(cells[$0]) ?? (cells[$0] == "userId") })
    if textColumns.isEmpty, cells.count == 1,
      let sign = cells[0].first(where: { "\t;|".contains($0) })
    {
      throw CommandError(
        "\(path): cells are separated by \(sign == "\t" ? "tabs" : "'\(sign)'"), and must be by "
          + "','; save the table as CSV with commas")
    }
    if isText == nil, textColumns.isEmpty {
      let meant = cells.first(where: UserMember.meansID)
      throw fail(
        "has no column userId; "
          + (meant.map { "rename '\($0)' to userId" }
            ?? "it has " + cells.prefix(8).joined(separator: ", ")))
    }
    for (number, name) in cells.enumerated() {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard !parts.contains("") else {
        throw fail("has an invalid path in column \(number + 1): '\(name)'")
      }
      guard CSVHeader.insert(parts[...], number, into: &root) else {
        throw fail(CSVHeader.collision(name, number, cells))
      }
    }
  }

  /// The error for a name that conflicts with an earlier name.
  private static func collision(_ name: String, _ number: Int, _ cells: [String]) -> String {
    let place = "'\(name)' in column \(number + 1)"
    if let other = cells[..<number].firstIndex(of: name) {
      return "has \(place), and in column \(other + 1) already; rename or drop one of them"
    }
    let other = cells[..<number].firstIndex {
      $0.hasPrefix(name + ".") || name.hasPrefix($0 + ".")
    }
    let (short, long) =
      other.map { cells[$0].utf8.count < name.utf8.count } == true
      ? (cells[other ?? 0], name) : (name, cells[other ?? 0])
    return
      "has \(place) beside '\(cells[other ?? 0])' in column \((other ?? 0) + 1): '\(short)' is "
      + "either a value or has members such as '\(long)'; drop one of them"
  }

  private static func insert(
    _ path: ArraySlice<String>, _ column: Int, into parent: inout Node
  ) -> Bool {
    guard let name = path.first else { return false }
    let rest = path.dropFirst()
    if let known = parent.places[Array(name.utf8)] {
      guard !rest.isEmpty, parent.members[known].column == nil else { return false }
      return insert(rest, column, into: &parent.members[known])
    }
    var key: [UInt8] = []
    JSONWriter.append(.string(name), to: &key)
    key.append(UInt8(ascii: ":"))
    var node = Node(key: key, name: name, column: rest.isEmpty ? column : nil)
    let isNew = rest.isEmpty || insert(rest, column, into: &node)
    parent.places[Array(name.utf8)] = parent.members.count
    parent.members.append(node)
    return isNew
  }

  /// Appends the record of a row, without a newline.
  ///
  /// - Parameter texts: counts the cells that could be read in another way.
  func append(
    _ row: [CSVCell], _ text: UnsafeRawBufferPointer, to json: inout [UInt8],
    _ texts: inout CSVTexts
  ) {
    append(root.members, row, text, to: &json, &texts)
  }

  private func append(
    _ nodes: [Node], _ row: [CSVCell], _ text: UnsafeRawBufferPointer, to json: inout [UInt8],
    _ texts: inout CSVTexts
  ) {
    json.append(UInt8(ascii: "{"))
    var isFirst = true
    for node in nodes {
      if let column = node.column, row[column].isEmpty { continue }
      if !isFirst { json.append(UInt8(ascii: ",")) }
      isFirst = false
      json += node.key
      if let column = node.column {
        switch row[column].append(text, isText: textColumns.contains(column), to: &json) {
        case nil: break
        case .quoted: texts.addQuoted(column: column, of: columns)
        case let kind?: texts.add(kind, column: names[column])
        }
      } else {
        append(node.members, row, text, to: &json, &texts)
      }
    }
    json.append(UInt8(ascii: "}"))
  }
}

/// A cell of a row: a range of the file's text.
struct CSVCell {
  // SAFETY: A cell is a range of the text that `CSVRows` found, and is only used with that text.
  // Its content is copied. Tests: InputFormsTests, DemoFormsTests, PrecomputeFilesTests.

  var from: Int
  var to: Int
  var isQuoted: Bool
  /// Whether quotes inside the cell are doubled.
  var hasQuotes: Bool

  var isEmpty: Bool { from == to && !isQuoted }

  /// Appends the cell as JSON: numbers, bools and null if they are not quoted, valid JSON lists and
  /// objects, and a string otherwise.
  ///
  /// - Returns: the likely intention of a string; nil for most strings.
  func append(_ text: UnsafeRawBufferPointer, isText: Bool, to json: inout [UInt8])
    -> CSVTexts.Kind?
  {
    let content = content(text)
    var kind: CSVTexts.Kind?
    if !isText {
      if !isQuoted, let word = CSVCell.literal(content) {
        json += word
        return nil
      }
      if content.first == UInt8(ascii: "[") || content.first == UInt8(ascii: "{"),
        !content.contains(0x0A)
      {
        if (try? Value.parse(json: content)) != nil {
          json += content
          return nil
        }
        kind = .json
      } else if !isQuoted {
        kind = CSVTexts.Kind(content)
      } else if content.first.map({ $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }) == true {
        kind = CSVCell.isNumber(content) ? .quoted : nil
      }
    }
    content.withUnsafeBufferPointer { JSONWriter.append(quoted: $0, to: &json) }
    return kind
  }

  /// The cell's text.
  func content(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    let raw = Array(text[from..<to])
    guard hasQuotes else { return raw }
    var content: [UInt8] = []
    var wasQuote = false
    for byte in raw {
      wasQuote = byte == UInt8(ascii: "\"") && !wasQuote
      if !wasQuote || byte != UInt8(ascii: "\"") { content.append(byte) }
    }
    return content
  }

  /// A cell that is not a string: a JSON number, or a word for true, false or null.
  private static func literal(_ content: [UInt8]) -> [UInt8]? {
    guard let first = content.first else { return nil }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      return isNumber(content) ? content : nil
    case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"),
      UInt8(ascii: "n"):
      let word = String(decoding: content, as: UTF8.self)
      switch word {
      case "true", "True", "TRUE": return Array("true".utf8)
      case "false", "False", "FALSE": return Array("false".utf8)
      case "null": return content
      default: return nil
      }
    default: return nil
    }
  }

  /// JSON's grammar of numbers: no leading zeros, digits on both sides of a point.
  private static func isNumber(_ text: [UInt8]) -> Bool {
    var at = text.first == UInt8(ascii: "-") ? 1 : 0
    func digits() -> Int {
      let start = at
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
      return at - start
    }
    let start = at
    let whole = digits()
    guard whole > 0, whole == 1 || text[start] != 0x30 else { return false }
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      guard digits() > 0 else { return false }
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
      guard digits() > 0 else { return false }
    }
    return at == text.count
  }
}
