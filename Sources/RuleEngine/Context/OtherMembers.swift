package import Expressions

/// The members of a user record that belong to a request and not to the user, by their position.
/// Requests read them without reading the record again.
package struct OtherMembers {
  package struct Member {
    package var key: JSONCursor.RawString
    /// The position of the value, or of white space before it.
    package var at: Int
    /// Whether rules read it.
    package var isRead: Bool
  }

  package private(set) var members: [Member] = []
  /// Whether there were more members than the limit, so that the list is incomplete.
  package private(set) var areTooMany = false

  /// Far more than requests have. A record may have millions.
  package static let limit = 32

  /// The keys of the members that no rule reads.
  var unknownKeys: [String] { members.filter { !$0.isRead }.map { $0.key.text } }

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
