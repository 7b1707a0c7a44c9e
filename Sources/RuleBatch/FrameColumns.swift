internal import Expressions
package import RuleEngine

/// The roles of a table's columns: identities, attributes, and the other members of a record, as in
/// ``UserRecordReader``. A column of the wrong type is an error, whether or not rules read it.
package struct FrameColumns: Sendable {
  package struct Options: Sendable {
    /// The column with the users' identities: strings or whole numbers.
    package var subject = UserMember.userID.key
    /// The root for columns that are neither members nor roots; nil if each is a separate root.
    package var root: String?
    /// The columns whose names differ from the paths of their values. The keys are paths such as
    /// `user.plan`.
    package var columns: [String: String] = [:]
    package var null = ArrowNull.missing
    /// Whether attributes that rules read may lack a column.
    package var ignoresMissing = false
    /// Whether the table has rows. Some producers, such as pandas, declare columns of unknown type
    /// as floats or NULL, which is not an error in an empty table.
    package var hasRows = true

    package init() {}
  }

  /// The maximum number of names in the path of a column. Paths are limited because the nesting of
  /// structs is limited.
  private static let mostLevels = 64

  package let binding: ArrowBinding
  private let table: ArrowField
  private let options: Options
  /// Whether the times of events are strings, which must be validated.
  let hasEventTexts: Bool

  package init(_ table: ArrowField, for ruleSet: RuleSet, _ options: Options = Options())
    throws(ArrowError)
  {
    let table = options.hasRows ? table : table.withoutKinds
    self.table = table
    self.options = options
    try FrameColumns.checkPlaces(options)
    binding = try FrameColumns.binding(table, ruleSet.program, options)
    for (place, column) in options.columns.sorted(by: { $0.key < $1.key }) {
      guard table.children.contains(where: { $0.name.utf8.elementsEqual(column.utf8) }) else {
        throw ArrowError(column, "is mapped to '\(place)', but the table has no such column")
      }
    }
    for member in UserMember.captured {
      guard let field = binding.captureFields[member.number] else { continue }
      guard member.takes(field) else {
        let isOfFloats = member == .userID && field.type.isFloat
        throw ArrowError(
          FrameColumns.name(of: member, options),
          "must be \(member.wantedColumn), not \(field.kind)"
            + (isOfFloats
              ? "; cast it to an integer type (pandas: astype('Int64'), as integers with missing values become floats)"
              : ""))
      }
      if let problem = field.problem(FrameColumns.name(of: member, options)) { throw problem }
    }
    hasEventTexts =
      binding.captureFields[UserMember.events.number].map { !$0.holdsTimestamps } ?? false
    let subject = FrameColumns.name(of: .userID, options)
    guard
      binding.captureFields[UserMember.userID.number] != nil
        || !options.hasRows && !table.indexes(of: subject).isEmpty
    else { throw FrameColumns.missingSubject(table, options) }
    let missing = missingAttributes(ruleSet)
    if !options.ignoresMissing, let first = missing.first {
      let others = missing.count - 1
      let more = others > 0 ? " (nor \(others) other\(others == 1 ? "" : "s"))" : ""
      throw ArrowError(
        first,
        "rules read this attribute, and no column has it\(more); "
          + "add the column, map it to another column, or ignore missing columns")
    }
  }

  private static func binding(_ table: ArrowField, _ program: Program, _ options: Options)
    throws(ArrowError) -> ArrowBinding
  {
    try ArrowBinding(
      table, for: program, null: options.null,
      ArrowBinding.Places(
        objects: UserMember.allCases.filter { $0.kind == .attributes }.map { $0.key },
        captures: UserMember.captured.map { $0.key },
        paths: { FrameColumns.paths(of: $0, options) }))
  }

  /// Finds the columns of the table for the rules of another SDK.
  func columns(for ruleSet: RuleSet) throws(ArrowError) -> FrameColumns {
    try FrameColumns(table, for: ruleSet, options)
  }

  /// The columns that another program reads.
  func binding(for program: Program) throws(ArrowError) -> ArrowBinding {
    try FrameColumns.binding(table, program, options)
  }

  /// Rejects paths that are longer than any attribute path.
  private static func checkPlaces(_ options: Options) throws(ArrowError) {
    for (place, column) in options.columns where split(place).count > mostLevels {
      throw ArrowError(
        column, "is mapped to a path with more than \(mostLevels) names")
    }
  }

  private static func name(of member: UserMember, _ options: Options) -> String {
    options.columns[member.key] ?? (member == .userID ? options.subject : member.key)
  }

  /// The paths of a column of the table.
  private static func paths(of column: String, _ options: Options) -> [[String]] {
    func isColumn(_ name: String) -> Bool { name.utf8.elementsEqual(column.utf8) }
    let named = options.columns.filter { isColumn($0.value) }.map { $0.key }.sorted()
    if !named.isEmpty { return named.map { split($0) } }
    if isColumn(options.subject) { return [[UserMember.userID.key]] }
    let path = split(column)
    // Structs and attributes are never nested this deep, so the column is never read.
    if path.count > FrameColumns.mostLevels { return [] }
    let isMember = UserMember.allCases.contains { $0.key == path[0] }
    // The column is named like identities, but another column has the users' identities.
    if isColumn(UserMember.userID.key) { return options.root.map { [[$0] + path] } ?? [] }
    if !isMember, let root = options.root { return [split(root) + path] }
    return [path]
  }

  private static func split(_ path: String) -> [String] {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private static func missingSubject(_ table: ArrowField, _ options: Options) -> ArrowError {
    if table.children.contains(where: { $0.name.utf8.elementsEqual(options.subject.utf8) }) {
      return ArrowError(
        options.subject, "is of the type null, so no row has a user ID")
    }
    let meant = table.children.map { $0.name }.first { UserMember.meansID($0) }
    let hint =
      meant.map { "there is '\($0)': name it as the column of identities" }
      ?? "name the one with the users' identities"
    return ArrowError(options.subject, "there is no such column with values; \(hint)")
  }

  /// The columns of attributes, by their slots. Columns with parts of maps or of JSON have no type.
  package var attributes: [(slot: Int, column: String, field: ArrowField)] {
    binding.sources.compactMap { source in
      guard case .column(let field) = source.content, !field.isJSON else { return nil }
      return (source.slot, source.name, field)
    }
  }

  /// The attributes that rules read, but that no column has and that cannot be derived from other
  /// columns.
  private func missingAttributes(_ ruleSet: RuleSet) -> [String] {
    let isAgentWallie = ruleSet.format == .agentWallie
    let missing = Set(binding.missing)
    let read = Set(ruleSet.requirements.map { $0.description })
    var needless: Set<String> = []
    for attribute in ruleSet.storage.derived {
      let sources = (DeviceDerivation.sources(of: attribute) ?? []).map { $0.description }
      needless.formUnion(sources.filter { !read.contains($0) })
      // One source column is enough.
      if sources.isEmpty || !missing.isSuperset(of: sources) {
        needless.insert(AttributePath([UserMember.device.key, attribute.rawValue]).description)
      }
    }
    let known = UserMember.attributes(hasUserID: isAgentWallie).filter {
      binding.captureFields[$0.member.number] != nil
    }.map { "\($0.root.key).\($0.name)" }
    return binding.missing.filter { !known.contains($0) && !needless.contains($0) }
  }
}

extension UserMember {
  /// Whether a column may contain the values of the member.
  fileprivate func takes(_ field: ArrowField) -> Bool {
    switch kind {
    case .text:
      if self == .userID, case .integer = field.type { return true }
      return field.type.isText
    case .time: return field.isTime
    case .texts: return field.isList { $0.type.isText || $0.type == .null }
    case .assignments:
      return field.isList { element in
        element.type == .structure && element.codes == nil
          && element.has("experimentId") { $0.type.isText }
          && element.has("variantId") { $0.type.isText }
          && (element.has("isSentToServer") { $0.type == .bool || $0.type == .null }
            || !element.has("isSentToServer") { _ in true })
      }
    case .times:
      guard field.codes == nil else { return false }
      switch field.type {
      case .structure: return field.children.allSatisfy { $0.isListOfTimes }
      case .map:
        let entries = field.children[0].children
        return entries[0].type.isText && entries[1].isListOfTimes
      default: return false
      }
    case .attributes: return true
    }
  }

  /// The required type of a column for the member.
  fileprivate var wantedColumn: String {
    switch kind {
    case .text: self == .userID ? "a string or an integer" : "a string"
    case .time: "a timestamp with a time zone, or a string such as 2026-03-01T12:00:00Z"
    case .texts: "a list of strings"
    case .assignments: "a list of structs with the strings 'experimentId' and 'variantId'"
    case .times: "a struct or a map of lists of timestamps"
    case .attributes: "a struct"
    }
  }
}

extension ArrowField {
  /// The same table, with columns of floats that may have any type.
  fileprivate var withoutKinds: ArrowField {
    var table = self
    for (i, column) in children.enumerated() where column.type == .double && column.codes == nil {
      table.children[i] = ArrowField(column.name, .null)
    }
    return table
  }

  fileprivate var isTime: Bool {
    if case .timestamp = type { return true }
    return type.isText
  }

  fileprivate var isListOfTimes: Bool {
    type == .null || isList { $0.isTime || $0.type == .null }
  }

  fileprivate func isList(_ holds: (ArrowField) -> Bool) -> Bool {
    type.isList && codes == nil && holds(children[0])
  }

  fileprivate func has(_ name: String, _ isRight: (ArrowField) -> Bool) -> Bool {
    let found = children.filter { $0.name.utf8.elementsEqual(name.utf8) }
    return found.count == 1 && isRight(found[0])
  }

  /// Whether all values below are timestamps, which are always valid.
  fileprivate var holdsTimestamps: Bool {
    if type.isList { return children[0].holdsTimestamps }
    if type == .structure { return children.allSatisfy({ $0.holdsTimestamps }) }
    if type == .map { return children[0].children[1].holdsTimestamps }
    if case .timestamp = type { return true }
    return type == .null
  }
}
