package import Expressions

/// The positions of a record's members that belong to a request instead of the user. Requests read these members
/// without reading the whole record again.
package struct OtherMembers {
  package struct Member {
    package var key: JSONCursor.RawString
    /// The position of the value, or of white space before the value.
    package var at: Int
    /// Whether rules read the member.
    package var isRead: Bool
  }

  package private(set) var members: [Member] = []
  /// Whether there were more members than the limit, so that the list is incomplete.
  package private(set) var areTooMany = false

  /// The maximum number of listed members. Requests have far fewer, but a record may have millions.
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
