internal import Expressions
internal import Foundation
package import Tracing

/// A tracer that appends spans to a file as lines of OpenTelemetry's JSON, which OpenTelemetry's collector can read.
///
/// Callers choose what is recorded: requests whose `traceparent` is sampled.
package struct TraceFile: Tracer {
  private let file: Locked<FileHandle>

  /// - Returns: nil if the file cannot be written.
  package init?(_ path: String) {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(
        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    guard let file = FileHandle(forUpdatingAtPath: path),
      (try? file.seekToEnd()) != nil
    else { return nil }
    self.file = Locked(file)
  }

  /// Makes this the tracer of the process.
  package func start() { InstrumentationSystem.bootstrap(self) }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
    file fileID: String, line: UInt
  ) -> FileSpan {
    let context = context()
    guard let parent = context.place, parent.isSampled else {
      return FileSpan(context, nil) { _ in }
    }
    let place = TracePlace(
      traceID: parent.traceID, spanID: Self.newID(), isSampled: true)
    let record = FileSpan.Record(
      name: operationName, kind: kind, place: place, parent: parent.spanID,
      start: instant().nanosecondsSinceEpoch)
    var own = context
    own.place = place
    return FileSpan(own, record) { [file] line in
      // A full disk must not stop requests.
      file.withLock { try? $0.write(contentsOf: Data(line)) }
    }
  }

  package func forceFlush() {}

  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    guard
      let parent = extractor.extract(key: "traceparent", from: carrier)
        .flatMap({ TraceParent($0) })
    else { return }
    context.place = TracePlace(
      traceID: parent.traceID, spanID: parent.spanID, isSampled: parent.isSampled)
  }

  /// Does nothing, because the service calls no other services.
  package func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}

  private static func newID() -> String {
    let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The data by which other spans refer to a span.
struct TracePlace: Sendable {
  var traceID: String
  var spanID: String
  var isSampled: Bool
}

private enum TracePlaceKey: InstrumentationContextKey {
  typealias Value = TracePlace
}

extension InstrumentationContext {
  fileprivate(set) var place: TracePlace? {
    get { self[TracePlaceKey.self] }
    set { self[TracePlaceKey.self] = newValue }
  }
}

/// A span of a `TraceFile`, which is written when it ends.
package final class FileSpan: Span {
  struct Record: Sendable {
    var name: String
    var kind: SpanKind
    var place: TracePlace
    var parent: String
    var start: UInt64
    var attributes = SpanAttributes()
    var isFailed = false
    var problem: String?
  }

  package let context: InstrumentationContext
  /// The data of the span; nil if the span is not recorded, or has ended.
  private let record: Locked<Record?>
  private let write: @Sendable ([UInt8]) -> Void

  init(
    _ context: InstrumentationContext, _ record: Record?,
    _ write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.context = context
    self.record = Locked(record)
    self.write = write
  }

  package var isRecording: Bool { record.withLock { $0 != nil } }

  package var operationName: String {
    get { record.withLock { $0?.name ?? "" } }
    set { record.withLock { $0?.name = newValue } }
  }

  package var attributes: SpanAttributes {
    get { record.withLock { $0?.attributes ?? [:] } }
    set { record.withLock { $0?.attributes = newValue } }
  }

  package func setStatus(_ status: SpanStatus) {
    record.withLock { $0?.isFailed = status.code == .error }
  }

  /// Records only the kind of an error, because the message may contain users' data.
  package func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    let problem = (error as? ServiceError)?.code ?? "\(type(of: error))"
    record.withLock {
      $0?.isFailed = true
      $0?.problem = problem
    }
  }

  package func addEvent(_ event: SpanEvent) {}
  package func addLink(_ link: SpanLink) {}

  package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let ended = record.withLock { record in
      defer { record = nil }
      return record
    }
    if let ended { write(ended.line(to: instant().nanosecondsSinceEpoch)) }
  }
}

extension FileSpan.Record {
  /// A request of OpenTelemetry's protocol that contains only this span.
  fileprivate func line(to end: UInt64) -> [UInt8] {
    var values: [(String, Value)] = []
    func add(_ name: String, _ attribute: SpanAttribute) {
      switch attribute {
      case .string(let text): values.append((name, .object(["stringValue": .string(text)])))
      case .int64(let number):
        values.append((name, .object(["intValue": .string("\(number)")])))
      default: break
      }
    }
    attributes.forEach(add)
    let kind: Int64 =
      switch self.kind {
      case .server: 2
      case .client: 3
      default: 1
      }
    let span = Value.members([
      "traceId": .string(place.traceID), "spanId": .string(place.spanID),
      "parentSpanId": .string(parent), "name": .string(name), "kind": .int(kind),
      "startTimeUnixNano": .string("\(start)"),
      "endTimeUnixNano": .string("\(max(start, end))"),
      "attributes": .list(
        values.sorted { $0.0 < $1.0 }.map { .object(["key": .string($0.0), "value": $0.1]) }),
      "status": !isFailed
        ? nil : .members(["code": .int(2), "message": problem.map { .string($0) }]),
    ])
    let name = Value.object([
      "key": "service.name", "value": .object(["stringValue": "tollgate-server"]),
    ])
    let line = Value.object([
      "resourceSpans": .list([
        .object([
          "resource": .object(["attributes": .list([name])]),
          "scopeSpans": .list([
            .object(["scope": .object(["name": "tollgate"]), "spans": .list([span])])
          ]),
        ])
      ])
    ])
    return Array((line.json + "\n").utf8)
  }
}
