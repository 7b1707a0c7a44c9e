package import Expressions

/// What lints find in a config.
extension Diagnostic.Code {
  /// An audience or an experiment without variants.
  package static let noVariants = Self(rawValue: "no-variants")
  /// Two elements with one ID, or one key twice in an object.
  package static let duplicateID = Self(rawValue: "duplicate-id")
  /// An occurrence limit that lets nobody through.
  package static let limitNeverHolds = Self(rawValue: "limit-never-holds")
  /// An occurrence limit that stops nobody.
  package static let limitAlwaysHolds = Self(rawValue: "limit-always-holds")
  /// An entitlement that is asked for and that no product gives.
  package static let ungrantedEntitlement = Self(rawValue: "ungranted-entitlement")
  /// An attribute with the name of a function, which superscript takes for it when it is missing.
  package static let attributeNamedLikeFunction = Self(rawValue: "attribute-named-like-function")
  /// A backslash in a text that is not what it is in other languages.
  package static let escape = Self(rawValue: "escape")
  /// A name that the language, an SDK or the format keeps for itself.
  package static let reservedName = Self(rawValue: "reserved-name")
  /// Versions or numbers that are ordered letter by letter.
  package static let textOrder = Self(rawValue: "text-order")
  /// A computed property that a condition reads and its audience does not ask for.
  package static let questionNotRequested = Self(rawValue: "question-not-requested")
  /// An audience that could go without changing who gets which paywall.
  package static let redundantAudience = Self(rawValue: "redundant-audience")
  /// A value that an attribute of few values never has.
  package static let valueNotInEnum = Self(rawValue: "value-not-in-enum")
  /// A part that is asked whether it is true, and is no bool.
  package static let neverBool = Self(rawValue: "never-bool")
  /// A call that is an error for users who lack an attribute.
  package static let mayBeMissing = Self(rawValue: "may-be-missing")
}
