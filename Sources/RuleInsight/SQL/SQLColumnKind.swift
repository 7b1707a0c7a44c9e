/// The kinds of values of a column in a table of users. NULL is always a missing attribute.
package enum SQLColumnKind: String, CaseIterable, Sendable {
  case text, integer
  /// Integers or doubles. Rules decide alike for both.
  case number
  case double
  case bool
  /// Points in time.
  case time
  /// Lists of strings.
  case list
  /// Values of any type. Rules only test whether the column has a value.
  case any

  /// The kinds that callers can choose.
  package static let given = allCases.filter { $0 != .any }

  /// The index of the type in ``SQLDatabase/type(_:)``.
  var place: Int {
    switch self {
    case .text, .any: 0
    case .integer: 1
    case .number, .double: 2
    case .bool: 3
    case .time: 4
    case .list: 5
    }
  }
}

/// A column that rules read.
package struct SQLColumn: Sendable {
  /// The attribute, such as `user.plan`.
  package var path: String
  /// The names of the column, from the outside in; a single name in a flat table.
  package var names: [String]
  package var kind: SQLColumnKind
  /// The type in the database; nil if the column may have any type.
  package var type: String?
}
