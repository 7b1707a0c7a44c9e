/// How a schema says what an attribute holds, as `tollgate schema` writes it.
package enum AttributeDescription {
  package static let keys = [
    "type", "enum", "list", "required", "min", "max", "counts", "types", "present", "share",
  ]
}
