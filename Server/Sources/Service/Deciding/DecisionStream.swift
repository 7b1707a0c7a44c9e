internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Requests
internal import RuleBatch
internal import RuleEngine
internal import Tracing

/// `POST /v1/decide/stream`: each line of the body is a user, and each line of the response is the answer, in the same
/// order.
///
/// Only the lines that are being decided are in memory. If a client does not read its answers, the server stops reading
/// its lines. Waiting lines are answered as soon as no more data arrives. With `--state`, stored state applies. A line
/// stores something only if it has a `requestId` or `"record": true`, because most streams are about users that are not
/// in the app.
struct DecisionStream: Sendable {
  /// How answers are written.
  enum Layout: String {
    /// As in answers of `/v1/decide`: `{"decisions":[..]}` for each user.
    case decisions
    /// As in files of `tollgate precompute`: a line for each outcome, or for each user.
    case long
    case wide
  }

  let service: DecisionService
  let application: ServedApplication
  /// The config of the stream. A stream uses the same config from beginning to end.
  let config: LoadedConfig
  /// The SDK that decides for lines that select no SDK.
  let platform: SDKName?
  let sdkVersion: SDKSelection?
  let clock: HistoryClock
  let placements: [String]?
  let layout: Layout
  let givesReasons: Bool
  let texts: TextPlan?
  private let errors: StreamErrors
  private let workers: StreamWorkers

  /// The number of bytes that are decided at once.
  private static let chunk = 256 << 10
  /// The number of chunks that are decided at once.
  private static let lanes = max(2, ProcessInfo.processInfo.activeProcessorCount)
  /// The number of chunks that may be pending in this stream; 0 if lines can store state that later lines read.
  private var lanes: Int { service.options.keepsState ? 0 : Self.lanes }

  init(
    _ request: Request, _ service: DecisionService, _ application: ServedApplication,
    _ traceMembers: [Value.Entry]
  ) throws(ServiceError) {
    let query = request.uri.queryParameters
    var names: Set<String> = []
    for name in query.map({ String($0.key) }) {
      guard Self.parameters.contains(name) else {
        throw ServiceError(.unknownMember(name, among: Self.parameters))
      }
      guard names.insert(name).inserted else { throw ServiceError(.repeatedMember(name)) }
    }
    func flag(_ name: Substring) -> Bool { query[name].map { $0 != "0" && $0 != "false" } ?? false }
    self.service = service
    self.application = application
    errors = StreamErrors(traceMembers: traceMembers)
    config = application.current
    placements = query["placements"].map { $0.split(separator: ",").map(String.init) }
    do throws(RequestError) {
      let now = try query["now"].map { (text) throws(RequestError) in
        try RequestTime.instant(.string(String(text)), "now")
      }
      clock = config.prepared.clock(now)
      platform = try query["platform"].map { (word) throws(RequestError) in
        try SDKName(requested: String(word))
      }
      sdkVersion = try query["sdkVersion"].map { (text) throws(RequestError) in
        try SDKSelection(requested: String(text))
      }
      try config.prepared.check(placements: placements ?? [])
    } catch {
      throw ServiceError(error)
    }
    guard let layout = Layout(rawValue: query["layout"].map { String($0) } ?? "decisions") else {
      throw .badRequest("layout must be decisions, long or wide")
    }
    self.layout = layout
    givesReasons = flag("reasons")
    texts = flag("texts") ? config.prepared.texts?.at(clock.now) : nil
    workers = StreamWorkers()
  }

