import RuleEngine
import TestSupport
import Testing

/// Moving subjects to new weights.
@Suite struct WeightMigrationTests {
  @Test(arguments: [
    (10, [50.0, 50.0], [5, 5]), (3, [50, 50], [2, 1]), (10, [33.3, 33.3, 33.4], [3, 3, 4]),
    (1, [1, 1, 1], [1, 0, 0]), (2, [1, 1, 1], [1, 1, 0]), (0, [70, 30], [0, 0]),
    (7, [0, 0], [4, 3]), (5, [0, 100], [0, 5]), (100, [1, 2, 4], [14, 29, 57]),
  ])
  func largestRemainder(count: Int, weights: [Double], expected: [Int]) {
    var migration = WeightMigration(weights: weights)
    for number in 0..<count { migration.add(.none, hash: UInt64(number)) }
    #expect(migration.result().targets == expected)
  }

  @Test func keepsAsManyAsItMay() {
    // 60 to 40 become 50 to 50 of 102, with two who are new.
    var migration = WeightMigration(weights: [50, 50])
    for number in 0..<100 {
      migration.add(.variant(number < 60 ? 0 : 1), hash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    }
    migration.add(.none, hash: 1)
    migration.add(.none, hash: 2)
    let result = migration.result()
    #expect(result.targets == [51, 51])
    #expect(result.former == [60, 40])
    #expect(result.moved == 9)
    #expect(result.gone == 0)
    #expect(result.variants[60..<100].allSatisfy { $0 == 1 })
  }

  /// Who has to go is the last of an order; where they go must not follow the same one.
  @Test func thoseWhoGoAreMixed() {
    var migration = WeightMigration(weights: [50, 25, 25])
    for number in 0..<400 { migration.add(.variant(0), hash: UInt64(number)) }
    let variants = migration.result().variants
    #expect(variants.prefix(200).allSatisfy { $0 == 0 })
    let second = variants.indices.filter { variants[$0] == 1 }
    #expect(second.count == 100 && (60...140).contains(second.count { $0 < 300 } * 2))
  }

  /// Against what no assignment can do better: whoever is above a variant's number has to go.
  @Test func noAssignmentMovesFewer() {
    var random = SplitMix(seed: 20)
    for _ in 0..<300 {
      let weights = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Double(Int.random(in: 0...4, using: &random))
      }
      var migration = WeightMigration(weights: weights)
      var formers: [WeightMigration.Former] = []
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let kind = Int.random(in: -2..<weights.count, using: &random)
        let former: WeightMigration.Former =
          kind >= 0 ? .variant(kind) : kind == -1 ? .none : .gone
        formers.append(former)
        migration.add(former, hash: UInt64.random(in: 0...(.max), using: &random))
      }
      let result = migration.result()
      #expect(result.targets.reduce(0, +) == formers.count)
      for variant in weights.indices {
        #expect(result.variants.count { $0 == Int32(variant) } == result.targets[variant])
        #expect(result.former[variant] == formers.count { $0 == .variant(variant) })
      }
      let gone = formers.count { $0 == .gone }
      let above = zip(result.former, result.targets).reduce(0) { $0 + max($1.0 - $1.1, 0) }
      let moved = zip(formers, result.variants).count {
        $0.0 != .none && $0.0 != .variant(Int($0.1))
      }
      #expect(result.gone == gone)
      #expect(result.moved == gone + above)
      #expect(moved == result.moved)
    }
  }

  /// The order of the subjects plays no part.
  @Test func orderDoesNotMatter() {
    let subjects = (0..<200).map { number in
      (WeightMigration.Former.variant(number % 2), UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
    }
    func variants(_ subjects: [(WeightMigration.Former, UInt64)]) -> [UInt64: Int32] {
      var migration = WeightMigration(weights: [20, 50, 30])
      for (former, hash) in subjects { migration.add(former, hash: hash) }
      return Dictionary(uniqueKeysWithValues: zip(subjects.map(\.1), migration.result().variants))
    }
    #expect(variants(subjects) == variants(subjects.reversed()))
  }
}
