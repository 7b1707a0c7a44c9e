internal import CivilTime
internal import Expressions
internal import RuleEngine

/// A decision that an app has reported: one row of an export of events.
struct RecordedDecision {
  var time: Instant
  var userID: String
  var placement: String
  /// Tollgate's name of the result; nil for a result that rules do not decide, such as `userIsSubscribed`.
  var result: String?
  /// The result as it is written in the row.
  var givenResult: String
  var build: String?
  var paywall: String?
  var experiment: String?
  var variant: String?
  /// The user, as a user record.
  var record: Value

  /// A readable reason why a row cannot be used.
  struct Fault: Error {
    let reason: String
  }

  /// A column of an export and the names that it may have, compared without case and `_`.
  fileprivate enum Column: String, CaseIterable {
    case time = "ts"
    case userID = "user_id"
    case placement, result, platform
    case sdkVersion = "sdk_version"
    case wrapper = "platform_wrapper"
    case appVersion = "app_version"
    case build = "config_build_id"
    case paywall = "paywall_id"
    case experiment = "experiment_id"
    case variant = "variant_id"
    case params, user, device

    /// The names of the column, in order of preference, because an export may have several of them.
    var names: [String] {
      let own = RecordedDecision.folded(rawValue)
      return switch self {
      case .time: [own, "at", "time", "timestamp"]
      case .userID: [own, "appuserid", "alias", "aliasid"]
      case .placement: [own, "placementname", "triggername"]
      case .build: [own, "staticconfigbuildid", "buildid"]
      case .paywall: ["paywallidentifier", own]
      case .user: [own, "userattributes"]
      case .device: [own, "deviceattributes"]
      default: [own]
      }
    }

    static let required: [Column] = [.time, .userID, .placement, .result]
  }

  /// The column of each name without case and `_`, and the rank of the name among the column's names.
  private static let columns = Dictionary(
    uniqueKeysWithValues: Column.allCases.flatMap { column in
      column.names.enumerated().map { ($1, (column: column, rank: $0)) }
    })

  private static func folded(_ name: String) -> String {
    name.lowercased().replacing("_", with: "")
  }

  /// The names of columns and results in an export, each looked up once.
  struct Names {
    fileprivate var columns: [String: (column: Column, rank: Int)?] = [:]
    fileprivate var results: [String: String?] = [:]
    /// Columns that are not read, although their names are similar to the names of columns that are read.
    private(set) var nearMisses: [(name: String, meant: String)] = []
    /// The maximum number of stored names, because every row of JSON may have other names.
    private static let most = 1_000

    fileprivate mutating func column(_ name: String) -> (column: Column, rank: Int)? {
      if let known = columns[name] { return known }
      let found = RecordedDecision.columns[RecordedDecision.folded(name)]
      guard columns.count < Self.most else { return found }
      columns[name] = .some(found)
      if found == nil,
        let meant = Suggestion.closest(to: name, among: Column.allCases.map(\.rawValue))
      {
        nearMisses.append((name, meant))
      }
      return found
    }

    fileprivate mutating func result(_ name: String) -> String? {
      if let known = results[name] { return known }
      let found = RecordedDecision.results[RecordedDecision.folded(name)]
      if results.count < Self.most { results[name] = .some(found) }
      return found
    }
  }

  /// A readable message about the required columns that a table lacks; nil if it has all of them.
  static func problem(columns names: [String]) -> String? {
    var found = Names()
    let known = Set(names.compactMap { found.column($0)?.column })
    let missing = Column.required.filter { !known.contains($0) }
    guard !missing.isEmpty else { return nil }
    let meant = found.nearMisses.map { "; did you mean '\($0.meant)' by '\($0.name)'?" }.joined()
    return "has no column \(missing.map(\.rawValue).joined(separator: ", "))"
      + (meant.isEmpty ? "; it has \(names.prefix(8).joined(separator: ", "))" : meant)
  }

  /// Whether the cells of a column of CSV are strings, as versions are: `4.10` is not a number.
  static func isText(column name: String) -> Bool {
    switch columns[folded(name)]?.column {
    case nil, .params, .user, .device: false
    case .some: true
    }
  }

