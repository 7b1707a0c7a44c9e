/// How a schema says what an attribute holds, as `tollgate schema` writes it.
enum AttributeDescription {
  static let keys = [
    "type", "enum", "list", "required", "min", "max", "counts", "types", "present", "share",
  ]
}
