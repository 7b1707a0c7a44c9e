internal import Expressions
internal import RuleEngine

/// Why a user has a different outcome by another config.
package enum MoveReason: String, Hashable, Sendable, CaseIterable {
  /// An audience matches other users.
  case condition
  /// An audience divides its users differently.
  case weights
  /// An audience has now reached its limit, or no longer has.
  case limit
  /// An audience comes earlier than before.
  case order
  /// A variant has another outcome.
  case paywall
  /// An audience, or the placement, was added.
  case added
  /// An audience, or the placement, was removed.
  case removed
}

/// The audience that makes the difference, for a user that one audience matches by the old config
/// and one by the new. Audiences are numbers of rules.
enum MoveCause: Hashable {
  case placementAdded
  case placementRemoved
  /// The same audience matches them.
  case same(old: Int, new: Int)
  case added(Int)
  case removed(Int)
  /// An audience matches them that did not before. If it now comes before their old audience, that
  /// one's number in the new config is included.
  case takes(old: Int, new: Int, ahead: Int?)
  /// Their old audience no longer matches them.
  case leaves(old: Int, new: Int)
}

/// The question that determines the reason if two parts have changed: the result of a rule for the
/// user.
struct MoveQuestion: Hashable {
  var isOld: Bool
  var rule: Int
}
