internal import Expressions
internal import RuleEngine

/// Equality, order and membership in SQL.
extension SQLTranslator {
  /// A relation that is false if its left side is missing.
  mutating func whenThere(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let isNegated = node(id).kind == .not
    let inner = isNegated ? Int(node(id).a) : id
    if constant(inner) != nil { return try test(id) }
    let left = operands(inner)[0]
    // The machine reads an attribute on the right together with the relation, so its absence makes
    // the relation false, too.
    let rescuesRight = operands(inner).count > 1 && node(operands(inner)[1]).kind == .slot
    let missing = try value(left).testing { value throws(SQLRefusal) in
      SQLOutcome(value.fault == .noSuchAttribute)
    }
    let outcome = try relation(inner)
    let result = isNegated ? outcome.negated : outcome
    if rescuesRight {
      return SQLOutcome(
        yes: result.yes,
        no: .any(
          of: [result.no] + result.faults.filter { $0.kind == .noSuchAttribute }.map(\.when)),
        faults: result.faults.filter { $0.kind != .noSuchAttribute })
    }
    return SQLOutcome(choosing: [(missing.yes, SQLOutcome(false)), (missing.no, result)])
  }

  mutating func relation(_ id: ConditionGraph.ID) throws(SQLRefusal) -> SQLOutcome {
    let node = node(id)
    let parts = operands(id)
    let left = try value(parts[0])
    if node.kind == .equalEither {
      let (text, number) = (cell(at: node.b), cell(at: node.c))
      return try left.testing { value throws(SQLRefusal) in
        let first = try equal(value, .constant(text))
        let second = try equal(value, .constant(number))
        return SQLOutcome(
          yes: .any(of: [first.yes, second.yes]), no: .all(of: [first.no, second.no]),
          faults: first.faults)
      }
    }
    if node.kind == .in, let list = constant(parts[1]), list.tag == Tag.list {
      let elements = Array(list.elements)
      return try left.testing { value throws(SQLRefusal) in try member(value, of: elements) }
    }
    let right = try value(parts[1])
    let isWithin = function(id) == .isWithin
    return try left.testing { a throws(SQLRefusal) in
      if let fault = a.fault { return SQLOutcome(fault: fault) }
      return try right.testing { b throws(SQLRefusal) in
        if let fault = b.fault { return SQLOutcome(fault: fault) }
        switch node.kind {
        case .equal: return try equal(a, b)
        case .compare:
          let comparison = Superscript.Comparison(rawValue: UInt8(truncatingIfNeeded: node.c))
          return try compare(a, b, comparison ?? .less)
        case .less: return try inCEL(a, b, .less)
        case .lessOrEqual: return try inCEL(a, b, .lessOrEqual)
        case .testCall:
          return isWithin ? try within(a, b) : try contains(a, b)
        default: return try within(a, b)
        }
      }
    }
  }

  // MARK: Equality

