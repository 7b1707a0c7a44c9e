// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CTollgate
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine

/// The counts of all calls and streams that use one plan, from any thread.
final class Report: Sendable {
  private struct Counts: Sendable {
    var plan: TablePlan?
    var sums: BatchSums?
    var rejected: [Value] = []
    var failure: Value?
    var columns: [ColumnWarning] = []
    var untrimmed: (rows: Int, example: String) = (0, "")
    var notes = RecordNotes()
  }

  private let counts = Locked(Counts())

  /// Rejects any plan except the plan that was counted first, because the counts depend on the plan.
  func check(_ plan: TablePlan) throws(LibraryError) {
    let isOther = counts.withLock { counts in
      if counts.plan == nil { counts.plan = plan }
      return counts.plan !== plan
    }
    if isOther {
      throw LibraryError(
        TG_BAD_REQUEST, "other_plan",
        "the report belongs to another plan; make a report for each plan")
    }
  }

  /// - Parameters:
  ///   - worker: the worker that decided these rows.
  ///   - first: the number of the first row.
  func add(
    _ sums: BatchSums, _ worker: FrameWorker, from first: Int, _ plan: TablePlan,
    _ binding: TableBinding
  ) {
    let (rejected, untrimmed, notes) = (worker.rejected, worker.untrimmed, worker.notes)
    counts.withLock { counts in
      if counts.sums == nil { counts.sums = plan.batch.emptySums }
      counts.sums?.add(sums)
      for warning in binding.warnings where !counts.columns.contains(warning) {
        counts.columns.append(warning)
      }
      if untrimmed.rows > 0 {
        if counts.untrimmed.rows == 0 { counts.untrimmed.example = untrimmed.example }
        counts.untrimmed.rows += untrimmed.rows
      }
      counts.notes.add(notes)
      for row in rejected where counts.rejected.count < FrameWorker.mostReasons {
        counts.rejected.append(
          .object(["row": .int(Int64(first + row.row)), "reason": .string(row.reason)]))
      }
    }
  }

  /// Stores why a stream has ended, because errors of streams have no place for a column.
  func fail(_ error: ArrowError) {
    let failure = LibraryError(error, TG_BAD_ARRAY).value
    counts.withLock { $0.failure = failure }
  }

  var value: Value {
    let counts = counts.withLock { $0 }
    var members: [Value.Entry] = [
      .init(key: "users", value: 0), .init(key: "rejected", value: 0),
      .init(key: "placements", value: .map([])),
    ]
    if let plan = counts.plan,
      case .map(let found) = plan.batch.tally(of: counts.sums ?? plan.batch.emptySums).value
    {
      members = found
    }
    members.append(.init(key: "rejects", value: .list(counts.rejected)))
    let warnings =
      counts.columns.map(\.value) + untrimmed(counts) + versions(counts)
      + allRejected(counts)
    if !warnings.isEmpty { members.append(.init(key: "warnings", value: .list(warnings))) }
    if let failure = counts.failure { members.append(.init(key: "failure", value: failure)) }
    return .map(members)
  }
}

extension Report {
  /// The warning that no row has an outcome.
  private func allRejected(_ counts: Counts) -> [Value] {
    guard let sums = counts.sums, sums.users == 0, sums.rejected > 0,
      let reason = counts.rejected.first?["reason"]?.text
    else { return [] }
    return [
      .object([
        "code": "rejected-rows",
        "message": .string("no row has an outcome: \(reason)"),
        "users": .int(Int64(sums.rejected)),
      ])
    ]
  }

  /// The warnings about versions of SDKs.
  private func versions(_ counts: Counts) -> [Value] {
    counts.notes.versionDiagnostics(users: counts.sums?.users ?? 0).map {
      .object(["code": .string($0.code.rawValue), "message": .string($0.message)])
    }
  }

  /// The warning about IDs that begin or end with white space, if there are any.
  private func untrimmed(_ counts: Counts) -> [Value] {
    let (rows, example) = counts.untrimmed
    if rows == 0 { return [] }
    let id = Value.string(example).json
    let message =
      rows == 1
      ? "1 user ID begins or ends with white space: \(id)"
      : "\(rows) user IDs begin or end with white space, such as \(id)"
    return [
      .object([
        "code": .string(Diagnostic.Code.untrimmedID.rawValue),
        "message": .string("\(message); trim them, because SDKs do"), "users": .int(Int64(rows)),
      ])
    ]
  }
}

@c @implementation
public func tg_report_make(_ out: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  // SAFETY: The pointer retains the report until `tg_report_free`. Tests: TableTests,
  // Tools/python-tests.sh.
  guard let out else { return TG_BAD_ARGUMENT }
  out.initialize(to: OpaquePointer(keeping: Report()))
  return TG_OK
}

@c @implementation
public func tg_report_read(
  _ report: OpaquePointer?, _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    guard let report else { throw .null("report") }
    return Array(report.object(Report.self).value.json.utf8)
  }
}

@c @implementation
public func tg_report_free(_ report: OpaquePointer?) { report?.free(Report.self) }
