/// The reason why a price or a product's attributes could not be computed.
public enum PricingError: Error, Hashable, Sendable {
  /// The string or number is not a price.
  case notAPrice
  /// A result does not fit into 64 bits of micros.
  case overflow
  /// The product has no price.
  case missingPrice
  /// A price would be divided by a period of 0.
  case emptyPeriod
  /// No time zone has that name.
  case unknownTimeZone

  /// A description of the error.
  public var message: String {
    switch self {
    case .notAPrice: "this is not a price; prices are decimal numbers such as \"9.99\""
    case .overflow: "the price is too large; the maximum is 9,223,372,036,854"
    case .missingPrice: "the product has no price"
    case .emptyPeriod: "the period has no length"
    case .unknownTimeZone: "there is no such time zone; names are like Europe/Berlin, UTC, +02:00"
    }
  }
}
