internal import Expressions
internal import RuleEngine

/// Why a user gets something else by another config.
package enum MoveReason: String, Hashable, Sendable, CaseIterable {
  /// An audience means other users.
  case condition
  /// Users of an audience are shared out otherwise.
  case weights
  /// An audience has been shown as often as it may, or is no longer.
  case limit
  /// An audience comes earlier than it did.
  case order
  /// A variant gives something else.
  case paywall
  /// An audience, or the placement, is new.
  case added
  /// An audience, or the placement, is gone.
  case removed
}

/// Which audience makes the difference, for users who are taken by one audience by the old config and
/// by one by the new. Audiences are numbers of rules.
enum MoveCause: Hashable {
  case placementAdded
  case placementRemoved
  /// The same audience takes them.
  case same(old: Int, new: Int)
  case added(Int)
  case removed(Int)
  /// An audience takes them that did not. It may have come before the one that took them, whose
  /// number in the new config that is.
  case takes(old: Int, new: Int, ahead: Int?)
  /// The audience that took them lets them go.
  case leaves(old: Int, new: Int)
}

/// What decides about the reason where two things have changed: what becomes of a user at a rule.
struct MoveQuestion: Hashable {
  var isOld: Bool
  var rule: Int
}
