// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CTollgate
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine

/// Counts over any number of calls and streams of one plan, from any thread.
final class Report: Sendable {
  private struct Counts: Sendable {
    var plan: TablePlan?
    var sums: BatchSums?
    var rejected: [Value] = []
    var failure: Value?
  }

  private let counts = Locked(Counts())

  /// Rejects another plan than the one that was counted, because the counts depend on it.
  func check(_ plan: TablePlan) throws(LibraryError) {
    let isOther = counts.withLock { counts in
      if counts.plan == nil { counts.plan = plan }
      return counts.plan !== plan
    }
    if isOther {
      throw LibraryError(
        TG_BAD_REQUEST, "other_plan", "the report counts for another plan; make one for each")
    }
  }

  /// - Parameter first: the row that these begin with.
  func add(
    _ sums: BatchSums, _ rejected: [FrameWorker.RejectedRow], from first: Int, _ plan: TablePlan
  ) {
    counts.withLock { counts in
      if counts.sums == nil { counts.sums = plan.batch.emptySums }
      counts.sums?.add(sums)
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
    if let failure = counts.failure { members.append(.init(key: "failure", value: failure)) }
    return .map(members)
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