  func equal(_ a: SQLValue, _ b: SQLValue) throws(SQLRefusal) -> SQLOutcome {
    if let fault = a.fault ?? b.fault { return SQLOutcome(fault: fault) }
    if let first = a.cell, let second = b.cell {
      return SQLOutcome(Self.areEqual(first, second))
    }
    // A constant operand is moved to the right.
    if a.cell != nil { return try equal(b, a) }
    switch (a, b) {
    case (.text(let text), .constant(let cell)):
      return cell.isText
        ? SQLOutcome(.atom(equality(text, try literal(cell)), true)) : SQLOutcome(false)
    case (.integer(let number), .constant(let cell)), (.unsigned(let number), .constant(let cell)),
      (.number(let number), .constant(let cell)),
      (.double(let number), .constant(let cell)):
      guard Tag.int...Tag.double ~= cell.tag, !cell.nearestDouble.isNaN else {
        return SQLOutcome(false)
      }
      return SQLOutcome(.atom(equality(number, try literal(cell)), true))
    case (.list(let list), .constant(let cell)):
      guard cell.tag == Tag.list else { return SQLOutcome(false) }
      let elements = Array(cell.elements)
      guard elements.count <= 32 else { throw SQLRefusal("the condition compares long lists") }
      let count = SQLExpression(text: database.listCount(list.text), columns: list.columns)
      var outcome = SQLOutcome(.atom(equality(count, "\(elements.count)"), true))
      for (place, constant) in elements.enumerated() {
        let element = try element(Cell(Int64(place)), of: a)
        let same = try element.testing { value throws(SQLRefusal) in
          try equal(value, .constant(constant))
        }
        outcome = SQLOutcome(
          yes: .all(of: [outcome.yes, same.yes]), no: .any(of: [outcome.no, same.no]), faults: [])
      }
      return outcome
    case (.time(let time), .constant(let cell)), (.span(let time), .constant(let cell)):
      guard let constant = try unit(cell, like: a) else { return SQLOutcome(false) }
      return SQLOutcome(.atom(equality(time, constant), true))
    case (.text(let first), .text(let second)), (.time(let first), .time(let second)),
      (.span(let first), .span(let second)):
      return SQLOutcome(.atom(pair(first, "=", second), true))
    case (.list, .list): throw SQLRefusal("the condition compares lists")
    // NULL means a missing attribute, so no column value is null.
    case (.something, .constant(.null)): return SQLOutcome(false)
    case (.something(let name), _), (_, .something(let name)):
      throw SQLRefusal("the type of '\(name)' is not known")
    default:
      guard let first = a.number, let second = b.number else { return SQLOutcome(false) }
      return SQLOutcome(.atom(pair(first, "=", second), true))
    }
  }

  static func areEqual(_ a: Cell, _ b: Cell) -> Bool {
    // SAFETY: Pointers to the local cells stay in their closures. Tests: SQLTests.
    withUnsafePointer(to: a) { a in withUnsafePointer(to: b) { Comparing.areEqual(a, $0) } }
  }

  /// A relation of two columns.
  private func pair(_ a: SQLExpression, _ sign: String, _ b: SQLExpression) -> SQLAtom {
    .predicate("\(a.text) \(sign) \(b.text)", columns: a.columns + b.columns)
  }

  // MARK: Order

  /// The order of superscript. Null can only be compared with null.
  private func compare(_ a: SQLValue, _ b: SQLValue, _ comparison: Superscript.Comparison)
    throws(SQLRefusal) -> SQLOutcome
  {
    if a.cell == .null, b.cell == .null {
      return SQLOutcome(comparison == .lessOrEqual || comparison == .greaterOrEqual)
    }
    if a.cell == .null { return SQLOutcome(fault: .nullComparison) }
    if a.cell?.tag == Tag.bytes { return SQLOutcome(fault: .noSuchOverload) }
    return try ordered(a, b, comparison)
  }

  /// The order of CEL. Every comparison with NaN is false.
  private func inCEL(_ a: SQLValue, _ b: SQLValue, _ comparison: Superscript.Comparison)
    throws(SQLRefusal) -> SQLOutcome
  {
    func isNumber(_ value: SQLValue) -> Bool {
      value.number != nil || value.cell.map { Tag.int...Tag.double ~= $0.tag } ?? false
    }
    let isNaN = [a, b].contains { $0.cell?.tag == Tag.double && $0.cell?.doubleValue.isNaN == true }
    if isNaN, isNumber(a), isNumber(b) { return SQLOutcome(false) }
    return try ordered(a, b, comparison)
  }

  private func ordered(_ a: SQLValue, _ b: SQLValue, _ comparison: Superscript.Comparison)
    throws(SQLRefusal) -> SQLOutcome
  {
    if let first = a.cell, let second = b.cell {
      return Self.order(first, second).map { SQLOutcome(Self.holds(comparison, $0)) }
        ?? SQLOutcome(fault: .noSuchOverload)
    }
    let sign = ["<", "<=", ">", ">="][Int(comparison.rawValue)]
    let isStrict = comparison == .less || comparison == .greater
    func atom(
      _ first: String, _ second: String, _ columns: [String], excludes: [String] = []
    ) -> SQLOutcome {
      SQLOutcome(
        .atom(
          .predicate("\(first) \(sign) \(second)", columns: columns, excludes: excludes), true))
    }
    if case .something(let name) = a { throw SQLRefusal("the type of '\(name)' is not known") }
    if case .something(let name) = b { throw SQLRefusal("the type of '\(name)' is not known") }
    if let first = try textOperand(a), let second = try textOperand(b) {
      return atom(database.ordered(first.text), second.text, first.columns + second.columns)
    }
    if let first = try numberOperand(a), let second = try numberOperand(b) {
      // NaN is the largest number in some databases, and has no order in others. Both columns may be NaN.
      let smaller = comparison == .less || comparison == .lessOrEqual ? first : second
      return atom(
        first.text, second.text, first.columns + second.columns,
        excludes: isStrict || a.cell != nil || b.cell != nil ? [nan(smaller).text] : [])
    }
    if let first = try timeOperand(a, like: b), let second = try timeOperand(b, like: a) {
      return atom(first.text, second.text, first.columns + second.columns)
    }
    return SQLOutcome(fault: .noSuchOverload)
  }

