internal import Expressions
internal import RuleEngine

/// Functions in SQL.
extension SQLTranslator {
  /// The value that a call returns.
  mutating func call(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLCell {
    let parts = operands(id)
    guard let function = function(id), let first = parts.first else {
      throw SQLRefusal("the condition calls a function of the app")
    }
    switch function {
    case .answerFor: throw SQLRefusal("the condition reads the history of events")
    case .size, .byteSize:
      return try value(first).mapping { value throws(SQLRefusal) in
        try size(value, inBytes: function == .byteSize)
      }
    case .toPlainText, .toText, .intToText, .boolToText:
      return try value(first).mapping { value throws(SQLRefusal) in try text(value, function) }
    case .toDoubleParsing, .toDouble:
      return try value(first).mapping { value throws(SQLRefusal) in try double(value) }
    case .toInt:
      return try value(first).mapping { value throws(SQLRefusal) in
        if value.isTime { throw SQLRefusal("the condition computes with times") }
        return try integer(value)
      }
    case .lowerAscii, .upperAscii:
      return try value(first).mapping { value throws(SQLRefusal) in
        try cased(value, isLower: function == .lowerAscii)
      }
    case .superscriptTruth:
      return isTest(first)
        ? try test(first).cell : try value(first).testing(truthOfJavaScript).cell
    case .readNumbers: return try numbers(value(first), keeping: constant(parts[1]))
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
        case .text: throw SQLRefusal("the condition reads times from strings")
        case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
        default: return SQLCell(.fault(.noSuchOverload))
        }
      }
    case .indexOrNull:
      guard parts.count == 2, let index = constant(parts[1]) else {
        throw SQLRefusal("the condition reads an element at an index that is not constant")
      }
      return try value(first).mapping { value throws(SQLRefusal) in try element(index, of: value) }
    default: throw SQLRefusal("SQL has no '\(function.sqlName)' that is the same for every value")
    }
  }

  private func truthOfJavaScript(_ value: SQLValue) throws(SQLRefusal) -> SQLOutcome {
    switch value {
    case .list, .time: return SQLOutcome(true)
    // The evaluator reports a duration as null.
    case .span: return SQLOutcome(false)
    case .constant(let cell):
      switch cell.tag {
      case Tag.list, Tag.map, Tag.bytes, Tag.timestamp, Tag.function: return SQLOutcome(true)
      case Tag.double where cell.doubleValue.isNaN: return SQLOutcome(false)
      case Tag.duration: return SQLOutcome(false)
      default: return try truth(of: value)
      }
    case .fault, .text, .integer, .unsigned, .number, .double, .something:
      return try truth(of: value)
    }
  }

  /// Requires a value of some kind. Values of other kinds are errors.
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
    case .integer, .unsigned, .number, .double, .time, .span:
      return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Writes `string(value)`, and functions that accept values of one type.
  private func text(_ value: SQLValue, _ function: Function) throws(SQLRefusal) -> SQLCell {
    let takesAll = function == .toPlainText || function == .toText
    switch value {
    case .fault: return SQLCell(value)
    case .text: return SQLCell(takesAll ? value : .fault(.noSuchOverload))
    case .integer(let number) where function != .boolToText,
      .unsigned(let number) where takesAll:
      let text = "CAST(\(number.text) AS \(database.type(.text)))"
      return SQLCell(.text(SQLExpression(text: text, columns: number.columns)))
    case .constant(let cell):
      if cell.isText { return SQLCell(takesAll ? value : .fault(.noSuchOverload)) }
      if cell.tag == Tag.bool, function == .boolToText || function == .toText {
        return SQLCell(.constant(Self.text(cell.boolValue ? "true" : "false")))
      }
      if cell.tag == Tag.bool || cell.tag == Tag.null || !takesAll && cell.tag != Tag.int {
        return SQLCell(.fault(.noSuchOverload))
      }
      throw SQLRefusal("the condition converts a constant")
    case .number, .double:
      if function == .boolToText { return SQLCell(.fault(.noSuchOverload)) }
      throw SQLRefusal("the condition writes a double as a string")
    case .time, .span:
      if takesAll { throw SQLRefusal("the condition writes a time as a string") }
      return SQLCell(.fault(.noSuchOverload))
    case .list, .integer, .unsigned: return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Writes `double(value)`.
  private func double(_ value: SQLValue) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault, .double: return SQLCell(value)
    case .integer(let number), .unsigned(let number), .number(let number):
      let text = "CAST(\(number.text) AS \(database.type(.double)))"
      return SQLCell(.double(SQLExpression(text: text, columns: number.columns)))
    case .text: throw SQLRefusal("the condition reads a double from a string")
    case .constant(let cell):
      if cell.tag == Tag.bool || cell.tag == Tag.null { return SQLCell(.fault(.noSuchOverload)) }
      if Tag.int...Tag.double ~= cell.tag { return SQLCell(.constant(Cell(cell.nearestDouble))) }
      throw SQLRefusal("the condition converts a constant")
    case .time, .span, .list: return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Writes `lowerAscii` and `upperAscii`.
  private func cased(_ value: SQLValue, isLower: Bool) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault: return SQLCell(value)
    case .text(let text):
      let letters = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
      let (from, to) = isLower ? (letters[1], letters[0]) : (letters[0], letters[1])
      return SQLCell(
        .text(
          SQLExpression(
            text: "translate(\(text.text), '\(from)', '\(to)')", columns: text.columns)))
    case .constant: throw SQLRefusal("the condition converts a constant")
    case .integer, .unsigned, .number, .double, .time, .span, .list:
      return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Writes `int(value)`.
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
      throw SQLRefusal("the condition converts a constant")
    case .unsigned(let number):
      let fits = SQLCondition.atom(
        .predicate("\(number.text) <= 9223372036854775807", columns: number.columns), true)
      return SQLCell([(fits, .integer(number)), (!fits, .fault(.conversion))])
    case .number, .double: throw SQLRefusal("the condition converts a double to an integer")
    case .time, .span, .list: return SQLCell(.fault(.noSuchOverload))
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Writes `list[index]`.
  ///
  /// - Parameter outside: the value for an index outside the list.
  func element(
    _ index: Cell, of value: SQLValue, outside: SQLValue = .constant(.null)
  ) throws(SQLRefusal) -> SQLCell {
    switch value {
    case .fault: return SQLCell(value)
    case .list(let list):
      guard index.tag == Tag.int else {
        // CEL also accepts whole doubles.
        if outside.fault != nil {
          throw SQLRefusal("the condition reads an element at an index that is not an integer")
        }
        return SQLCell(.fault(.noSuchOverload))
      }
      guard (0..<1 << 31).contains(index.intValue) else { return SQLCell(outside) }
      let text = database.element(Int(index.intValue), of: list.text)
      let isNull = SQLCondition.atom(.isNull(text), true)
      let element = SQLExpression(text: text, columns: [text])
      let values = try cases(of: element, .text, text).map {
        (SQLCondition.all(of: [!isNull, $0.0]), $0.1)
      }
      let count = SQLExpression(text: database.listCount(list.text), columns: list.columns)
      let isThere = SQLCondition.atom(
        .predicate("\(count.text) > \(index.intValue)", columns: list.columns), true)
      return SQLCell(
        [(!isThere, outside), (.all(of: [isThere, isNull]), nullElement)] + values)
    case .text where outside.fault != nil: return SQLCell(.fault(.noSuchOverload))
    case .text: throw SQLRefusal("the condition reads a character of a string")
    case .constant(let cell) where cell.tag == Tag.bool || cell.tag == Tag.null:
      return SQLCell(.fault(.noSuchOverload))
    case .integer, .unsigned, .number, .double, .time, .span:
      return SQLCell(.fault(.noSuchOverload))
    case .constant: throw SQLRefusal("the condition reads an element of a constant")
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  // MARK: Tests of strings

  /// Writes `contains`, `startsWith`, `endsWith` and `matches`.
  mutating func textTest(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let parts = operands(id)
    guard let function = function(id), parts.count == 2 else {
      throw SQLRefusal("the condition calls a function of the app")
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

  /// Writes a regular expression that has the same meaning in RE2 and in the engine.
  private func matching(_ text: SQLExpression, _ pattern: SQLValue) throws(SQLRefusal) -> SQLOutcome
  {
    guard let cell = pattern.cell, SQLPattern.isPlain(cell.text) else {
      throw SQLRefusal("the regular expression may mean something else in SQL")
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
  /// The function's name in messages.
  fileprivate var sqlName: String {
    switch self {
    case .toDoubleParsing, .toDouble: "double()"
    case .toPlainText, .toText: "string()"
    case .greatestOf: "max()"
    default: "\(self)()"
    }
  }
}
