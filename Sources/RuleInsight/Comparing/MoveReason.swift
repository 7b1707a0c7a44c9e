internal import Expressions
internal import RuleEngine

/// The reason why a user has a different outcome by another config.
package enum MoveReason: String, Hashable, Sendable, CaseIterable {
  /// An audience matches other users.
  case condition
  /// An audience divides its users differently.
  case weights
  /// The limit of an audience is used up for the user by only one of the configs.
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

/// The audience that makes the difference, for a user that different audiences match by the old and
/// by the new config. Audiences are identified by the numbers of their rules.
enum MoveCause: Hashable {
  case placementAdded
  case placementRemoved
  /// The same audience matches the user.
  case same(old: Int, new: Int)
  case added(Int)
  case removed(Int)
  /// An audience matches the user that did not match before. If this audience is now before the
  /// user's old audience, the old audience's new number is included.
  case takes(old: Int, new: Int, ahead: Int?)
  /// The user's old audience no longer matches.
  case leaves(old: Int, new: Int)
}

/// The question whose answer is the reason if two parts have changed: the result of a rule for the
/// user.
struct MoveQuestion: Hashable {
  var isOld: Bool
  var rule: Int
}