  /// Decides for all lines of a body.
  func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
    try await BodyParts.read(body) { try await run($0, &writer) }
  }

  private func run(_ parts: BodyParts, _ writer: inout any ResponseBodyWriter) async throws {
    var pending: [Task<[UInt8], any Error>] = []
    var lines = StreamLines(limit: service.options.lineLimit)
    let trace = InstrumentationContext.current
    func begin(_ chunk: StreamLines.Chunk) {
      pending.append(
        Task.detached {
          try await InstrumentationContext.$current.withValue(trace) { try await decide(chunk) }
        })
    }
    func send(leaving count: Int) async throws {
      while pending.count > count {
        let bytes = try await pending.removeFirst().value
        if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
      }
    }
    while true {
      switch try await parts.next(stopsAtPauses: lines.hasLine || !pending.isEmpty) {
      case .part(let part):
        part.withUnsafeReadableBytes { lines.append($0) }
        guard lines.waiting >= Self.chunk, let chunk = lines.next() else { continue }
        begin(chunk)
        // Reads no more than can be decided and sent.
        try await send(leaving: lanes)
      case .pause:
        if lines.hasLine, let chunk = lines.next() { begin(chunk) }
        try await send(leaving: 0)
      case .end:
        if let last = lines.end() { begin(last) }
        return try await send(leaving: 0)
      }
    }
  }

  /// The parameters of the query.
  static let parameters = [
    "placements", "layout", "now", "reasons", "texts", "platform", "sdkVersion", "application",
  ]

  // MARK: One chunk

  /// The answers to lines that store something, by the numbers of the lines.
  typealias StoringAnswers = [Int: Result<[UInt8], ServiceError>]

  private func decide(_ chunk: StreamLines.Chunk) async throws -> [UInt8] {
    guard service.options.keepsState, !chunk.isTooLong else { return decide(chunk, [:]) }
    var answers: StoringAnswers = [:]
    do {
      return try await StateDeadline.within(service.options.storePatience) {
        answers = try await decideAndStore(chunk)
        return decide(try await withStoredState(chunk), answers)
      }
    } catch let error as ServiceError {
      guard service.decidesWithoutState(after: error) else { return refuse(chunk, answers, error) }
      service.metrics.decidedWithoutState(chunk.bytes.split(separator: 10).count - answers.count)
      return Self.marked(decide(chunk, answers), except: answers)
    }
  }

  /// The output, with `"withoutState": true` in each line that was decided without stored state. A trailer could mark
  /// all lines at once, but Foundation's URLSession on Linux ends the process when it receives a trailer.
  static func marked(_ output: [UInt8], except stored: StoringAnswers) -> [UInt8] {
    let stored = Set(stored.values.compactMap { try? $0.get() })
    var marked: [UInt8] = []
    marked.reserveCapacity(output.count * 2)
    for line in output.split(separator: 10) {
      let isDecided = !line.starts(with: #"{"error":"#.utf8) && !stored.contains(Array(line))
      marked += isDecided ? line.dropLast() + Array(#","withoutState":true}"#.utf8) : line
      marked.append(10)
    }
    return marked
  }

  /// The answers to lines that were stored before the store failed, and the store's error for all other lines.
  private func refuse(
    _ chunk: StreamLines.Chunk, _ answers: StoringAnswers, _ error: ServiceError
  ) -> [UInt8] {
    var output: [UInt8] = []
    for (number, line) in chunk.bytes.split(separator: 10, omittingEmptySubsequences: false)
      .enumerated() where !line.isEmpty
    {
      let line = chunk.line + number
      append(answers[line] ?? .failure(error), line: line, to: &output)
    }
    return output
  }

  /// Decides the lines that store something, in one transaction.
  private func decideAndStore(_ chunk: StreamLines.Chunk) async throws -> StoringAnswers {
    guard Self.mayStore(chunk.bytes) else { return [:] }
    var numbers: [Int] = []
    var requests: [(body: [UInt8], request: DecideRequest)] = []
    for (number, line) in chunk.bytes.split(separator: 10, omittingEmptySubsequences: false)
      .enumerated()
    {
      let body = Array(line)
      let question = body.withUnsafeBufferPointer {
        try? DecideRequest($0, nesting: service.options.limits.nesting)
      }
      guard var question, question.requestID != nil || question.records == true else { continue }
      complete(&question)
      numbers.append(chunk.line + number)
      requests.append((body, question))
    }
    guard !requests.isEmpty else { return [:] }
    let answers = try await service.decideAndStore(requests, application, config)
    return Dictionary(uniqueKeysWithValues: zip(numbers, answers))
  }

  /// The chunk with the stored state of its users in their records.
  private func withStoredState(_ chunk: StreamLines.Chunk) async throws -> StreamLines.Chunk {
    // Streams are often about users without stored state.
    let hasUsers = try await withSpan("read state", ofKind: .client) { _ in
      try await service.store.hasUsers(in: application.id)
    }
    guard hasUsers else { return chunk }
    let lines = chunk.bytes.split(separator: 10, omittingEmptySubsequences: false)
    let users = lines.map { line in
      Array(line).withUnsafeBufferPointer { try? UserRecordReader.subject(of: $0) }
    }
    let stored = try await withSpan("read state", ofKind: .client) { _ in
      try await service.store.states(of: users.compactMap { $0 }, in: application.id)
    }
    guard !stored.isEmpty else { return chunk }
    var result = chunk
    result.bytes = Array(
      zip(lines, users).map { line, user in
        user.flatMap { stored[$0] }?.appended(to: Array(line)) ?? Array(line)
      }.joined(separator: [10]))
    return result
  }

  private func decide(_ chunk: StreamLines.Chunk, _ storing: StoringAnswers) -> [UInt8] {
    withSpan("decide") { _ in decided(chunk, storing) }
  }

  private func decided(_ chunk: StreamLines.Chunk, _ storing: StoringAnswers) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(chunk.bytes.count * 4)
    if chunk.isTooLong {
      errors.append(
        RequestError(
          .request, "line_too_long",
          "the line has more than \(service.options.lineLimit) bytes, which is the limit"),
        line: chunk.line, to: &output)
      return output
    }
    // If one line of a stream has members of requests, later lines probably have them too.
    let isDone =
      storing.isEmpty && !workers.linesDiffer
      && chunk.bytes.withUnsafeBufferPointer {
        decide($0, placements, line: chunk.line, &output).isEmpty
      }
    if !isDone {
      workers.linesDiffer = true
      decideSeparately(chunk, storing, &output)
    }
    return output
  }

  /// Decides lines that all ask for the same placements.
  ///
  /// - Returns: members of lines that are repeated, or that are neither in `known` nor part of a user record. If there
  ///   are any, nothing is decided.
  private func decide(
    _ lines: ByteView, _ placements: [String]?, line: Int, without known: [String] = [],
    _ output: inout [UInt8]
  ) -> Set<String> {
    let worker = workers.take(placements) {
      let own = config.prepared.following(platform)
      let config = sdkVersion?.readsRecords == true ? own : own.following(sdkVersion, record: nil)
      return BatchPlan(
        config.ruleSet, placements: placements, now: clock.now, assigner: config.assigner,
        layout: layout == .wide ? .wide : .long, lineLimit: service.options.lineLimit,
        clock: clock, texts: texts, givesReasons: givesReasons, fleet: config.fleet(sdkVersion))
    }
    defer { workers.giveBack(worker, placements) }
    let result = worker.process(lines)
    let others = Set(result.notes.unknownKeys.keys).subtracting(known)
      .union(result.notes.repeatedKeys.keys)
    guard others.isEmpty else { return others }
    service.metrics.decided(application.id, result.tally)
    let answers = StreamAnswers(
      linesPerUser: layout == .wide ? 1 : worker.plan.placementCount,
      isWrapped: layout == .decisions, errors: errors)
    answers.append(result.buffer.content, result.rejected, of: lines, from: line, to: &output)
    return []
  }

  private static let storing: [StaticString] = ["requestId\"", "record\""]

  /// Whether lines may store something. Lines that only seem to store something are recognized later.
  private static func mayStore(_ bytes: [UInt8]) -> Bool {
    // SAFETY: Each comparison ends within the count of the bytes. Tests: KeptStateTests.
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      var at = 0
      // Members are looked for by their opening quotes.
      while at < bytes.count, let quote = memchr(base + at, 0x22, bytes.count - at) {
        at = UnsafeRawPointer(quote) - base + 1
        for word in storing where at + word.utf8CodeUnitCount <= bytes.count {
          if memcmp(base + at, word.utf8Start, word.utf8CodeUnitCount) == 0 { return true }
        }
      }
      return false
    }
  }

  /// Decides each line according to its own request. Adjacent lines with equal requests are decided together.
  private func decideSeparately(
    _ chunk: StreamLines.Chunk, _ storing: StoringAnswers, _ output: inout [UInt8]
  ) {
    chunk.bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      var line = chunk.line
      var run = (from: 0, line: chunk.line, placements: placements)
      func end(_ at: Int, _ output: inout [UInt8]) {
        if run.from < at {
          decide(
            together: ByteView(rebasing: bytes[run.from..<at]), run.placements, line: run.line,
            &output)
        }
      }
      while start < bytes.count {
        let to = LineScan.newline(in: bytes, from: start)
        let record = ByteView(rebasing: bytes[start..<to])
        let next = min(to + 1, bytes.count)
        switch Self.question(record, service.options.limits) {
        case .failure(let error):
          end(start, &output)
          errors.append(error, line: line, to: &output)
          run = (next, line + 1, placements)
        case .success(let question?) where !question.isPlain:
          end(start, &output)
          if let answer = storing[line] {
            append(answer, line: line, to: &output)
          } else {
            decide(alone: record, question, line, &output)
          }
          run = (next, line + 1, placements)
        case .success(let question):
          let wanted = question?.placements ?? placements
          if wanted != run.placements {
            end(start, &output)
            run = (start, line, wanted)
          }
        }
        start = next
        line += 1
      }
      end(bytes.count, &output)
    }
  }

  /// The request in a line; nil for a line that is not a record. Such a line is rejected when it is decided.
  private static func question(_ record: ByteView, _ limits: RequestLimits)
    -> Result<DecideRequest?, RequestError>
  {
    do throws(RequestError) {
      return .success(try DecideRequest(record, nesting: limits.nesting))
    } catch {
      return error.code == "not_json" ? .success(nil) : .failure(error)
    }
  }

  /// Decides lines whose requests contain only placements. Lines with unknown members are rejected one by one.
  private func decide(
    together lines: ByteView, _ placements: [String]?, line: Int, _ output: inout [UInt8]
  ) {
    let known = DecideRequest.memberNames
    if decide(lines, placements, line: line, without: known, &output).isEmpty { return }
    var (start, line) = (0, line)
    while start < lines.count {
      let to = LineScan.newline(in: lines, from: start)
      let record = ByteView(rebasing: lines[start..<to])
      if !decide(record, placements, line: line, without: known, &output).isEmpty {
        var question = DecideRequest()
        question.placements = placements
        decide(alone: record, question, line, &output)
      }
      (start, line) = (min(to + 1, lines.count), line + 1)
    }
  }

  /// Adds the stream's options that a line does not have.
  private func complete(_ question: inout DecideRequest) {
    question.placements = question.placements ?? placements
    question.now = question.now ?? clock.now
    question.platform = question.platform ?? platform
    question.sdkVersion = question.sdkVersion ?? sdkVersion
  }

  private func decide(
    alone record: ByteView, _ question: DecideRequest, _ line: Int, _ output: inout [UInt8]
  ) {
    var question = question
    complete(&question)
    do throws(RequestError) {
      output += try service.decide(Array(record), question, application, config)
      output.append(UInt8(ascii: "\n"))
    } catch {
      errors.append(error, line: line, to: &output)
    }
  }

  private func append(
    _ answer: Result<[UInt8], ServiceError>, line: Int, to output: inout [UInt8]
  ) {
    switch answer {
    case .success(let bytes):
      output += bytes
      output.append(UInt8(ascii: "\n"))
    case .failure(let error):
      errors.append(
        RequestError(.request, error.code, error.message, details: error.details), line: line,
        to: &output)
    }
  }
}

