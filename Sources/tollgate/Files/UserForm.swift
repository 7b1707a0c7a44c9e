internal import Expressions

/// The form of the records in a file of users.
enum UserForm: String, Sendable, CaseIterable {
  case ndjson, csv

  /// The form according to a file's name.
  init(path: String) {
    self = Compression.withoutEnding(path).lowercased().hasSuffix(".csv") ? .csv : .ndjson
  }

  /// The rows of a file.
  enum Content: String {
    case users, decisions
  }

  /// The maximum number of bytes to inspect.
  static let window = 1 << 16

  /// A problem with a whole file of this form that its beginning shows. Such a problem is reported once instead of for
  /// each line.
  ///
  /// - Parameters:
  ///   - isWhole: whether these bytes are the whole file.
  ///   - content: the rows of the file.
  /// - Returns: nil when more bytes are needed; an empty string when there is no problem.
  func problem(
    _ bytes: [UInt8], isWhole: Bool, path: String, holding content: Content = .users
  ) -> String? {
    let isWhole = isWhole || bytes.count >= UserForm.window
    let (noun, isUsers) = (content.rawValue, content == .users)
    let lines = UserForm.firstLines(bytes, isWhole: isWhole)
    guard let first = lines.first else { return isWhole ? "" : nil }
    guard first.isComplete || isWhole else { return nil }
    if first.text.contains(0) { return "\(path) is not text; \(noun) are NDJSON or CSV" }
    let (name, stem) = path == "-" ? ("standard input", "") : (path, " '\(path)'")
    if first.text.contains(UInt8(ascii: "\r")), UserForm.endsLinesWithCR(first.text) {
      return "the lines of \(name) end with only CR; they must end with LF: "
        + "tr '\\r' '\\n'\(path == "-" ? "" : " < '\(path)'") > \(noun).\(rawValue)"
    }
    let isJSON = first.text.first == UInt8(ascii: "{") || first.text.first == UInt8(ascii: "[")
    if first.text.first == UInt8(ascii: "<") {
      return "\(name) looks like XML or HTML; \(noun) are NDJSON or CSV"
    }
    switch self {
    case .csv:
      return isJSON ? "\(name) looks like JSON; give --users-format ndjson" : ""
    case .ndjson where !isJSON: return UserForm.tableProblem(first.text, name)
    case .ndjson: break
    }
    let fault = UserForm.fault(first.text)
    if first.text.first == UInt8(ascii: "[") {
      // A list among records is a single rejected line.
      if fault == nil, lines.count > 1 { return "" }
      if fault == nil, !isWhole { return nil }
      return "\(name) is one JSON list, and \(noun) must be one object per line: "
        + "jq -c '.[]'\(stem) > \(noun).ndjson"
    }
    if isUsers, fault == .unexpectedEnd || lines.count == 1, FileKind.isWrappedUsers(bytes) {
      return "the users are in 'users', and must be one object per line: "
        + "jq -c '.users[]'\(stem) > users.ndjson"
    }
    if fault == .unexpectedEnd || lines.count == 1, let kind = FileKind.of(bytes),
      kind != .user, kind != .tests, isUsers || kind == .config
    {
      let place = kind == .config && isUsers ? ", which comes before --users" : ""
      return "\(name) is \(kind.name)\(place); \(noun) are one object per line"
    }
    guard fault == .unexpectedEnd else { return "" }
    guard lines.count > 1 else { return isWhole ? "" : nil }
    let next = lines[1].text.first
    return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
      ? "\(name) is JSON over several lines, and \(noun) must be one object per line: "
        + "jq -c .\(stem) > \(noun).ndjson" : ""
  }

  /// Whether a line that ends with LF, or at the end of the text, consists of several lines that end with CR.
  private static func endsLinesWithCR(_ text: ArraySlice<UInt8>) -> Bool {
    let lines = text.split(separator: UInt8(ascii: "\r"))
    guard lines.count > 1 else { return false }
    // A CR is white space in JSON, and may be in a quoted cell.
    return text.first == UInt8(ascii: "{")
      ? fault(lines[0]) == nil : !lines[0].contains(UInt8(ascii: "\""))
  }

  /// The problem of a table in a place where JSON is expected.
  private static func tableProblem(_ line: ArraySlice<UInt8>, _ name: String) -> String {
    guard line.contains("userId") else { return "" }
    if line.contains(UInt8(ascii: ",")) {
      return "\(name) looks like CSV; give --users-format csv, or a name that ends in .csv"
    }
    let isTable = line.contains(UInt8(ascii: "\t")) || line.contains(UInt8(ascii: ";"))
    return isTable
      ? "\(name) looks like a table; save it as CSV with commas, in a file that ends in .csv" : ""
  }

  private static func fault(_ line: ArraySlice<UInt8>) -> JSONFault.Kind? {
    do throws(JSONFault) {
      _ = try Value.parse(json: line)
      return nil
    } catch {
      return error.kind
    }
  }

  /// The first two lines that are not blank.
  private static func firstLines(_ bytes: [UInt8], isWhole: Bool)
    -> [(text: ArraySlice<UInt8>, isComplete: Bool)]
  {
    var lines: [(text: ArraySlice<UInt8>, isComplete: Bool)] = []
    var rest = bytes[...]
    while lines.count < 2, !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let line = rest[..<(end ?? rest.endIndex)].drop { [0x20, 0x09, 0x0D].contains($0) }
      rest = end.map { rest[($0 + 1)...] } ?? []
      if !line.isEmpty { lines.append((line, end != nil || isWhole)) }
    }
    return lines
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: text) }
  }
}
