internal import Expressions

/// Why a rule cannot be written in SQL.
package struct SQLRefusal: Error, Hashable, Sendable {
  package var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// An expression in SQL. It is NULL only where one of its columns is.
struct SQLExpression: Hashable {
  var text: String
  var columns: [String]
}

/// A value of a rule in SQL.
enum SQLValue {
  case constant(Cell)
  case fault(EvaluationError.Kind)
  case text(SQLExpression)
  case integer(SQLExpression)
  /// An integer without a sign: a type of its own, as in Kotlin.
  case unsigned(SQLExpression)
  /// A number that is not NaN. Whether it is an integer or a double is not known.
  case number(SQLExpression)
  case double(SQLExpression)
  /// Microseconds since 1970.
  case time(SQLExpression)
  /// A difference of times in microseconds.
  case span(SQLExpression)
  case list(SQLExpression)
  /// A value about which nothing else is known.
  case something(String)

  /// The expression of a number.
  var number: SQLExpression? {
    switch self {
    case .integer(let number), .unsigned(let number), .number(let number), .double(let number):
      number
    default: nil
    }
  }

  /// The value as a cell that does not change.
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

/// The values that a part of a rule evaluates to: one for each of several conditions. Exactly one condition is true.
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

  /// The cell with something else in the place of some values.
  func mapping(_ body: (SQLValue) throws(SQLRefusal) -> SQLCell) throws(SQLRefusal) -> SQLCell {
    var all: [(SQLCondition, SQLValue)] = []
    for part in cases {
      for inner in try body(part.value).cases {
        all.append((SQLCondition.all(of: [part.when, inner.when]), inner.value))
      }
    }
    return SQLCell(all)
  }

  /// The outcome of a test of the value.
  func testing(_ body: (SQLValue) throws(SQLRefusal) -> SQLOutcome) throws(SQLRefusal)
    -> SQLOutcome
  {
    var all: [(SQLCondition, SQLOutcome)] = []
    for part in cases { all.append((part.when, try body(part.value))) }
    return SQLOutcome(choosing: all)
  }
}

/// The outcome of a test: true, false, or a fault, each under a condition. Exactly one of them holds.
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

  /// The outcome of whichever condition holds; exactly one does.
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
