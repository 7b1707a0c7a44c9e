import Testing

@testable import Expressions
@testable import Regex

/// The answer in the notation of ``RegexCase``.
func answer(
  _ regex: RegexPattern, _ subject: String, from offset: Int = 0
) -> (verdict: RegexVerdict, found: String) {
  var scratch = RegexScratch()
  let bytes = Array(subject.utf8)
  return bytes.withUnsafeBufferPointer { text in
    let verdict = regex.matches(text, scratch: &scratch)
    switch regex.find(in: text, from: offset, scratch: &scratch) {
    case .found(let match):
      let groups = match.groups.map { $0.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "-" }
      return (verdict, groups.joined(separator: " "))
    case .notFound: return (verdict, "no")
    case .limitExceeded: return (verdict, "limit")
    case .invalidUTF8: return (verdict, "invalid")
    }
  }
}

@Suite("Regular expressions: matching")
struct RegexMatchingTests {
  private func check(_ test: RegexCase, unicode: Bool, _ flavor: RegexFlavor) throws {
    for backend in RegexBackend.allCases {
      let regex = try RegexPattern(
        test.pattern, unicodeClasses: unicode, flavor: flavor, backend: backend)
      let (verdict, found) = answer(regex, test.subject)
      #expect(found == test.expected, "\(backend)")
      #expect(verdict == (test.expected == "no" ? .notMatched : .matched), "\(backend)")
    }
  }

  @Test("RE2's flavor, all backends", arguments: RegexCases.all)
  func re2(_ test: RegexCase) throws {
    try check(test, unicode: false, .re2)
  }

  @Test("Rust's flavor, all backends", arguments: RegexCases.rust)
  func rust(_ test: RegexCase) throws {
    try check(test, unicode: true, .rust)
  }

  @Test("a search may begin within the text")
  func offsets() throws {
    for backend in RegexBackend.allCases {
      let word = try RegexPattern("a", backend: backend)
      #expect(answer(word, "aba", from: 1).found == "2-3")
      #expect(answer(word, "aba", from: 3).found == "no")
      #expect(answer(word, "aba", from: 4).found == "no")
      #expect(answer(word, "aba", from: -1).found == "0-1")
      let anchored = try RegexPattern("^a", backend: backend)
      #expect(answer(anchored, "aa", from: 1).found == "no")
      let boundary = try RegexPattern(#"\ba"#, backend: backend)
      #expect(answer(boundary, "xa a", from: 1).found == "3-4")
      let empty = try RegexPattern("", backend: backend)
      #expect(answer(empty, "é", from: 1).found == "2-2")
      #expect(answer(empty, "é", from: 2).found == "2-2")
    }
  }

  @Test("names and numbers of groups")
  func names() throws {
    let regex = try RegexPattern("(?P<a>x)(y)(?<b_1>z)(?:w)")
    #expect(regex.groupCount == 3)
    #expect(regex.groupNames == [nil, "a", nil, "b_1"])
  }

  @Test("subjects that are no UTF-8 are no subjects")
  func invalidSubjects() throws {
    let invalid: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0x61, 0xFF], [0xE0, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      Array("0123456789".utf8) + [0xC3] + Array("0123456789".utf8),
    ]
    for backend in RegexBackend.allCases {
      let regex = try RegexPattern("a", backend: backend)
      var scratch = RegexScratch()
      for bytes in invalid {
        bytes.withUnsafeBufferPointer { text in
          #expect(regex.matches(text, scratch: &scratch) == .invalidUTF8)
          #expect(regex.find(in: text, scratch: &scratch) == .invalidUTF8)
        }
      }
    }
  }

  @Test("an empty buffer without an address is an empty text")
  func noAddress() throws {
    for backend in RegexBackend.allCases {
      var scratch = RegexScratch()
      let text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      let empty = try RegexPattern("^$", backend: backend)
      #expect(empty.matches(text, scratch: &scratch) == .matched)
      #expect(empty.find(in: text, scratch: &scratch) == .found(RegexMatch(groups: [0..<0])))
      let some = try RegexPattern("a|[b-z]", backend: backend)
      #expect(some.matches(text, scratch: &scratch) == .notMatched)
    }
  }

  @Test("one scratch serves patterns of all sizes in turn")
  func sharedScratch() throws {
    var scratch = RegexScratch()
    let sizes = [1, 40, 3, 200, 2, 300, 1]
    for backend in RegexBackend.allCases {
      for size in sizes {
        let pattern = String(repeating: "(a)|", count: min(size, 90)) + "(b{\(size)})"
        let regex = try RegexPattern(pattern, backend: backend)
        let subject = Array(String(repeating: "b", count: size).utf8)
        subject.withUnsafeBufferPointer { text in
          let found = regex.find(in: text, scratch: &scratch)
          guard case .found(let match) = found else {
            Issue.record("\(backend) \(size): \(found)")
            return
          }
          #expect(match.range == 0..<size)
          #expect(match.groups.last == 0..<size)
          #expect(match.groups.dropFirst().dropLast().allSatisfy { $0 == nil })
        }
      }
    }
  }

  @Test("one pattern serves many tasks at once")
  func concurrency() async throws {
    for backend in RegexBackend.allCases {
      let regex = try RegexPattern(#"^(\w+)@(\w+)\.com$"#, backend: backend)
      let total = await withTaskGroup(of: Int.self) { group in
        for task in 0..<8 {
          group.addTask {
            (0..<200).filter { answer(regex, "a\($0)@b\(task).com").verdict == .matched }.count
          }
        }
        return await group.reduce(0, +)
      }
      #expect(total == 1_600)
    }
  }
}
