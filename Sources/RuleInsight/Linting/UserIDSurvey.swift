internal import Expressions
internal import RuleEngine

/// A survey of user IDs: their repetitions, white space and shapes.
///
/// The memory is limited: if there are very many IDs, only a sample, selected by hash, is compared.
package struct UserIDSurvey: Sendable {
  // SAFETY: Views are the caller's and stay in closures; hashes read as many bytes as views have.
  // Tests: UsersCommandTests.

  /// An ID that appears again.
  package struct Repeat: Hashable, Sendable {
    package var id: String
    package var first: String
    package var second: String
  }

  private struct Seen: Sendable {
    var raw: UInt64
    var place: Int
    var file: Int
  }

  package private(set) var count = 0
  /// The number of records whose ID an earlier record has.
  package private(set) var repeated = 0
  package private(set) var firstRepeat: Repeat?
  /// The number of records whose ID equals an earlier one except for white space at the ends.
  package private(set) var merged = 0
  package private(set) var firstMerged: Repeat?
  /// The number of IDs with white space at an end.
  package private(set) var untrimmed = 0
  package private(set) var untrimmedExample: String?
  /// The number of IDs with control characters or white space inside.
  package private(set) var odd = 0
  package private(set) var oddExample: String?
  package private(set) var shortest = Int.max
  package private(set) var longest = 0
  /// The number of IDs by shape, such as `a-99999`.
  package private(set) var shapes: [String: Int] = [:]
  /// The number of IDs whose shape is not in ``shapes``.
  package private(set) var otherShapes = 0
  /// Whether only a sample of the IDs is compared.
  package private(set) var isSampled = false

  private var seen: [UInt64: Seen] = [:]
  private var limit = UInt64.max
  private static let mostSeen = 4 << 20
  private static let mostShapes = 64

  package init() {}

  /// - Parameters:
  ///   - place: the line number of the record.
  ///   - name: returns the name of a file.
  package mutating func add(_ id: String, file: Int, line: Int, name: (Int) -> String) {
    count += 1
    var id = id
    let length = id.utf8.count
    shortest = min(shortest, length)
    longest = max(longest, length)
    let (raw, trimmed, isTrimmed) = id.withUTF8 { bytes in
      let trimmed = UserID.trimmed(bytes)
      return (
        XXH64.hash(UnsafeRawBufferPointer(bytes)), XXH64.hash(UnsafeRawBufferPointer(trimmed)),
        trimmed.count == bytes.count
      )
    }
    if !isTrimmed {
      untrimmed += 1
      untrimmedExample = untrimmedExample ?? id
    }
    if id.trimmed.unicodeScalars.contains(where: { $0.value < 0x20 || $0.properties.isWhitespace })
    {
      odd += 1
      oddExample = oddExample ?? id
    }
    addShape(of: id)
    compare(id, raw, trimmed, file, line, name)
  }

  private mutating func compare(
    _ id: String, _ raw: UInt64, _ trimmed: UInt64, _ file: Int, _ line: Int,
    _ name: (Int) -> String
  ) {
    guard trimmed <= limit else { return }
    guard let first = seen[trimmed] else {
      seen[trimmed] = Seen(raw: raw, place: line, file: file)
      if seen.count > Self.mostSeen {
        isSampled = true
        limit /= 2
        seen = seen.filter { $0.key <= limit }
      }
      return
    }
    let found = Repeat(
      id: id, first: "\(name(first.file)):\(first.place)", second: "\(name(file)):\(line)")
    if first.raw == raw {
      repeated += 1
      firstRepeat = firstRepeat ?? found
    } else {
      merged += 1
      firstMerged = firstMerged ?? found
    }
  }

  /// Counts the shape of an ID. Letters become `a`, digits become `9`, and runs longer than eight
  /// are shortened.
  private mutating func addShape(of id: String) {
    var shape = ""
    var (last, run) = (Character("."), 0)
    for character in id.prefix(64) {
      let kind: Character = character.isNumber ? "9" : character.isLetter ? "a" : character
      run = kind == last ? run + 1 : 1
      last = kind
      if run <= 8 { shape.append(kind) }
    }
    if shapes[shape] == nil, shapes.count >= Self.mostShapes {
      otherShapes += 1
    } else {
      shapes[shape, default: 0] += 1
    }
  }

  /// The most frequent shapes.
  package var commonShapes: [(shape: String, users: Int)] {
    shapes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map { ($0.key, $0.value) }
  }
}