  private static func order(_ a: Cell, _ b: Cell) -> Comparing.Order? {
    // SAFETY: Pointers to the local cells stay in their closures. Tests: SQLTests.
    let order = withUnsafePointer(to: a) { a in
      withUnsafePointer(to: b) { Comparing.order(a, $0) }
    }
    return order == .unordered || order == .noOverload ? nil : order
  }

  private static func holds(_ comparison: Superscript.Comparison, _ order: Comparing.Order) -> Bool
  {
    switch comparison {
    case .less: order == .less
    case .lessOrEqual: order != .greater
    case .greater: order == .greater
    case .greaterOrEqual: order != .less
    }
  }

  /// A string as an operand; nil for values of other types.
  func textOperand(_ value: SQLValue) throws(SQLRefusal) -> SQLExpression? {
    switch value {
    case .text(let text): return text
    case .constant(let cell) where cell.isText:
      return SQLExpression(text: try literal(cell), columns: [])
    default: return nil
    }
  }

  /// A number that is not NaN as an operand; nil for other values.
  func numberOperand(_ value: SQLValue) throws(SQLRefusal) -> SQLExpression? {
    if let number = value.number { return number }
    guard let cell = value.cell, Tag.int...Tag.double ~= cell.tag, !cell.nearestDouble.isNaN else {
      return nil
    }
    return SQLExpression(text: try literal(cell), columns: [])
  }

  private func timeOperand(_ value: SQLValue, like other: SQLValue) throws(SQLRefusal)
    -> SQLExpression?
  {
    switch (value, other) {
    case (.time(let time), .time), (.span(let time), .span), (.time(let time), .constant),
      (.span(let time), .constant):
      return time
    case (.constant(let cell), .time), (.constant(let cell), .span):
      return try unit(cell, like: other).map { SQLExpression(text: $0, columns: []) }
    default: return nil
    }
  }

  /// A time or duration in the unit of columns; nil for values of other types.
  private func unit(_ cell: Cell, like value: SQLValue) throws(SQLRefusal) -> String? {
    switch (cell.tag, value) {
    case (Tag.timestamp, .time): try literal(cell.timestampValue)
    case (Tag.duration, .span): try literal(nanoseconds: cell.intValue)
    default: nil
    }
  }

  // MARK: Literals

  /// A string or number as an SQL literal.
  func literal(_ cell: Cell) throws(SQLRefusal) -> String {
    switch cell.tag {
    case Tag.int: return database.literal(cell.intValue)
    case Tag.uint:
      guard let number = Int64(exactly: cell.uintValue) else {
        throw SQLRefusal("\(cell.uintValue) is larger than a BIGINT")
      }
      return database.literal(number)
    case Tag.double:
      guard cell.doubleValue.isFinite else { throw SQLRefusal("a number is infinite") }
      return database.literal(cell.doubleValue)
    default:
      let text = cell.text
      guard !text.unicodeScalars.contains("\0") else {
        throw SQLRefusal("a string has a NUL character")
      }
      return database.literal(text)
    }
  }

  // MARK: Membership

