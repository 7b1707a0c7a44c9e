import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Users who come twice with different content.
@Suite struct ComparedSubjectsTests {
  /// What a worker gives out of lines, in order.
  private func subjects(_ lines: [String], limit: UInt64 = .max) throws -> [SubjectRecord] {
    let rules = try ruleSet(wireRule(expression: "user.plan == 'free'"))
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
    let buffer = OutcomeBuffer()
    return Array(lines.joined(separator: "\n").utf8).withUnsafeBufferPointer {
      worker.process($0, comparing: limit, into: buffer).subjects
    }
  }

  private func user(_ id: Int, _ plan: String = "free") -> String {
    #"{"userId":"u\#(id)","user":{"plan":"\#(plan)"}}"#
  }

  @Test func subjectsOfAChunk() throws {
    // The first is read alone, further ones by their shape, escapes alone again.
    let lines = [
      user(1), "", "refused", user(2), user(1, "pro"),
      #"{"userId":"\u00751","user":{"plan":"free"}}"#,
      user(2) + "\r",
    ]
    let found = try subjects(lines)
    #expect(found.map(\.id) == ["u1", "u2", "u1", "u1", "u2"])
    #expect(found.map(\.line) == [0, 3, 4, 5, 6])
    #expect(try subjects(lines, limit: 0).isEmpty)
    var compared = ComparedSubjects()
    let told = found.map { user in
      compared.add(user, file: 3, line: user.line + 1).map { [$0.file, $0.line] }
    }
    // How a record is written counts, but not how its line ends.
    #expect(told == [nil, nil, [3, 1], [3, 1], nil])
    #expect(!compared.isPartial)
  }

  /// Of many users a share is compared, however far apart they are, and what is kept does not grow.
  @Test func manyUsers() throws {
    let count = 4_000
    let found = try subjects((0..<count).map { user($0) } + (0..<count).map { user($0, "pro") })
    #expect(found.count == 2 * count)
    var compared = ComparedSubjects(capacity: 100)
    var told: [Int] = []
    for user in found where compared.add(user, file: 0, line: user.line) != nil {
      told.append(user.line)
    }
    #expect(compared.isPartial)
    #expect(compared.limit <= .max / 16)
    #expect(told.count > 20 && told.count <= 100, "\(told.count)")
    #expect(told.allSatisfy { $0 >= count })
    // Whoever is given out by the lower limit is who is compared.
    let below = try subjects((0..<count).map { user($0) }, limit: compared.limit)
    #expect(below.map { $0.line + count } == told)
  }
}
