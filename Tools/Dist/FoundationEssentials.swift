// What ArgumentParser uses of FoundationEssentials, for the command that is shipped: the whole of that
// module is 5 MB. The parser describes itself as JSON with it, which messages and manual pages are made of.

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { nil }
}

public struct Data: Sendable {
  let text: String
}

extension String {
  public struct Encoding: Sendable {
    public static let utf8 = Encoding()
  }

  public init?(data: Data, encoding: Encoding) { self = data.text }
}

/// Writes JSON on one line, members in the order in which they are encoded.
public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  /// Has no effect.
  public var outputFormatting: OutputFormatting = []

  public init() {}

  public func encode<T: Encodable>(_ value: T) throws -> Data {
    let root = Node()
    try value.encode(to: NodeEncoder(root))
    var text = ""
    root.write(to: &text)
    return Data(text: text)
  }
}

/// A value of JSON that is being made.
private final class Node {
  var literal = "null"
  var isObject = false
  var isList = false
  var names: [String] = []
  var children: [Node] = []

  func add(_ name: String?) -> Node {
    let child = Node()
    children.append(child)
    if let name { names.append(name) }
    return child
  }

  func write(to text: inout String) {
    guard isObject || isList else { return text += literal }
    text += isObject ? "{" : "["
    for (number, child) in children.enumerated() {
      if number > 0 { text += "," }
      if isObject { text += Node.quoted(names[number]) + ":" }
      child.write(to: &text)
    }
    text += isObject ? "}" : "]"
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\0"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct NodeEncoder: Encoder {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ node: Node) { self.node = node }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.isObject = true
    return KeyedEncodingContainer(Members<Key>(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.isList = true
    return Elements(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { _ = node.add(key.stringValue) }
  func encode(_ value: Bool, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: String, forKey key: Key) { node.add(key.stringValue).literal = Node.quoted(value) }
  func encode(_ value: Double, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Float, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Int, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Int8, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Int16, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Int32, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: Int64, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: UInt, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: UInt8, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: UInt16, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: UInt32, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode(_ value: UInt64, forKey key: Key) { node.add(key.stringValue).literal = value.description }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try value.encode(to: NodeEncoder(node.add(key.stringValue))) }

  func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type, forKey key: Key)
    -> KeyedEncodingContainer<Other>
  { NodeEncoder(node.add(key.stringValue)).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    NodeEncoder(node.add(key.stringValue)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node.add("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { NodeEncoder(node.add(key.stringValue)) }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var count: Int { node.children.count }

  func encodeNil() { _ = node.add(nil) }
  func encode(_ value: Bool) { node.add(nil).literal = value.description }
  func encode(_ value: String) { node.add(nil).literal = Node.quoted(value) }
  func encode(_ value: Double) { node.add(nil).literal = value.description }
  func encode(_ value: Float) { node.add(nil).literal = value.description }
  func encode(_ value: Int) { node.add(nil).literal = value.description }
  func encode(_ value: Int8) { node.add(nil).literal = value.description }
  func encode(_ value: Int16) { node.add(nil).literal = value.description }
  func encode(_ value: Int32) { node.add(nil).literal = value.description }
  func encode(_ value: Int64) { node.add(nil).literal = value.description }
  func encode(_ value: UInt) { node.add(nil).literal = value.description }
  func encode(_ value: UInt8) { node.add(nil).literal = value.description }
  func encode(_ value: UInt16) { node.add(nil).literal = value.description }
  func encode(_ value: UInt32) { node.add(nil).literal = value.description }
  func encode(_ value: UInt64) { node.add(nil).literal = value.description }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: NodeEncoder(node.add(nil))) }

  func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type)
    -> KeyedEncodingContainer<Other>
  { NodeEncoder(node.add(nil)).container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    NodeEncoder(node.add(nil)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node.add(nil)) }
}

private struct Single: SingleValueEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { node.literal = "null" }
  func encode(_ value: Bool) { node.literal = value.description }
  func encode(_ value: String) { node.literal = Node.quoted(value) }
  func encode(_ value: Double) { node.literal = value.description }
  func encode(_ value: Float) { node.literal = value.description }
  func encode(_ value: Int) { node.literal = value.description }
  func encode(_ value: Int8) { node.literal = value.description }
  func encode(_ value: Int16) { node.literal = value.description }
  func encode(_ value: Int32) { node.literal = value.description }
  func encode(_ value: Int64) { node.literal = value.description }
  func encode(_ value: UInt) { node.literal = value.description }
  func encode(_ value: UInt8) { node.literal = value.description }
  func encode(_ value: UInt16) { node.literal = value.description }
  func encode(_ value: UInt32) { node.literal = value.description }
  func encode(_ value: UInt64) { node.literal = value.description }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: NodeEncoder(node)) }
}