  /// The names of results in events and in the interfaces of SDKs.
  private static let results: [String: String] = [
    "paywall": "paywall", "present": "paywall", "presented": "paywall",
    "holdout": "holdout",
    "noaudiencematch": "noAudienceMatch", "norulematch": "noAudienceMatch",
    "placementnotfound": "placementNotFound", "eventnotfound": "placementNotFound",
    "error": "error", "paywallnotavailable": "error",
  ]

  /// Reads a row, as an object of its columns.
  init(_ row: Value, _ names: inout Names) throws(Fault) {
    guard let members = row.members else {
      throw Fault(reason: "a row must be a JSON object with the columns of the export")
    }
    var (cells, ranks): ([Column: Value], [Column: Int]) = ([:], [:])
    for (name, value) in members where value != .null {
      guard let (column, rank) = names.column(name), rank <= ranks[column] ?? rank else { continue }
      cells[column] = value
      ranks[column] = rank
    }
    func text(_ column: Column) throws(Fault) -> String? {
      switch cells[column] {
      case nil: return nil
      case .string(let text)?: return text.isEmpty ? nil : text
      case .int(let number)?: return String(number)
      case .uint(let number)?: return String(number)
      case .some(let value):
        throw Fault(reason: "'\(column.rawValue)' must be a string, not \(value.kindInJSON)")
      }
    }
    func required(_ column: Column) throws(Fault) -> String {
      if let text = try text(column) { return text }
      throw Fault(reason: "'\(column.rawValue)' is missing")
    }
    time = try Self.time(cells[.time])
    userID = try required(.userID)
    placement = try required(.placement)
    givenResult = try required(.result)
    result = names.result(givenResult)
    build = try text(.build)
    paywall = try text(.paywall)
    experiment = try text(.experiment)
    variant = try text(.variant)
    var device = try Self.members(cells[.device], "device")
    for (column, name) in [
      (Column.platform, "platform"), (.sdkVersion, "sdkVersion"), (.wrapper, "platformWrapper"),
      (.appVersion, "appVersion"),
    ] {
      guard let text = try text(column), !device.contains(where: { $0.key == .string(name) })
      else { continue }
      device.append(.init(key: .string(name), value: .string(text)))
    }
    record = .object([
      "userId": .string(userID), "user": .map(try Self.members(cells[.user], "user")),
      "device": .map(device), "params": .map(try Self.members(cells[.params], "params")),
    ])
  }

  /// The attributes of a cell: an object, or a string with the JSON of an object.
  private static func members(_ cell: Value?, _ name: String) throws(Fault) -> [Value.Entry] {
    switch cell {
    case nil: return []
    case .map(let members)?: return members
    case .string(let text)?:
      if text.isEmpty { return [] }
      if case .map(let members)? = try? Value.parse(json: text.utf8) { return members }
    default: break
    }
    throw Fault(reason: "'\(name)' must be an object, or a string with the JSON of an object")
  }

  /// A time in ISO 8601, in UTC if it has no zone, or in seconds or milliseconds since 1970.
  private static func time(_ cell: Value?) throws(Fault) -> Instant {
    if let number = cell?.number ?? cell?.text.flatMap(Double.init), number.isFinite, number > 0 {
      let milliseconds = number < 1e11 ? number * 1_000 : number
      if milliseconds < 2.5e14 { return Instant(milliseconds: Int64(milliseconds)) }
    }
    guard let text = cell?.text else {
      throw Fault(reason: cell == nil ? "'ts' is missing" : "'ts' must be a time")
    }
    do throws(WireTime.Fault) {
      return try WireTime.instant(text.replacing(" ", with: "T"), in: "UTC")
    } catch {
      throw Fault(reason: "'ts': " + error.message(text))
    }
  }

  /// The decision in readable form: `'annual' (variant 'v1')`, or `no match`.
  var text: String {
    let name =
      switch result {
      case "paywall": paywall.map { "'\($0)'" } ?? "a paywall"
      case "noAudienceMatch": "no match"
      case "placementNotFound": "no such placement"
      default: givenResult
      }
    let notes = [
      experiment.map { "experiment '\($0)'" }, variant.map { "variant '\($0)'" },
    ].compactMap { $0 }
    return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
  }
}