/// Workers of one stream. Each worker learns the shapes of records, and is reused.
private final class StreamWorkers: Sendable {
  final class Worker: @unchecked Sendable {
    let plan: BatchPlan
    private var worker: BatchWorker
    private let buffer = OutcomeBuffer()

    init(_ plan: BatchPlan) {
      self.plan = plan
      worker = BatchWorker(plan)
    }

    /// The output is valid until the next call.
    func process(_ lines: ByteView) -> BatchWorker.Output { worker.process(lines, into: buffer) }
  }

  private let free = Locked<[[String]?: [Worker]]>([:])
  private let differ = Locked(false)
  /// Workers are reused for at most this many lists of placements.
  private static let mostPlans = 16

  /// Whether lines have members of requests, so that they are not decided together.
  var linesDiffer: Bool {
    get { differ.withLock { $0 } }
    set { differ.withLock { $0 = newValue } }
  }

  func take(_ placements: [String]?, _ plan: () -> BatchPlan) -> Worker {
    let (known, same) = free.withLock { free in
      (free[placements]?.popLast(), free[placements]?.last?.plan)
    }
    return known ?? Worker(same ?? plan())
  }

  func giveBack(_ worker: Worker, _ placements: [String]?) {
    free.withLock { free in
      if free[placements] == nil, free.count >= Self.mostPlans { free = [:] }
      free[placements, default: []].append(worker)
    }
  }
}
