internal import Expressions
internal import RuleEngine

/// An experiment that two configs have, and the users that the new config assigns to it.
struct MigratedExperiment {
  let id: String
  /// The variants of the new config, with their weights in the old config; nil for a new variant.
  let variants: [(variant: Variant, formerWeight: Double?)]
  /// Variants that only the old config has, with the number of users that had them.
  private(set) var gone: [(variant: Variant, users: Int)]
  /// The placements whose audiences have the experiment.
  let placements: (old: [String], new: [String])

  private(set) var migration: WeightMigration
  /// The added users, by number.
  private(set) var users: [UInt32] = []
  /// For each variant of the new config, the number of users that it would get in a new draw.
  private(set) var drawn: [Int]
  /// The number of users that would move in a new draw.
  private(set) var movedByDraw = 0
  /// The number of users that had a variant before.
  private(set) var hadVariant = 0
  private let hashPrefix: [UInt8]

  init(_ id: String, old: Audience, new: Audience, placements: (old: [String], new: [String])) {
    self.id = id
    self.placements = placements
    variants = new.variants.map { variant in
      (variant, old.variants.first { $0.id.utf8.elementsEqual(variant.id.utf8) }?.weight)
    }
    gone = old.variants.filter { !new.hasVariant($0.id) }.map { ($0, 0) }
    migration = WeightMigration(weights: new.variants.map(\.weight))
    drawn = Array(repeating: 0, count: new.variants.count)
    // This hash has its own salt, because the users that move must not correlate with the draw.
    hashPrefix = Assigner.hash(salt: "migrate-weights").hashPrefix(experimentID: id)
  }

  /// Whether the same draw may now give another variant.
  var hasChanged: Bool {
    !gone.isEmpty || variants.contains { $0.formerWeight != $0.variant.weight }
  }

  private func number(of id: String) -> Int? {
    variants.firstIndex { $0.variant.id.utf8.elementsEqual(id.utf8) }
  }

  /// Adds a user of the experiment.
  ///
  /// - Parameters:
  ///   - former: the ID of the variant that the user had, or nil.
  ///   - drawn: the ID of the variant that the new config assigns.
  mutating func add(_ subject: String, number user: Int, former: String?, drawn: String) {
    // SAFETY: The view of the local array stays in the closure. Tests: MigrateWeightsTests.
    let byDraw = number(of: drawn)
    if let byDraw { self.drawn[byDraw] += 1 }
    var before = WeightMigration.Former.none
    if let former {
      hadVariant += 1
      let number = number(of: former)
      before = number.map { .variant($0) } ?? .gone
      if number != byDraw { movedByDraw += 1 }
      if number == nil,
        let place = gone.firstIndex(where: { $0.variant.id.utf8.elementsEqual(former.utf8) })
      {
        gone[place].users += 1
      }
    }
    let bytes = hashPrefix + Array(subject.utf8)
    migration.add(before, hash: bytes.withUnsafeBytes { XXH64.hash($0) })
    users.append(UInt32(user))
  }
}

extension MigratedExperiment {
  /// The experiments of both configs that are running in the new config, in the order of the new config.
  static func all(_ old: Config, _ new: Config) -> [MigratedExperiment] {
    let former = audiences(of: old)
    return audiences(of: new).compactMap { found in
      guard found.audience.experimentStatus == .running, !found.audience.variants.isEmpty,
        let before = former.first(where: {
          $0.audience.experimentID.utf8.elementsEqual(found.audience.experimentID.utf8)
        })
      else { return nil }
      return MigratedExperiment(
        found.audience.experimentID, old: before.audience, new: found.audience,
        placements: (before.placements, found.placements))
    }
  }

  /// The first audience of each experiment, and all placements that have it.
  private static func audiences(of config: Config) -> [(audience: Audience, placements: [String])] {
    var found: [(audience: Audience, placements: [String])] = []
    var places: [String: Int] = [:]
    for placement in config.placements {
      for audience in placement.audiences where !audience.experimentID.isEmpty {
        if let place = places[audience.experimentID] {
          if found[place].placements.last != placement.name {
            found[place].placements.append(placement.name)
          }
        } else {
          places[audience.experimentID] = found.count
          found.append((audience, [placement.name]))
        }
      }
    }
    return found
  }
}