  /// Whether a value is an element of a constant list.
  func member(_ value: SQLValue, of elements: [Cell]) throws(SQLRefusal) -> SQLOutcome {
    if let fault = value.fault { return SQLOutcome(fault: fault) }
    if let cell = value.cell {
      return SQLOutcome(elements.contains { Self.areEqual(cell, $0) })
    }
    switch value {
    case .text(let text): return try oneOf(text, elements.filter(\.isText))
    case .integer(let number), .unsigned(let number), .number(let number), .double(let number):
      let numbers = elements.filter { Tag.int...Tag.double ~= $0.tag && !$0.nearestDouble.isNaN }
      let ints = try oneOf(number, numbers.filter { $0.tag != Tag.double })
      var conditions = [ints.yes]
      for double in numbers where double.tag == Tag.double {
        conditions.append(try equal(value, .constant(double)).yes)
      }
      return SQLOutcome(.any(of: conditions))
    case .time, .span, .list: throw SQLRefusal("the condition looks for a list or a time in a list")
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    case .constant, .fault: return SQLOutcome(false)
    }
  }

  private func oneOf(_ value: SQLExpression, _ elements: [Cell]) throws(SQLRefusal) -> SQLOutcome {
    var literals: [String] = []
    for element in elements {
      let literal = try literal(element)
      if !literals.contains(literal) { literals.append(literal) }
    }
    guard let first = literals.first else { return SQLOutcome(false) }
    if literals.count == 1 { return SQLOutcome(.atom(equality(value, first), true)) }
    let list = literals.joined(separator: ", ")
    let bools = [database.literal("true"), database.literal("false")]
    return SQLOutcome(
      .atom(
        .predicate(
          "\(value.text) IN (\(list))", not: "\(value.text) NOT IN (\(list))",
          columns: value.columns,
          excludes: bools.filter { !literals.contains($0) }.map { equality(value, $0).text }), true)
    )
  }

  /// Writes `element in collection`.
  private func within(_ element: SQLValue, _ collection: SQLValue) throws(SQLRefusal) -> SQLOutcome
  {
    if ruleSet.program.storage.environment.dialect == .cel, try textOperand(collection) != nil {
      // Only superscript finds substrings with `in`.
      return SQLOutcome(fault: .noSuchOverload)
    }
    if let part = try textOperand(element), let text = try textOperand(collection) {
      return holding(text, part, in: collection, element)
    }
    switch collection {
    case .list(let list): return try listed(element, list)
    case .constant(let cell) where cell.tag == Tag.list:
      return try member(element, of: Array(cell.elements))
    case .constant(let cell) where cell.tag == Tag.map: return try key(element, of: cell)
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    default:
      if case .something(let name) = element {
        throw SQLRefusal("the type of '\(name)' is not known")
      }
      return SQLOutcome(fault: element.cell == .null ? .nullComparison : .noSuchOverload)
    }
  }

  /// Writes superscript's `collection.contains(element)`.
  private func contains(_ collection: SQLValue, _ element: SQLValue) throws(SQLRefusal)
    -> SQLOutcome
  {
    switch collection {
    case .list(let list): return try listed(element, list)
    case .constant(let cell) where cell.tag == Tag.list:
      return try member(element, of: Array(cell.elements))
    case .constant(let cell) where cell.tag == Tag.map || cell.tag == Tag.bytes:
      // An empty map contains no key.
      if cell.tag == Tag.map, cell.outsideCount == 0, try textOperand(element) != nil {
        return SQLOutcome(false)
      }
      throw SQLRefusal("the condition looks into a map or bytes")
    case .text, .constant:
      if case .something(let name) = element {
        throw SQLRefusal("the type of '\(name)' is not known")
      }
      guard let text = try textOperand(collection), let part = try textOperand(element) else {
        return SQLOutcome(false)
      }
      return holding(text, part, in: collection, element)
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    case .fault, .integer, .unsigned, .number, .double, .time, .span: return SQLOutcome(false)
    }
  }

  /// Whether a string contains another string.
  func holding(
    _ text: SQLExpression, _ part: SQLExpression, in value: SQLValue, _ other: SQLValue
  ) -> SQLOutcome {
    if let whole = value.cell, let part = other.cell {
      return SQLOutcome(Self.test(.contains, whole, part))
    }
    let excludes = excluded(text, by: other) { Self.test(.contains, $0, $1) }
    return SQLOutcome(
      .atom(
        .predicate(
          database.contains(text.text, part.text), columns: text.columns + part.columns,
          excludes: excludes), true))
  }

