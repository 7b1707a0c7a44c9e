internal import SDK

/// The names of users in shared output: a hash of their ID, which `--id` also accepts, or the ID.
struct ShownUser {
  /// Whether to show IDs.
  var showsIDs: Bool

  /// The prefix of a hash.
  static let prefix = "sha256:"
  private static let digits = 12

  func name(_ id: String) -> String { showsIDs ? id : Self.hash(of: id) }

  /// `sha256:` and the first 12 hexadecimal digits of the ID's hash.
  static func hash(of id: String) -> String {
    let digest = SHA256.digest(Array(id.utf8)).prefix(digits / 2)
    return digest.reduce(into: prefix) { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }

  /// Whether a string is a hash of this form.
  static func isHash(_ text: String) -> Bool {
    text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + digits
      && text.dropFirst(prefix.count).allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }
}

extension ReportUserOptions {
  var shown: ShownUser { ShownUser(showsIDs: reportIds) }
}
