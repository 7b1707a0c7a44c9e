internal import Expressions
internal import RuleEngine

/// Functions in SQL.
extension SQLTranslator {
  /// A call that is a value.
  mutating func call(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLCell {
    let parts = operands(id)
    guard let function = function(id), let first = parts.first else {
      throw SQLRefusal("it calls a function of the app")
    }
    switch function {
    case .answerFor: throw SQLRefusal("it asks for the history of events")
    case .size, .byteSize:
      return try value(first).mapping { value throws(SQLRefusal) in
        try size(value, inBytes: function == .byteSize)
      }
    case .requireText: return try required(first) { $0.isText }
    case .requireList: return try required(first) { $0.isList }
    case .sameNumber: return try required(first) { $0.isNumber }
    case .negateWrapping: return try negated(value(first))
    case .toIntTruncating:
      return try value(first).mapping { value throws(SQLRefusal) in try integer(value) }
    case .textToTimestamp, .toTimestamp:
      return try value(first).mapping { value throws(SQLRefusal) in
        switch value {
        case .fault, .time: return SQLCell(value)
        case .text: throw SQLRefusal("it reads times from strings")
        case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
        default: return SQLCell(.fault(.noSuchOverload))
        }
      }
    case .indexOrNull:
      guard parts.count == 2, let index = constant(parts[1]) else {
        throw SQLRefusal("it reads an element at a place that is not constant")
      }
      return try value(first).mapping { value throws(SQLRefusal) in try element(index, of: value) }
    default: throw SQLRefusal("SQL has no '\(function.sqlName)' that is the same for every value")
    }
  }

  /// A value of some kind; others are a fault.
  private mutating func required(
    _ id: ConditionGraph.ID, _ isTaken: (SQLValue) -> Bool
  ) throws(SQLRefusal) -> SQLCell {
    try value(id).mapping { value throws(SQLRefusal) in
      if case .something(let name) = value {
        throw SQLRefusal("the type of '\(name)' is not known")
      }
      return SQLCell(
        value.fault != nil || isTaken(value) ? value : .fault(.noSuchOverload))
    }
  }

  private func size(_ value: SQLValue, inBytes: Bool) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault: return SQLCell(value)
    case .text(let text):
      let count = inBytes ? database.byteCount(text.text) : database.characterCount(text.text)
      return SQLCell(.integer(SQLExpression(text: count, columns: text.columns)))
    case .list(let list):
      return SQLCell(
        .integer(SQLExpression(text: database.listCount(list.text), columns: list.columns)))
    case .constant(let cell):
      if cell.isText {
        let text = cell.text
        return SQLCell(
          .constant(Cell(Int64(inBytes ? text.utf8.count : text.unicodeScalars.count))))
      }
      if cell.tag == Tag.list || cell.tag == Tag.map || cell.tag == Tag.bytes {
        return SQLCell(.constant(Cell(Int64(cell.outsideCount))))
      }
      return SQLCell(.fault(.noSuchOverload))
    case .integer, .number, .double, .time, .span: return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// `int(value)`
  private func integer(_ value: SQLValue) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault, .integer: return SQLCell(value)
    case .text(let text):
      let (test, number) = database.integer(text.text)
      let isNumber = SQLCondition.atom(.predicate(test, columns: text.columns), true)
      return SQLCell([
        (isNumber, .integer(SQLExpression(text: number, columns: text.columns))),
        (!isNumber, .fault(.conversion)),
      ])
    case .constant(let cell):
      if cell.tag == Tag.int { return SQLCell(value) }
      if cell.tag == Tag.bool || cell.tag == Tag.null { return SQLCell(.fault(.noSuchOverload)) }
      if cell.tag == Tag.double, cell.doubleValue.isNaN {
        return SQLCell(.constant(Cell(Int64(0))))
      }
      throw SQLRefusal("it converts a constant")
    case .number, .double: throw SQLRefusal("it converts a double to an integer")
    case .time, .span, .list: return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// `list[index]`: null for what the list does not have.
  private func element(_ index: Cell, of value: SQLValue) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault: return SQLCell(value)
    case .list(let list):
      guard index.tag == Tag.int else { return SQLCell(.fault(.noSuchOverload)) }
      guard (0..<1 << 31).contains(index.intValue) else { return SQLCell(.constant(.null)) }
      let text = database.element(Int(index.intValue), of: list.text)
      let isNull = SQLCondition.atom(.isNull(text), true)
      let element = SQLExpression(text: text, columns: [text])
      return SQLCell(
        [(isNull, .constant(.null))]
          + cases(of: element, .text, text).map { (.all(of: [!isNull, $0.0]), $0.1) })
    case .text: throw SQLRefusal("it reads a character of a string")
    case .constant(let cell) where cell.tag == Tag.bool || cell.tag == Tag.null:
      return SQLCell(.fault(.noSuchOverload))
    case .integer, .number, .double, .time, .span: return SQLCell(.fault(.noSuchOverload))
    case .constant: throw SQLRefusal("it reads an element of a constant")
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  // MARK: Tests of strings

  /// `contains`, `startsWith`, `endsWith` and `matches`.
  mutating func textTest(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let parts = operands(id)
    guard let function = function(id), parts.count == 2 else {
      throw SQLRefusal("it calls a function of the app")
    }
    let (left, right) = (try value(parts[0]), try value(parts[1]))
    return try left.testing { a throws(SQLRefusal) in
      if let fault = a.fault { return SQLOutcome(fault: fault) }
      return try right.testing { b throws(SQLRefusal) in
        if let fault = b.fault { return SQLOutcome(fault: fault) }
        if case .something(let name) = a { throw SQLRefusal("the type of '\(name)' is not known") }
        if case .something(let name) = b { throw SQLRefusal("the type of '\(name)' is not known") }
        guard let text = try textOperand(a), let part = try textOperand(b) else {
          return SQLOutcome(fault: .noSuchOverload)
        }
        switch function {
        case .startsWith: return part2(text, part, a, b, .startsWith)
        case .endsWith: return part2(text, part, a, b, .endsWith)
        case .matches: return try matching(text, b)
        default: return holding(text, part, in: a, b)
        }
      }
    }
  }

  private func part2(
    _ text: SQLExpression, _ part: SQLExpression, _ a: SQLValue, _ b: SQLValue, _ function: Function
  ) -> SQLOutcome {
    if let whole = a.cell, let end = b.cell { return SQLOutcome(Self.test(function, whole, end)) }
    let predicate =
      function == .startsWith
      ? database.startsWith(text.text, part.text) : database.endsWith(text.text, part.text)
    return SQLOutcome(
      .atom(
        .predicate(
          predicate, columns: text.columns + part.columns,
          excludes: excluded(text, by: b) { Self.test(function, $0, $1) }), true))
  }

  /// A regular expression that means the same in RE2 and here.
  private func matching(_ text: SQLExpression, _ pattern: SQLValue) throws(SQLRefusal) -> SQLOutcome
  {
    guard let cell = pattern.cell, SQLPattern.isPlain(cell.text) else {
      throw SQLRefusal("its regular expression may mean something else in SQL")
    }
    guard let test = database.matches(text.text, try literal(cell)) else {
      throw SQLRefusal("\(database.name) has another syntax of regular expressions")
    }
    return SQLOutcome(.atom(.predicate(test, columns: text.columns), true))
  }
}

extension SQLValue {
  fileprivate var isText: Bool {
    if case .text = self { true } else { cell?.isText ?? false }
  }

  fileprivate var isList: Bool {
    if case .list = self { true } else { cell?.tag == Tag.list }
  }

  fileprivate var isNumber: Bool {
    number != nil || cell.map { Tag.int...Tag.double ~= $0.tag } ?? false
  }
}

extension Function {
  /// The name in messages.
  fileprivate var sqlName: String {
    switch self {
    case .toDoubleParsing, .toDouble: "double()"
    case .toPlainText, .toText: "string()"
    case .greatestOf: "max()"
    case .superscriptTruth: "truth of JavaScript"
    default: "\(self)()"
    }
  }
}
