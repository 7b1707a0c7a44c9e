import Foundation
import TestSupport
import Testing

@testable import Expressions

/// The JSON reader against Foundation's, which was written by other people.
@Suite struct JSONDifferentialTests {
  private func isSame(_ value: Value, _ other: Any) -> Bool {
    switch value {
    case .null: return other is NSNull
    case .bool(let value): return (other as? NSNumber)?.boolValue == value
    case .int(let value): return (other as? NSNumber)?.int64Value == value
    case .uint(let value): return (other as? NSNumber)?.uint64Value == value
    case .double(let value):
      // Foundation on Linux goes through decimal numbers and rounds the last digits.
      guard let other = (other as? NSNumber)?.doubleValue else { return false }
      return abs(other - value) <= abs(value) * 1e-13
    case .string(let text): return (other as? String).map { Array($0.utf8) } == Array(text.utf8)
    case .list(let values):
      guard let others = other as? [Any], others.count == values.count else { return false }
      return zip(values, others).allSatisfy { isSame($0, $1) }
    case .map(let entries):
      guard let others = other as? [String: Any] else { return false }
      return entries.allSatisfy { entry in
        guard case .string(let key) = entry.key, let value = others[key] else { return false }
        return isSame(entry.value, value)
      }
    default: return false
    }
  }

  private func foundation(_ bytes: [UInt8]) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
  }

  /// What was written is read back, by both.
  @Test(arguments: 0..<20)
  func readsWhatWasWritten(seed: UInt64) throws {
    var data = RandomData(random: SplitMix(seed: seed))
    var writer = RandomJSON(random: SplitMix(seed: seed &+ 500))
    for _ in 0..<100 {
      let value = data.value(depth: 4)
      let json = writer.write(value)
      let read = try Value.parse(json: json.utf8)
      #expect(ReferenceEquality.areIdentical(read, value), "\(json)")
      let other = try #require(foundation(Array(json.utf8)), "\(json)")
      #expect(isSame(read, other), "\(json)")
      // And our own writer's text is read back too.
      let again = try Value.parse(json: value.json.utf8)
      #expect(ReferenceEquality.areIdentical(again, value), "\(value.json)")
    }
  }

  /// Decimal texts of every length and scale give the nearest double, as Swift's own reader does.
  @Test(arguments: 0..<10)
  func numbersAreRoundedCorrectly(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func digits(_ count: Int) -> String {
      String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &random))") })
    }
    for _ in 0..<2_000 {
      let whole =
        Bool.random(using: &random)
        ? "0"
        : "\(Int.random(in: 1...9, using: &random))"
          + digits(Int.random(in: 0...20, using: &random))
      var text =
        (Bool.random(using: &random) ? "-" : "") + whole + "."
        + digits(Int.random(in: 1...26, using: &random))
      if Int.random(in: 0..<3, using: &random) == 0 {
        text += "e\(Int.random(in: -330...280, using: &random))"
      }
      let expected = try #require(Double(text))
      let value = try Value.parse(json: text.utf8)
      #expect(ReferenceEquality.areIdentical(value, .double(expected)), "\(text)")
    }
  }

  /// Texts with a byte or two changed: both read the same, or neither reads anything.
  @Test(arguments: 0..<20)
  func agreesOnWhatIsNoJSON(seed: UInt64) {
    var random = SplitMix(seed: seed &+ 10_000)
    var data = RandomData(random: SplitMix(seed: seed))
    var writer = RandomJSON(random: SplitMix(seed: seed &+ 700))
    let bytes = Array("{}[]\",:\\tfn0123456789.eE+-u \n/bx".utf8)
    var counts = (accepted: 0, rejected: 0)
    for _ in 0..<200 {
      var json = Array(writer.write(data.value(depth: 3)).utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let at = Int.random(in: 0..<json.count, using: &random)
        let byte = bytes[Int.random(in: 0..<bytes.count, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: json[at] = byte
        case 1: json.insert(byte, at: at)
        default: if json.count > 1 { json.remove(at: at) }
        }
      }
      guard !JSONDifferentialTests.isJudgedDifferently(json) else { continue }
      let text = String(decoding: json, as: UTF8.self)
      let ours = try? Value.parse(json: json)
      let theirs = foundation(json)
      #expect((ours != nil) == (theirs != nil), "\(text.debugDescription)")
      if let ours, let theirs {
        counts.accepted += 1
        #expect(isSame(ours, theirs), "\(text)")
      } else {
        counts.rejected += 1
      }
    }
    #expect(counts.accepted > 10)
    #expect(counts.rejected > 50)
  }

  /// A lone surrogate escape is U+FFFD here and a fault there; a number past the range of doubles
  /// and a repeated key are nobody's standard.
  private static func isJudgedDifferently(_ json: [UInt8]) -> Bool {
    let text = String(decoding: json, as: UTF8.self)
    if text.contains("\u{FFFD}") { return true }
    let surrogate = /\\u[dD][89a-fA-F]/
    let exponent = /[0-9][eE]\+?[0-9]{3}|[0-9]{300}/
    return text.contains(surrogate) || text.contains(exponent)
  }
}
