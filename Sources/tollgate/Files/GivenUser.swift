internal import Expressions
internal import RuleEngine

/// A user's record from the command line or a file, and its name in messages.
struct GivenUser {
  var bytes: [UInt8]
  var name: String
  /// The line of the file where the record begins.
  var line: Int?
  /// Whether places in the record are places in the input.
  var hasPlaces = true
  /// Whether the record was written on the command line.
  var isInPlace = false

  init(bytes: [UInt8], name: String, line: Int? = nil, hasPlaces: Bool = true) {
    self.bytes = bytes
    self.name = name
    self.line = line
    self.hasPlaces = hasPlaces
  }

  /// The value of `--user`: a file, or a record.
  init(_ argument: String) throws {
    let first = argument.first { !$0.isWhitespace }
    isInPlace = first == "{"
    name = isInPlace ? "the user record" : argument == "-" ? "standard input" : argument
    if isInPlace {
      bytes = Array(argument.utf8)
      return
    }
    let isMissing = argument != "-" && FilePlace(argument).kind == .missing
    switch first {
    case nil:
      throw CommandError(
        "--user is empty: pass a file, or a record such as {\"userId\":\"u-1\"}")
    case "[" where isMissing:
      throw CommandError(
        "a user record must be an object, but this is a list; pass one element of it")
    case _ where isMissing && (argument.contains("\"") || argument.contains("userId")):
      throw CommandError(
        DiagnosticText.visible(
          "'\(argument)' is not a file; write a record as JSON in braces, in quotes for the "
            + #"shell: '{"userId":"u-1"}'"#))
    case "@" where isMissing:
      throw CommandError(
        DiagnosticText.visible("the file '\(argument)' does not exist; write it without the @"))
    case _ where isMissing && !argument.contains("/") && !argument.contains("."):
      throw CommandError(
        DiagnosticText.visible(
          "the file '\(argument)' does not exist; to find a user with this ID, use --users FILE --id "
            + argument))
    default: bytes = try FileText.read(argument)
    }
  }

  /// Why the record is unusable, with its place.
  func error(_ rejection: UserRecordReader.Rejection) -> CommandError {
    // SAFETY: The view of the array stays in the closure. Tests: DecidingCommandTests.
    bytes.withUnsafeBufferPointer { bytes in
      let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
      if first.count < bytes.count, UserRecordReader.problem(in: first) == nil {
        return CommandError(
          "\(name) contains several records, one per line; pass one of them, or use --users \(name) --id ID"
        )
      }
      if let kind = FileKind.of(bytes), kind != .user {
        if kind == .table, !isInPlace {
          return CommandError(
            "\(name) is CSV; select one of its users with --users \(ShellWord.quoted(name)) --id ID"
          )
        }
        return kind.error(name, expected: .user)
      }
      var place = line.map { ":\($0)" } ?? ""
      if let offset = rejection.offset, hasPlaces {
        let position = SourcePosition(offset: offset, in: bytes)
        place = ":\((line ?? 1) + position.line - 1):\(position.column)"
      }
      var hint = rejection.hint.map { "; \($0)" } ?? ""
      if isInPlace, !bytes.contains(UInt8(ascii: "\"")), rejection.offset != nil {
        hint =
          bytes.contains(UInt8(ascii: "'"))
          ? #"; JSON has double quotes: {"userId":"u-1"}"#
          : #"; the shell removed its quotes: write '{"userId":"u-1"}', with ' around it"#
      }
      return CommandError(
        "\(name)\(place): \(DiagnosticText.visible(rejection.reason))\(hint)")
    }
  }
}
