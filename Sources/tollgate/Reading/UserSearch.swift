internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Looks for one user in files of users, in any form that runs over users accept. Records are read one at a time, so
/// memory does not grow with the number of records.
struct UserSearch {
  // SAFETY: Lines are slices of a chunk between two line feeds. All stored data is copied. Tests:
  // UserSearchTests.

  /// The maximum number of similar IDs to report when the user is missing.
  private static let mostClose = 3

  private let id: String
  /// The hash that reports show instead of the ID, if a hash was passed.
  private let hash: String?
  private var found: GivenUser?
  private var users = 0
  private var unusable = 0
  /// The problem of the first invalid line with the ID.
  private var refusal: String?
  /// Similar IDs, in the order of their distance.
  private var close: [(id: String, distance: Int)] = []

  private init(_ id: String) {
    self.id = id
    hash = ShownUser.isHash(id) ? id : nil
  }

  /// The first record with an ID. Later records are not read from files or pipes, so the writers of pipes lose their
  /// reader. Duplicate users are reported by runs over all users.
  static func user(
    _ id: String, in patterns: [String], format: UserForm?, flat: FlatNames? = nil, isQuiet: Bool
  ) throws -> GivenUser {
    if id.isEmpty { throw CommandError("--id is empty: give a user's ID") }
    let paths = try UserInput.paths(patterns, form: format)
    var search = UserSearch(id)
    try search.read(paths, format, flat, isQuiet: isQuiet)
    guard let found = search.found else { throw search.nobody(paths) }
    return found
  }

  private mutating func read(
    _ paths: [String], _ format: UserForm?, _ flat: FlatNames?, isQuiet: Bool
  ) throws {
    var progress = ReadingProgress("read", paths, isQuiet: isQuiet)
    defer { progress.interrupt() }
    var input = try UserInput(paths, form: format, flat: flat, lineLimit: UserInput.lineLimit)
    let reader = SegmentReader(lineLimit: UserInput.lineLimit)
    var (file, before) = (0, 0)
    while found == nil, let part = try input.next() {
      if part.file != file { (file, before) = (part.file, 0) }
      let name = paths[file] == "-" ? "standard input" : paths[file]
      before += part.linesBefore
      switch part.content {
      case .segment(let segment, let from, let to):
        before += try reader.withLines(of: segment, from: from, to: to) { lines in
          look(in: lines) { GivenUser(bytes: $0, name: name, line: before + $1 + 1) }
        }
      case .lines(let lines):
        before += lines.withUnsafeBufferPointer { lines in
          look(in: lines) { GivenUser(bytes: $0, name: name, line: before + $1 + 1) }
        }
      case .rows(let text, let from, let header):
        before += text.withUnsafeBytes { bytes in
          let text = UnsafeRawBufferPointer(rebasing: bytes[from...])
          let rows = CSVRecords(text, header, lineLimit: UserInput.lineLimit)
          unusable += rows.faultCount
          if rows.faultCount > 0, refusal == nil, let fault = rows.fault(with: id, in: text) {
            refusal = "\(name):\(before + fault.line + 1): \(fault.reason)"
          }
          rows.json.withUnsafeBufferPointer { lines in
            _ = look(in: lines) {
              GivenUser(
                bytes: $0, name: name, line: before + rows.line(ofRow: $1) + 1, hasPlaces: false)
            }
          }
          return rows.lines
        }
      }
      progress.update(users, part)
    }
  }

  /// Searches lines of JSON until the user is found.
  ///
  /// - Parameter given: returns the user for a record and the number of its line, from 0.
  /// - Returns: the number of lines.
  private mutating func look(in lines: ByteView, _ given: ([UInt8], Int) -> GivenUser) -> Int {
    var (at, number) = (0, 0)
    while at < lines.count, found == nil {
      let end = LineScan.newline(in: lines, from: at)
      defer {
        at = end + 1
        number += 1
      }
      let line = ByteView(rebasing: lines[at..<end])
      guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
      guard line.count <= UserInput.lineLimit, let subject = try? UserRecordReader.subject(of: line)
      else {
        unusable += 1
        refuse(line) { given($0, number) }
        continue
      }
      users += 1
      if subject.utf8.elementsEqual(id.utf8)
        || hash.map({ $0 == ShownUser.hash(of: subject) }) == true
      {
        found = given(Array(line), number)
      } else {
        compare(subject)
      }
    }
    return number
  }

  /// Stores why a line is invalid, if the text of the line shows that it is about the user.
  private mutating func refuse(_ line: ByteView, _ given: ([UInt8]) -> GivenUser) {
    guard refusal == nil, String(decoding: line, as: UTF8.self).contains(Value.string(id).json)
    else { return }
    let user = given(Array(line))
    if line.count > UserInput.lineLimit {
      refusal =
        "\(user.name):\(user.line ?? 1): the line has more than \(UserInput.lineLimit) bytes"
    } else if let problem = UserRecordReader.problem(in: line) {
      refusal = user.error(problem).description
    }
  }

  // MARK: Near misses

  private mutating func compare(_ other: String) {
    let allowed = id.utf8.count <= 4 ? 1 : 2
    guard abs(other.utf8.count - id.utf8.count) <= allowed else { return }
    var (a, b) = (Array(id.utf8)[...], Array(other.utf8)[...])
    while let first = a.first, first == b.first {
      a.removeFirst()
      b.removeFirst()
    }
    while let last = a.last, last == b.last {
      a.removeLast()
      b.removeLast()
    }
    let isSameWithoutCase = a.count == b.count && id.lowercased() == other.lowercased()
    let distance = isSameWithoutCase ? 0 : Suggestion.editDistance(Array(a), Array(b))
    guard distance <= allowed, !close.contains(where: { $0.id == other }) else { return }
    let place = close.firstIndex { distance < $0.distance } ?? close.count
    close.insert((other, distance), at: place)
    if close.count > Self.mostClose { close.removeLast() }
  }

  private func nobody(_ paths: [String]) -> CommandError {
    let shown = paths.prefix(3).map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")
    let files = paths.count > 3 ? "\(shown) and \(counted(paths.count - 3, "other file"))" : shown
    if let refusal {
      return CommandError(
        DiagnosticText.visible("the line of user '\(id)' cannot be used: \(refusal)"))
    }
    var text = "there is no user '\(id)' in \(files): \(counted(users, "user")) "
    text += users == 1 ? "was read" : "were read"
    if unusable > 0 {
      text +=
        ", and \(counted(unusable, "line")) that \(unusable == 1 ? "is not a record" : "are not records")"
    }
    if !close.isEmpty {
      text += "; did you mean \(listed(close.map { "'\($0.id)'" }, "or"))?"
    }
    return CommandError(DiagnosticText.visible(text))
  }
}

extension UserOptions {
  /// The user's record; nil when no user is named.
  ///
  /// - Parameters:
  ///   - read: the attributes that rules read, for flat names of columns.
  ///   - known: the same user, read before the attributes were known.
  func given(_ read: [AttributePath] = [], known: GivenUser? = nil, isQuiet: Bool = false) throws
    -> GivenUser?
  {
    if let known, separator == nil || users.contains("-") { return known }
    if let user { return try GivenUser(user) }
    guard let id else { return nil }
    return try UserSearch.user(
      id, in: users, format: usersFormat, flat: separator.map { FlatNames($0, read) },
      isQuiet: isQuiet)
  }
}
