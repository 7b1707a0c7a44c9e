package import Expressions

extension UserRecordReader {
  /// Reads the `userId` of a record, without checking the types of the other members.
  ///
  /// - Returns: nil if `userId` is missing or not a string.
  /// - Throws: when the record is not a JSON object.
  package static func subject(of record: ByteView) throws(JSONFault) -> String? {
    // SAFETY: The cursor gets the record's count and ends with the call. The ID is copied.
    // Tests: UserSearchTests.
    guard let base = record.baseAddress else { return nil }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    let nesting = Limits().dataNesting
    guard cursor.peek() == UInt8(ascii: "{") else { throw cursor.unexpected() }
    var subject: String?
    try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
      let isID =
        key.hasEscapes
        ? key.text == UserMember.userID.key : UserMember(key: key.bytes) == .userID
      guard isID else { return try cursor.skipValue(nesting: nesting) }
      if cursor.peek() == UInt8(ascii: "\"") {
        subject = try cursor.string().text
      } else {
        subject = nil
        try cursor.skipValue(nesting: nesting)
      }
    }
    try cursor.expectEnd()
    return subject
  }
}
