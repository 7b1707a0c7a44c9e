/// The outcome of deciding as numbers: the rule, the variant, and the variant's source.
///
/// The decision loop produces a verdict for every caller. A verdict holds no references, so deciding changes no
/// reference counts. ``Decision`` interprets a verdict.
package struct Verdict: Hashable, Sendable {
  /// The source of the variant.
  package enum Source: UInt8, Hashable, Sendable {
    /// No variant was assigned.
    case none
    case stored
    case new
    case redrawn
    case only
  }

  /// Number of the rule that decided, or -1.
  package var rule: Int32 = -1
  /// The index of the variant among the rule's variants, or -1.
  package var variant: Int32 = -1
  /// The index of the stored assignment that supplied the variant or is no longer valid, or -1.
  package var assignment: Int32 = -1
  package var source: Source = .none
  /// Whether the config has the placement.
  package var isPlacementKnown = true
  /// Whether evaluating the rule's condition terminates the app.
  package var aborts = false

  package init(
    rule: Int32 = -1, variant: Int32 = -1, assignment: Int32 = -1, source: Source = .none,
    isPlacementKnown: Bool = true
  ) {
    self.rule = rule
    self.variant = variant
    self.assignment = assignment
    self.source = source
    self.isPlacementKnown = isPlacementKnown
  }
}
