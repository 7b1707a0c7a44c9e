/// How a schema describes the value of an attribute, in the form that `tollgate schema` writes and all commands read.
package enum AttributeDescription {
  package static let keys = [
    "type", "enum", "list", "required", "min", "max", "counts", "types", "present", "share",
  ]

  /// The types that a schema can name.
  package enum ValueType: Sendable {
    case any, bool, number, string, list, map, time, span, null
  }

  /// The words for types in a schema.
  package static let types: [(word: String, type: ValueType)] = [
    ("any", .any), ("dyn", .any), ("bool", .bool), ("boolean", .bool), ("int", .number),
    ("uint", .number), ("integer", .number), ("double", .number), ("float", .number),
    ("number", .number), ("string", .string), ("text", .string), ("list", .list), ("map", .map),
    ("object", .map), ("timestamp", .time), ("date", .time), ("duration", .span), ("null", .null),
  ]

  /// Splits the short form of a type into its name and whether a trailing `?` marks the value as optional.
  package static func type(_ text: String) -> (name: String, isOptional: Bool) {
    let isOptional = text.hasSuffix("?")
    return (String(isOptional ? text.dropLast() : text[...]).lowercased(), isOptional)
  }
}
