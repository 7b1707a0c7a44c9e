internal import Expressions
internal import HTTPTypes
internal import Pricing
internal import RuleBatch
internal import RuleEngine

/// What a playground asks beside decisions: `/v1/match`, `/v1/products`.
extension DecisionService {
  /// Users of one request; more than that is a matter for the stream.
  private static let mostUsers = 100_000

  /// `{"users", "config"?, "placements"?, "now"?, "seed"?}` -> what `tollgate match --json` prints.
  func match(_ body: Value, _ application: ServedApplication) throws(ServiceError) -> Value {
    let config = try config(of: body, application)
    guard let users = try Self.lines(body["users"]) else {
      throw .badRequest(
        "'users' is missing; it is a list of user records, or a text with one a line")
    }
    guard users.count(where: { $0 == UInt8(ascii: "\n") }) < Self.mostUsers else {
      throw ServiceError(
        .contentTooLarge, "too_many_users",
        "at most \(Self.mostUsers) users at once; /v1/decide/stream takes as many as there are")
    }
    let now = try time(of: body)
    let plan = BatchPlan(
      config.ruleSet, placements: body["placements"]?.elements?.compactMap(\.text),
      now: now ?? ServiceTime.now(), assigner: config.assigner, writesOutcomes: false,
      lineLimit: options.lineLimit, clock: clock(now), texts: nil, wantsExamples: true)
    var worker = BatchWorker(plan)
    var sums: BatchSums?
    Self.forEachChunk(of: users) { chunk in
      let found = worker.process(chunk, into: OutcomeBuffer()).sums
      if sums == nil { sums = found } else { sums?.add(found) }
    }
    let reach = sums.map { plan.reach(of: $0).map(options.redaction.reach) } ?? []
    return [
      "users": .int(Int64(sums?.users ?? 0)), "rejected": .int(Int64(sums?.rejected ?? 0)),
      "placements": .map(
        reach.map { .init(key: .string($0.counts.name), value: $0.value(expects: false)) }),
    ]
  }

  /// Users of a body, a record on each line.
  static func lines(_ value: Value?) throws(ServiceError) -> [UInt8]? {
    switch value {
    case .string(let lines)?: return Array(lines.utf8)
    case .list(let records)?:
      var bytes: [UInt8] = []
      for record in records {
        JSONWriter.append(record, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
      return bytes
    case nil, .null?: return nil
    default: throw .badRequest("'users' is a list of user records, or a text with one a line")
    }
  }

  /// Calls for whole lines, of about as much as the command takes at once.
  static func forEachChunk(of lines: [UInt8], _ body: (ByteView) -> Void) {
    lines.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        let end = LineScan.newline(in: bytes, from: min(start + 256 << 10, bytes.count))
        let next = min(end + 1, bytes.count)
        body(ByteView(rebasing: bytes[start..<next]))
        start = next
      }
    }
  }

  /// `{"products"?, "locale"?, "profile"?, "timeZone"?, "now"?}` -> what `tollgate products --json`
  /// prints.
  func products(_ body: Value, _ application: ServedApplication) throws(ServiceError) -> Value {
    guard let list = try products(of: body, application) else {
      throw .badRequest("'products' is missing; it is a products file, as an object or as its text")
    }
    let locale = body["locale"]?.text
    let context = PricingContext(
      now: try time(of: body) ?? ServiceTime.now(),
      timeZone: body["timeZone"]?.text ?? options.timeZone, deviceLocale: locale ?? "en_US",
      locale: locale, history: TrialHistory(entitlements: [], storeEligibility: true))
    let profile = try profile(of: body)
    do throws(PricingError) {
      let sheets = try ProductSheet.sheets(list, profile, context)
      return ProductSheet.json(sheets, sheets.flatMap(\.diagnostics))
    } catch {
      throw .badRequest(error.message)
    }
  }
}
