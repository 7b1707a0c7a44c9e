/// A set of code points: explicit ranges and Unicode categories, or their complement.
///
/// Categories are stored symbolically, because writing them out takes hundreds of ranges, while both matchers can look up the
/// category of a code point.
struct RegexSet: Hashable, Sendable {
  let ranges: [ScalarRange]
  let categories: RegexCategories
  /// Whether the complement is meant. This is only true if there are both ranges and categories. Other complements are
  /// computed.
  let isNegated: Bool

  static let everything = RegexSet([.all])
  static let nothing = RegexSet([])
  static let notNewline = RegexSet([ScalarRange(low: 0x0A, high: 0x0A)], isNegated: true)

  init(
    _ ranges: [ScalarRange], categories: RegexCategories = [], isNegated: Bool = false
  ) {
    let ranges = ranges.normalized()
    let coversAll = categories == .all || ranges == [.all]
    if coversAll {
      self.ranges = isNegated ? [] : [.all]
      self.categories = []
      self.isNegated = false
    } else if categories.isEmpty {
      self.ranges = isNegated ? ranges.complemented() : ranges
      self.categories = []
      self.isNegated = false
    } else if ranges.isEmpty {
      self.ranges = []
      self.categories = isNegated ? RegexCategories.all.subtracting(categories) : categories
      self.isNegated = false
    } else {
      self.ranges = ranges
      self.categories = categories
      self.isNegated = isNegated
    }
  }

  /// The only member, if the set has exactly one and this is known without looking up categories.
  var onlyScalar: UInt32? {
    guard categories.isEmpty, ranges.count == 1, ranges[0].low == ranges[0].high else { return nil }
    return ranges[0].low
  }

  /// The members as ranges only.
  var explicitRanges: [ScalarRange] {
    guard !categories.isEmpty else { return ranges }
    let all = (ranges + categories.explicitRanges).normalized()
    return isNegated ? all.complemented() : all
  }

  /// The set of all code points that are not in this set.
  var complement: RegexSet {
    RegexSet(ranges, categories: categories, isNegated: !isNegated)
  }

  /// The set with all code points that differ from a member only by case.
  var caseFolded: RegexSet {
    RegexSet(CaseFolding.closure(of: explicitRanges))
  }

  /// Whether the code point is a member. A surrogate is never a member.
  func contains(_ scalar: UInt32) -> Bool {
    guard let value = Unicode.Scalar(scalar) else { return false }
    let inside =
      ranges.containsScalar(scalar)
      || (!categories.isEmpty && !categories.isDisjoint(with: RegexCategories(of: value)))
    return inside != isNegated
  }
}

/// Collects the parts of a class in brackets.
struct RegexSetBuilder {
  private var ranges: [ScalarRange] = []
  private var categories: RegexCategories = []

  /// Adds a range of code points.
  mutating func add(_ low: UInt32, _ high: UInt32) {
    ranges.append(ScalarRange(low: low, high: high))
  }

  /// Adds the members of a set.
  mutating func add(_ set: RegexSet) {
    if set.isNegated {
      // A union with the complement of ranges and categories cannot be expressed as ranges and categories.
      ranges += set.explicitRanges
    } else {
      ranges += set.ranges
      categories.formUnion(set.categories)
    }
  }

  /// The union of all added ranges and sets.
  func finish(isNegated: Bool = false) -> RegexSet {
    RegexSet(ranges, categories: categories, isNegated: isNegated)
  }
}
