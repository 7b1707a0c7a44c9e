internal import Expressions

/// The reason why a rule cannot be written in SQL.
package struct SQLRefusal: Error, Hashable, Sendable {
  package var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// An SQL expression, which is NULL only if one of its columns is NULL.
struct SQLExpression: Hashable {
  var text: String
  var columns: [String]
}

/// A rule's value in SQL.
enum SQLValue {
  case constant(Cell)
  case fault(EvaluationError.Kind)
  case text(SQLExpression)
  case integer(SQLExpression)
  /// An unsigned integer, which is a separate type as in Kotlin.
  case unsigned(SQLExpression)
  /// An integer or a double that is not NaN.
  case number(SQLExpression)
  case double(SQLExpression)
  /// A time in microseconds since 1970.
  case time(SQLExpression)
  /// A difference of times in microseconds.
  case span(SQLExpression)
  case list(SQLExpression)
  /// A value of unknown type.
  case something(String)

  /// The expression of the value, if it is a number.
  var number: SQLExpression? {
    switch self {
    case .integer(let number), .unsigned(let number), .number(let number), .double(let number):
      number
    default: nil
    }
  }

  /// The value, if it is a constant.
  var cell: Cell? { if case .constant(let cell) = self { cell } else { nil } }

  var isTime: Bool {
    switch self {
    case .time, .span: true
    case .constant(let cell): cell.tag == Tag.timestamp || cell.tag == Tag.duration
    default: false
    }
  }

  var fault: EvaluationError.Kind? { if case .fault(let kind) = self { kind } else { nil } }
}

/// The possible values of a part of a rule, each with its condition. Exactly one condition is true.
struct SQLCell {
  struct Case {
    var when: SQLCondition
    var value: SQLValue
  }

  var cases: [Case]

  init(_ value: SQLValue) { cases = [Case(when: .always, value: value)] }

  init(_ cases: [(SQLCondition, SQLValue)]) {
    self.cases = cases.filter { $0.0 != .never }.map { Case(when: $0.0, value: $0.1) }
  }

  /// The cell with some of its values replaced.
  func mapping(_ body: (SQLValue) throws(SQLRefusal) -> SQLCell) throws(SQLRefusal) -> SQLCell {
    var all: [(SQLCondition, SQLValue)] = []
    for part in cases {
      for inner in try body(part.value).cases {
        all.append((SQLCondition.all(of: [part.when, inner.when]), inner.value))
      }
    }
    return SQLCell(all)
  }

  /// The outcome of testing each possible value.
  func testing(_ body: (SQLValue) throws(SQLRefusal) -> SQLOutcome) throws(SQLRefusal)
    -> SQLOutcome
  {
    var all: [(SQLCondition, SQLOutcome)] = []
    for part in cases { all.append((part.when, try body(part.value))) }
    return SQLOutcome(choosing: all)
  }
}

/// The outcome of a test: true, false or an error, each with its condition. Exactly one condition is true.
struct SQLOutcome {
  var yes: SQLCondition
  var no: SQLCondition
  var faults: [(kind: EvaluationError.Kind, when: SQLCondition)] = []

  init(_ condition: SQLCondition) {
    yes = condition
    no = !condition
  }

  init(_ isTrue: Bool) { self.init(isTrue ? .always : .never) }

  init(fault kind: EvaluationError.Kind) {
    yes = .never
    no = .never
    faults = [(kind, .always)]
  }

  init(
    yes: SQLCondition, no: SQLCondition,
    faults: [(kind: EvaluationError.Kind, when: SQLCondition)]
  ) {
    self.yes = yes
    self.no = no
    self.faults = faults.filter { $0.when != .never }
  }

  /// Combines outcomes, each with its condition. Exactly one condition must be true.
  init(choosing parts: [(SQLCondition, SQLOutcome)]) {
    yes = .any(of: parts.map { .all(of: [$0, $1.yes]) })
    no = .any(of: parts.map { .all(of: [$0, $1.no]) })
    var faults: [(kind: EvaluationError.Kind, when: SQLCondition)] = []
    for (when, outcome) in parts {
      for fault in outcome.faults {
        let condition = SQLCondition.all(of: [when, fault.when])
        if let place = faults.firstIndex(where: { $0.kind == fault.kind }) {
          faults[place].when = .any(of: [faults[place].when, condition])
        } else {
          faults.append((fault.kind, condition))
        }
      }
    }
    self.faults = faults.filter { $0.when != .never }
  }

  var negated: SQLOutcome { SQLOutcome(yes: no, no: yes, faults: faults) }

  var size: Int { faults.reduce(yes.size + no.size) { $0 + $1.when.size } }

  /// The outcome as a value.
  var cell: SQLCell {
    SQLCell(
      [(yes, .constant(.true)), (no, .constant(.false))]
        + faults.map { ($0.when, .fault($0.kind)) })
  }
}
