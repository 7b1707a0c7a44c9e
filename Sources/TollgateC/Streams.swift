// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CArrow
internal import CShims
public import CTollgate
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine

/// An exported stream of outcomes. Only one thread at a time should read the stream. Readers in other languages do not
/// prevent concurrent reads, so concurrent readers get different parts.
private final class OutcomeStream {
  // SAFETY: `turn` lets one thread at a time ask the stream. The error's text lives as long as the
  // stream and is freed in `deinit`. Tests: TableTests.streamsThatFailSayWhy, asan.

  let plan: TablePlan
  let binding: TableBinding
  let report: Report?
  var stream: FrameStream
  private let turn = Locked(())
  /// The reason why the stream has ended. The string lives as long as the stream.
  private var problem: UnsafeMutablePointer<CChar>?

  init(
    _ plan: TablePlan, _ binding: TableBinding, _ report: Report?, _ stream: consuming FrameStream
  ) {
    self.plan = plan
    self.binding = binding
    self.report = report
    self.stream = stream
  }

  deinit { free(problem) }

  var lastError: UnsafePointer<CChar>? {
    turn.withLock { _ in problem.map { UnsafePointer($0) } }
  }

  /// - Returns: an error number, as for any stream.
  func next(_ out: UnsafeMutablePointer<ArrowArray>) -> Int32 {
    out.initialize(to: ArrowArray())
    return turn.withLock { _ in part(out) }
  }

  private func part(_ out: UnsafeMutablePointer<ArrowArray>) -> Int32 {
    if problem != nil { return EINVAL }
    do throws(ArrowError) {
      guard let sums = try stream.decide() else { return 0 }
      try plan.outcomes.export(stream.worker, to: out)
      report?.add(sums, stream.worker, from: stream.firstRow, plan, binding)
      return 0
    } catch {
      report?.fail(error)
      problem = strdup(error.message)
      return EINVAL
    }
  }

  static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>) -> OutcomeStream? {
    stream.pointee.private_data.map {
      Unmanaged<OutcomeStream>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Writes the stream to the caller's memory. The caller releases the stream.
  func export(to out: UnsafeMutablePointer<ArrowArrayStream>) {
    // SAFETY: `private_data` retains the stream. `release` clears itself and releases it, so it
    // runs once. Tests: TableTests.streamsAreReleasedWhateverHappens, asan.
    out.initialize(
      to: ArrowArrayStream(
        get_schema: { stream, out in
          guard let stream, let out, let own = OutcomeStream.of(stream) else { return EINVAL }
          own.plan.outcomes.exportSchema(to: out)
          return 0
        },
        get_next: { stream, out in
          guard let stream, let out, let own = OutcomeStream.of(stream) else { return EINVAL }
          return own.next(out)
        },
        get_last_error: { stream in
          stream.flatMap { OutcomeStream.of($0)?.lastError }
        },
        release: { stream in
          guard let stream, stream.pointee.release != nil else { return }
          stream.pointee.release = nil
          if let own = stream.pointee.private_data {
            Unmanaged<OutcomeStream>.fromOpaque(own).release()
          }
          stream.pointee.private_data = nil
        },
        private_data: Unmanaged.passRetained(self).toOpaque()))
  }
}

/// Takes over a stream, even if the call fails, and returns the roles of its columns.
private func taken(
  _ users: UnsafeMutablePointer<ArrowArrayStream>?, _ plan: OpaquePointer?, counts: Bool
) throws(LibraryError) -> (TablePlan, TableBinding, FrameStreamBox) {
  // SAFETY: The caller's stream is moved and marked as released, even if this fails.
  // Tests: TableTests.streamsAreReleasedWhateverHappens, asan.
  guard let users else { throw .null("users") }
  let stream = ArrowStream(taking: users)
  let plan = try TollgateC.plan(plan)
  let schema: ArrowField
  do throws(ArrowError) {
    schema = try stream.schema()
  } catch {
    throw LibraryError(error, TG_BAD_ARRAY)
  }
  let (binding, hasEnded) = try plan.binding(schema) { isWithoutRows(stream) }
  let made = FrameStream(
    counts ? plan.counting : plan.batch, binding.columns, stream, hasEnded: hasEnded)
  return (plan, binding, FrameStreamBox(made))
}

/// Reads a stream until its first row.
///
/// - Returns: whether the stream has no rows.
private func isWithoutRows(_ stream: borrowing ArrowStream) -> Bool {
  do throws(ArrowError) {
    while let batch = try stream.next() {
      if batch.count > 0 { return false }
    }
    return true
  } catch {
    return false
  }
}

/// A stream that can be passed on. Tuples cannot contain noncopyable values.
private final class FrameStreamBox {
  private var stream: FrameStream?

  init(_ stream: consuming FrameStream) { self.stream = consume stream }

  func take() -> FrameStream? {
    var taken: FrameStream?
    swap(&taken, &stream)
    return taken
  }
}

@c @implementation
public func tg_plan_stream(
  _ plan: OpaquePointer?, _ users: UnsafeMutablePointer<ArrowArrayStream>?,
  _ report: OpaquePointer?, _ out: UnsafeMutablePointer<ArrowArrayStream>?,
  _ error: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  out?.initialize(to: ArrowArrayStream())
  return attempt(error) { () throws(LibraryError) in
    let (plan, binding, box) = try taken(users, plan, counts: false)
    guard let out else { throw .null("out") }
    let report = report?.object(Report.self)
    try report?.check(plan)
    guard let stream = box.take() else { return }
    OutcomeStream(plan, binding, report, stream).export(to: out)
  }
}

@c @implementation
public func tg_plan_count(
  _ plan: OpaquePointer?, _ users: UnsafeMutablePointer<ArrowArrayStream>?,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  let status = answer(out) { () throws(LibraryError) in
    let (plan, binding, box) = try taken(users, plan, counts: true)
    let report = Report()
    try report.check(plan)
    guard var stream = box.take() else { return [] }
    do throws(ArrowError) {
      while let sums = try stream.decide() {
        report.add(sums, stream.worker, from: stream.firstRow, plan, binding)
      }
    } catch {
      throw LibraryError(error, TG_BAD_ARRAY)
    }
    return Array(report.value.json.utf8)
  }
  // If `out` is NULL, the stream was not taken over yet.
  if out == nil, let users { users.pointee.release?(users) }
  return status
}
