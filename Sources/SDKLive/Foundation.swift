public import Expressions
public import Foundation
public import SDK

// What apps have of Foundation, in the SDK's words. The SDK itself has none, so that the command and
// services start without it.

extension SDKError: LocalizedError {
  public var errorDescription: String? { message }
}

extension StoreError: LocalizedError {
  public var errorDescription: String? { message }
}

extension Date: AttributeConvertible {
  /// As text by ISO 8601, in UTC.
  public var attributeValue: Value { Instant(self).attributeValue }

  public init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}

extension Instant {
  /// The milliseconds of a date, rounded down. What is past the ends of 64 bits stays there.
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
  /// The nearest number with a binary fraction, as in JSON.
  public var attributeValue: Value { .double(NSDecimalNumber(decimal: self).doubleValue) }
}

extension Value {
  /// What something encodes as JSON; dates by ISO 8601.
  ///
  /// `setUserAttributes(["profile": try Value(encoding: profile)])` gives the user an object.
  ///
  /// - Throws: what encoding throws.
  public init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    // What is no object or list is encoded in a list: not every encoder takes it alone.
    let list = try Value.parse(json: try encoder.encode([value]))
    self = list.elements?.first ?? .null
  }
}

extension Tollgate {
  /// Gives the SDK an address that the app was opened with.
  ///
  /// - Returns: whether it is for the SDK.
  @discardableResult
  public nonisolated func handleDeepLink(_ url: URL) async -> Bool {
    await handleDeepLink(url.absoluteString)
  }
}
