public import Expressions

/// A value that an app can use as an attribute or a parameter: strings, numbers, booleans, lists and maps of them, and
/// optionals. `SDKLive` adds `Date`, `URL`, `UUID` and `Decimal`, and all `Encodable` types through `Value(encoding:)`.
public protocol AttributeConvertible: Sendable {
  /// The value that rules and paywalls read.
  var attributeValue: Value { get }
}

extension Value: AttributeConvertible {
  public var attributeValue: Value { self }
}

extension String: AttributeConvertible {
  public var attributeValue: Value { .string(self) }
}

extension Substring: AttributeConvertible {
  public var attributeValue: Value { .string(String(self)) }
}

extension Bool: AttributeConvertible {
  public var attributeValue: Value { .bool(self) }
}

extension Double: AttributeConvertible {
  public var attributeValue: Value { .double(self) }
}

extension Float: AttributeConvertible {
  public var attributeValue: Value { .double(Double(self)) }
}

extension AttributeConvertible where Self: FixedWidthInteger {
  public var attributeValue: Value {
    Int64(exactly: self).map { .int($0) } ?? .uint(UInt64(clamping: self))
  }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}

extension Instant: AttributeConvertible {
  /// The time as an ISO 8601 string in UTC.
  public var attributeValue: Value { text.map { .string($0) } ?? .null }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  public var attributeValue: Value { self?.attributeValue ?? .null }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
  public var attributeValue: Value { .list(map(\.attributeValue)) }
}

extension Set: AttributeConvertible where Element: AttributeConvertible {
  /// The elements as a list in undefined order.
  public var attributeValue: Value { .list(map(\.attributeValue)) }
}

extension Dictionary: AttributeConvertible where Key == String, Value: AttributeConvertible {
  public var attributeValue: Expressions.Value { .members(mapValues(\.attributeValue)) }
}

extension [String: (any AttributeConvertible)?] {
  /// The attributes with nil replaced by null, which removes an attribute.
  var values: [String: Expressions.Value] { mapValues { $0?.attributeValue ?? .null } }
}
