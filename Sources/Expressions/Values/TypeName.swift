internal import CivilTime

/// The types that the language can name, as values of `type()`.
package enum TypeName: UInt8, CaseIterable {
  case null, bool, int, uint, double, string, bytes, list, map, timestamp, duration, type, optional
  case ip, cidr, version

  /// The name in the specification.
  package var name: String {
    switch self {
    case .null: "null_type"
    case .bool: "bool"
    case .int: "int"
    case .uint: "uint"
    case .double: "double"
    case .string: "string"
    case .bytes: "bytes"
    case .list: "list"
    case .map: "map"
    case .timestamp: "google.protobuf.Timestamp"
    case .duration: "google.protobuf.Duration"
    case .type: "type"
    case .optional: "optional_type"
    case .ip: "net.IP"
    case .cidr: "net.CIDR"
    case .version: "version"
    }
  }

  /// The type with a name, or nil.
  package init?(named name: String) {
    guard let type = TypeName.allCases.first(where: { $0.name == name }) else { return nil }
    self = type
  }

  /// The type of a value.
  package init(of cell: Cell) {
    switch cell.tag {
    case Tag.bool: self = .bool
    case Tag.int: self = .int
    case Tag.uint: self = .uint
    case Tag.double: self = .double
    case Tag.bytes: self = .bytes
    case Tag.list: self = .list
    case Tag.map: self = .map
    case Tag.timestamp: self = .timestamp
    case Tag.duration: self = .duration
    case Tag.type: self = .type
    case Tag.optional: self = .optional
    case Tag.ip: self = .ip
    case Tag.cidr: self = .cidr
    case Tag.version: self = .version
    case Tag.longText, Tag.shortText...: self = .string
    default: self = .null
    }
  }
}
