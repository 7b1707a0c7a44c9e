import Expressions
import Foundation
import Pricing
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// A worker that decides a chunk twice, with other chunks in between, writes what a fresh one writes.
@Suite("Workers that are used again") struct ReuseTests {
  private static let now: Instant = 1_772_366_400_000

  /// What a worker says of a chunk.
  private struct Said: Equatable {
    var outcomes: String
    var rejected: [Int]
    var tally: Tally

    init(_ worker: inout BatchWorker, _ lines: [String]) {
      let output = worker.process(Array(lines.joined(separator: "\n").utf8))
      outcomes = String(decoding: output.outcomes, as: UTF8.self)
      rejected = output.rejected.map(\.line)
      tally = output.tally
    }
  }

  /// Decides parts of some lines in this order by one worker, and each by a fresh one.
  private func check(_ plan: BatchPlan, _ lines: [String]) {
    let parts = stride(from: 0, to: lines.count, by: 7).map { Array(lines[$0...].prefix(7)) }
    var reused = BatchWorker(plan)
    for (number, part) in parts.enumerated() {
      var fresh = BatchWorker(plan)
      let wanted = Said(&fresh, part)
      for between in [number + 3, number + 1] {
        #expect(Said(&reused, part) == wanted)
        _ = Said(&reused, parts[between % parts.count])
        // A line that ends in the middle leaves nothing behind.
        _ = Said(&reused, part.map { String($0.dropLast($0.count / 3)) })
      }
    }
  }

  @Test(arguments: Extent.some(0..<32)) func randomConfigs(seed: UInt64) throws {
    var random = RandomUsers(random: SplitMix(seed: seed), isSuperscript: true)
    let config = try #require(Config.decode(random.config()).output)
    let rules = try #require(RuleSet.compile(config).output)
    let plan = BatchPlan(
      rules, now: Self.now, assigner: .hash(salt: "s"), layout: seed % 2 == 0 ? .long : .wide,
      form: seed % 3 == 0 ? .csv : .ndjson, texts: nil, givesReasons: seed % 5 == 0)
    check(plan, (0..<35).map { random.record($0) })
  }

  /// The demo's paywalls with their texts and prices.
  @Test func texts() throws {
    let config = try #require(Config.decode(bytes("demo/config.json")).output)
    let rules = try #require(RuleSet.compile(config).output)
    let texts = try TextPlan(
      try #require(TextFile.decode(json: bytes("demo/texts.json")).output), config: config,
      prices: ProductList.decode(json: bytes("demo/products.json")).output,
      pricing: PricingContext(now: Self.now), options: RenderOptions(now: Self.now))
    let plan = BatchPlan(rules, now: Self.now, assigner: .hash(salt: "demo"), texts: texts)
    let lines = String(decoding: try bytes("demo/users.ndjson"), as: UTF8.self)
      .split(separator: "\n").prefix(70).map(String.init)
    check(plan, lines)
    var worker = BatchWorker(plan)
    #expect(Said(&worker, lines).outcomes.contains("\"texts\""))
  }
}
