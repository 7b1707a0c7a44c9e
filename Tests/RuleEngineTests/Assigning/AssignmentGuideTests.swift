import Expressions
import Foundation
import RuleEngine
import TestSupport
import Testing

/// `docs/assignment.md` is enough to give users their variants: what is worked out here follows it and
/// uses nothing of Tollgate.
@Suite struct AssignmentGuideTests {
  private static let guide = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/assignment.md")

  // MARK: What the guide says

  private static func bytes(_ parts: String...) -> [UInt8] {
    parts.flatMap { part -> [UInt8] in
      let count = part.utf8.count
      return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(part.utf8)
    }
  }

  private static func number(seed: String, experiment: String, user: String) -> Double {
    let hash = Hash(bytes(seed, experiment, user)).value
    return Double(hash >> 11) / 9_007_199_254_740_992
  }

  private static func bucket(experiment: String, user: String) -> UInt32 {
    var hash: UInt32 = 5_381
    for byte in "\(user):\(experiment)".utf8 { hash = hash &* 33 &+ UInt32(byte) }
    return hash
  }

  /// XXH64 with seed 0, from its published description.
  private struct Hash {
    private static let primes: [UInt64] = [
      0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9,
      0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5,
    ]
    private(set) var value: UInt64

    private static func turned(_ x: UInt64, _ bits: UInt64) -> UInt64 {
      x << bits | x >> (64 - bits)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
      turned(lane &+ word &* primes[1], 31) &* primes[0]
    }

    init(_ bytes: [UInt8]) {
      let p = Hash.primes
      var rest = bytes[...]
      value = p[4]
      if bytes.count >= 32 {
        var lanes = [p[0] &+ p[1], p[1], 0, 0 &- p[0]]
        while rest.count >= 32 {
          for lane in 0..<4 {
            lanes[lane] = Hash.round(lanes[lane], Hash.word(rest.prefix(8)))
            rest = rest.dropFirst(8)
          }
        }
        value = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ Hash.turned($1.0, $1.1) }
        for lane in lanes { value = (value ^ Hash.round(0, lane)) &* p[0] &+ p[3] }
      }
      value &+= UInt64(bytes.count)
      while rest.count >= 8 {
        value = Hash.turned(value ^ Hash.round(0, Hash.word(rest.prefix(8))), 27) &* p[0] &+ p[3]
        rest = rest.dropFirst(8)
      }
      if rest.count >= 4 {
        value = Hash.turned(value ^ (Hash.word(rest.prefix(4)) &* p[0]), 23) &* p[1] &+ p[2]
        rest = rest.dropFirst(4)
      }
      for byte in rest { value = Hash.turned(value ^ (UInt64(byte) &* p[4]), 11) &* p[0] }
      value = (value ^ value >> 33) &* p[1]
      value = (value ^ value >> 29) &* p[2]
      value ^= value >> 32
    }
  }

  // MARK: Tests

  /// The figures of its example.
  @Test func theExampleIsTrue() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    let parts = [["demo"], ["export-settled"], ["u-mara"]].map { part in
      Self.bytes(part[0]).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    let hash = Hash(Self.bytes("demo", "export-settled", "u-mara")).value
    let number = Self.number(seed: "demo", experiment: "export-settled", user: "u-mara")
    #expect(text.contains("| the bytes | `\(parts.joined(separator: " "))` |"))
    #expect(text.contains("| their XXH64 | `\(String(hash, radix: 16))` |"))
    #expect(text.contains("| divided by 2^11 | \(hash >> 11) |"))
    #expect(text.contains("| divided by 2^53 | \(number) |"))
    #expect(text.contains("{\"number\":\(number),\"from\":0.0,\"to\":0.45}"))
    let bucket = Self.bucket(experiment: "export-settled", user: "u-mara")
    #expect(text.contains("result is \(bucket), and the bucket is \(bucket % 100):"))
  }

  /// Explanations tell the same numbers, whatever the lengths of the names.
  @Test func explanationsTellTheSame() throws {
    for seed in ["", "demo", "ein längerer Samen für viele Fälle"] {
      for (experiment, user) in [("e", "u"), ("spring-2026", "u_0001234"), ("é", "日本")] {
        let told = try explain(experiment, user, .hash(salt: seed))
        let number = Self.number(seed: seed, experiment: experiment, user: user)
        #expect(told.draw == ["number": .double(number), "from": told.from, "to": told.to])
        #expect(told.from.number ?? 2 <= number && number < told.to.number ?? 0)
      }
    }
  }

  @Test func bucketsAreToldToo() throws {
    let told = try explain("export-settled", "u-mara", .djb2)
    let bucket = Self.bucket(experiment: "export-settled", user: "u-mara") % 100
    #expect(told.draw["number"] == .double(Double(bucket) / 100))
    #expect(told.text.contains("drew \(bucket) of 100: variant c from 90 on"), "\(told.text)")
  }

  private func explain(_ experiment: String, _ user: String, _ assigner: Assigner) throws
    -> (draw: Value, from: Value, to: Value, text: String)
  {
    let variants = [("a", 45), ("b", 45), ("c", 10)].map { id, weight in
      Variant(id: id, kind: .treatment, weight: Double(weight), paywallID: "pw")
    }
    let audience = Audience(index: 0, experimentID: experiment, variants: variants)
    let rules = try RuleSet.compile(
      Config(placements: [Placement(name: "p", audiences: [audience])])
    ).get()
    var frame = Frame(for: rules.program)
    let explanation = rules.explain(
      "p", frame: &frame, state: DecisionState(subjectID: user, now: 0), assigner: assigner)
    let draw = try #require(explanation.value["reason"]?["draw"])
    return (draw, draw["from"] ?? .null, draw["to"] ?? .null, explanation.text)
  }
}
