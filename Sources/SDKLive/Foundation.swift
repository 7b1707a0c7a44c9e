public import Expressions
public import Foundation
public import SDK

// Conversions of Foundation's types. The SDK itself does not use Foundation, so that the command
// and services start faster.

extension SDKError: LocalizedError {
  public var errorDescription: String? { message }
}

extension StoreError: LocalizedError {
  public var errorDescription: String? { message }
}

extension Date: AttributeConvertible {
  /// The date as an ISO 8601 string in UTC.
  public var attributeValue: Value { Instant(self).attributeValue }

  public init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}

extension Instant {
  /// Creates an instant from a date, rounded down to the millisecond and limited to 64 bits.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
    self.init(
      milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}

extension URL: AttributeConvertible {
  public var attributeValue: Value { .string(absoluteString) }
}

extension UUID: AttributeConvertible {
  public var attributeValue: Value { .string(uuidString) }
}

extension Decimal: AttributeConvertible {
  /// The number as the nearest binary floating-point number, as in JSON.
  public var attributeValue: Value { .double(NSDecimalNumber(decimal: self).doubleValue) }
}

extension Value {
  /// Encodes a value as JSON, with dates in ISO 8601.
  ///
  /// `setUserAttributes(["profile": try Value(encoding: profile)])` sets an object as an attribute
  /// of the user.
  ///
  /// - Throws: an error if the value cannot be encoded.
  public init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    // A scalar is encoded in a list, because not every encoder accepts it alone.
    let list = try Value.parse(json: try encoder.encode([value]))
    self = list.elements?.first ?? .null
  }
}

extension Tollgate {
  /// Passes a URL that opened the app to the SDK.
  ///
  /// - Returns: whether the SDK handles the URL.
  @discardableResult
  public nonisolated func handleDeepLink(_ url: URL) async -> Bool {
    await handleDeepLink(url.absoluteString)
  }
}
