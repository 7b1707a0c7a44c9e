// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

#if !TOLLGATE_NO_FRAMES
  public import CTollgate
  internal import Expressions
  internal import Requests
  internal import RuleEngine

  /// Counts over any number of calls and streams of one plan, from any thread.
  final class Report: Sendable {
    private struct Counts: Sendable {
      var plan: TablePlan?
      var sums: BatchSums?
      var rejected: [Value] = []
    }

    private let counts = Locked(Counts())

    /// Refuses another plan than the one that was counted for: what is counted depends on it.
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

    var value: Value {
      let counts = counts.withLock { $0 }
      guard let plan = counts.plan, let sums = counts.sums,
        case .map(let members) = plan.batch.tally(of: sums).value
      else { return .object(["users": 0, "rejected": 0, "placements": .map([]), "rejects": []]) }
      return .map(members + [.init(key: "rejects", value: .list(counts.rejected))])
    }
  }

  @c @implementation
  public func tg_report_make(_ out: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
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
#endif
