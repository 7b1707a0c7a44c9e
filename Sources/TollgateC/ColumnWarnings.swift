internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// A column whose type does not match the rules, so that its values rarely have the intended effect.
struct ColumnWarning: Hashable, Sendable {
  var column: String
  var path: String
  var message: String

  /// The warning as JSON: `{"code", "column", "path", "message"}`.
  var value: Value {
    .object([
      "code": "column-kind", "column": .string(column), "path": .string(path),
      "message": .string(message),
    ])
  }

  /// The warnings about the columns of a table.
  static func all(
    _ columns: FrameColumns, _ attributes: [AttributeRequirement], _ ruleSet: RuleSet
  ) -> [ColumnWarning] {
    var bySlot: [Int: AttributeRequirement] = [:]
    for attribute in attributes {
      if let slot = ruleSet.program.slot(of: attribute.path) { bySlot[slot] = attribute }
    }
    return columns.attributes.compactMap { slot, column, field in
      guard let attribute = bySlot[slot], !attribute.kinds.isEmpty,
        !attribute.kinds.contains(where: { $0.fits(field, ruleSet) })
      else { return nil }
      let path = attribute.path.description
      let needs = attribute.kinds.map(\.noun).joined(separator: " or ")
      let name = path == column ? "" : ", which is '\(path)',"
      return ColumnWarning(
        column: column, path: path,
        message:
          "column '\(column)'\(name) is \(field.noun), and rules read it as \(needs); cast it")
    }
  }
}

extension ArrowField {
  /// The type with an article, and with the elements of a list.
  fileprivate var noun: String {
    guard type.isList, let element = children.first else { return type.name }
    switch element.type {
    case .text, .largeText, .textView: return "a list of strings"
    case .integer: return "a list of integers"
    case .half, .float, .double: return "a list of floating point numbers"
    case .bool: return "a list of bools"
    case .timestamp: return "a list of timestamps"
    case .structure: return "a list of structs"
    case .null, .list, .largeList, .fixedList, .map, .other: return type.name
    }
  }
}

extension AttributeRequirement.Kind {
  /// Whether rules for the expected type can use the values of a column.
  fileprivate func fits(_ field: ArrowField, _ ruleSet: RuleSet) -> Bool {
    if field.type == .null { return true }
    let isSuperscript = ruleSet.language != .cel
    let isText = field.type.isText
    var isTime = false
    if case .timestamp = field.type { isTime = true }
    var isInteger = false
    if case .integer = field.type { isInteger = true }
    let isNumber = isInteger || field.type.isFloat
    let isMap = field.type == .structure || field.type == .map
    switch self {
    case .string, .date: return isText || isTime
    case .number: return isNumber || isText && ruleSet.behavior.readsNumbers
    case .integer: return isInteger
    // Superscript converts strings to booleans, and numbers count as true or false.
    case .boolean: return field.type == .bool || isSuperscript && (isText || isNumber)
    case .map: return isMap
    // Superscript can also search for parts of strings.
    case .list: return field.type.isList || isMap || isText && isSuperscript
    case .listOf(let element):
      guard field.type.isList, let values = field.children.first else {
        return AttributeRequirement.Kind.list.fits(field, ruleSet)
      }
      return values.isJSON || element.fits(values, ruleSet)
    }
  }

  /// The type with an article.
  fileprivate var noun: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .integer: "an integer"
    case .boolean: "a bool"
    case .date: "a time"
    case .map: "a struct"
    case .list: "a list"
    case .listOf(let element):
      switch element {
      case .string: "a list of strings"
      case .number, .integer: "a list of numbers"
      case .boolean: "a list of bools"
      default: "a list"
      }
    }
  }
}
