package import Expressions

/// Members of a JSON object, by where they are: who reads a user record finds there what a request asks
/// for beside the user, without reading the record again.
package struct OtherMembers {
  package struct Member {
    package var key: JSONCursor.RawString
    /// Where the value begins, or white space before it.
    package var at: Int
    /// Whether rules read it.
    package var isRead: Bool
  }

  package private(set) var members: [Member] = []
  /// Whether there were more than are kept, so that nobody is to rely on them.
  package private(set) var areTooMany = false

  /// More than what requests know by far; a record may have millions.
  package static let limit = 32

  /// The keys of those that nobody reads.
  var unknownKeys: [String] { members.filter { !$0.isRead }.map(\.key.text) }

  mutating func append(_ key: JSONCursor.RawString, at offset: Int, isRead: Bool) {
    if members.count < Self.limit {
      members.append(Member(key: key, at: offset, isRead: isRead))
    } else {
      areTooMany = true
    }
  }

  mutating func removeAll() {
    if !members.isEmpty { members.removeAll(keepingCapacity: true) }
    areTooMany = false
  }
}