  /// The atoms of strings that name bools and for which a test of a column with a constant is false.
  func excluded(
    _ text: SQLExpression, by other: SQLValue, _ test: (Cell, Cell) -> Bool
  ) -> [String] {
    guard let constant = other.cell, constant.isText, !text.columns.isEmpty else { return [] }
    return ["true", "false"].filter { !test(Self.text($0), constant) }
      .map { equality(text, database.literal($0)).text }
  }

  /// A short string as a cell.
  static func text(_ string: String) -> Cell {
    var string = string
    // SAFETY: The string has at most 15 bytes, which the cell holds. Tests: SQLTests.
    return string.withUTF8 { Cell(short: $0) } ?? .emptyText
  }

  /// The result of a test for two constant strings.
  static func test(_ test: Function, _ a: Cell, _ b: Cell) -> Bool {
    let (text, part) = (Array(a.text.utf8), Array(b.text.utf8))
    switch test {
    case .startsWith: return text.starts(with: part)
    case .endsWith: return text.reversed().starts(with: part.reversed())
    default:
      if part.isEmpty { return true }
      guard part.count <= text.count else { return false }
      return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }
  }

  /// Whether a list of strings contains an element.
  private func listed(_ element: SQLValue, _ list: SQLExpression) throws(SQLRefusal) -> SQLOutcome {
    func atom(_ test: String, _ columns: [String] = []) -> SQLOutcome {
      SQLOutcome(.atom(.predicate(test, columns: list.columns + columns), true))
    }
    func holds(_ text: String, _ columns: [String]) -> SQLOutcome {
      atom(database.listContains(list.text, text), columns)
    }
    if binding.readsNumberTexts, element.fault == nil {
      // In lists, strings are not converted to numbers.
      guard let cell = element.cell, cell.isText || cell.tag == Tag.bool else {
        throw SQLRefusal("the condition looks into a list whose strings may be numbers")
      }
      if cell.isText, binding.passed(.string(cell.text))?.text == nil { return SQLOutcome(false) }
    }
    switch element {
    case .fault(let kind): return SQLOutcome(fault: kind)
    case .text(let text): return holds(text.text, text.columns)
    case .constant(let cell):
      // Strings that name bools are bools in lists too.
      if cell.tag == Tag.bool, binding.readsBooleanTexts {
        return holds(database.literal(cell.boolValue ? "true" : "false"), [])
      }
      if cell.tag == Tag.null, binding.null != .emptyMap {
        let nulls = database.listCount(database.filtered(list.text, "item", "item IS NULL"))
        return atom("\(nulls) > 0")
      }
      // On iOS, an element that is NULL counts as a map.
      if cell.tag == Tag.null || cell.tag == Tag.map {
        throw SQLRefusal("the condition looks for null or a map in a list")
      }
      return cell.isText ? holds(try literal(cell), []) : SQLOutcome(false)
    case .integer, .unsigned, .number, .double, .time, .span, .list: return SQLOutcome(false)
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }

  /// Whether a constant map has a key.
  private func key(_ element: SQLValue, of map: Cell) throws(SQLRefusal) -> SQLOutcome {
    let keys = stride(from: 0, to: map.entries.count, by: 2).map { map.entries[$0] }
    switch element {
    case .fault(let kind): return SQLOutcome(fault: kind)
    case .text(let text): return try oneOf(text, keys.filter(\.isText))
    case .constant(let cell):
      return SQLOutcome(
        keys.contains {
          ($0.tag == cell.tag || $0.isText && cell.isText) && Self.areEqual($0, cell)
        })
    case .integer(let number): return try oneOf(number, keys.filter { $0.tag == Tag.int })
    case .unsigned, .number, .double:
      if !keys.contains(where: { Tag.int...Tag.uint ~= $0.tag }) { return SQLOutcome(false) }
      throw SQLRefusal("the condition looks for a number among the keys of a map")
    case .time, .span, .list: return SQLOutcome(false)
    case .something(let name): throw SQLRefusal("the type of '\(name)' is not known")
    }
  }
}
