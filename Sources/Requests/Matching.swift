package import Expressions
package import RuleBatch
package import RuleEngine
internal import RuleInsight

/// Counts the users that each audience reaches, matches and takes. The members of a request are
/// `{"users", "config"?, "placements"?, "distribution"?, "now"?, "seed"?, "platform"?,
/// "sdkVersion"?}`.
extension PreparedConfig {
  package func match(_ body: JSONRequest) throws(RequestError) -> Value {
    let request = body.value
    let names = try request.givenTexts("placements")
    let expects = try request.givenTruth("distribution") ?? false
    let (now, seed) = (try request.givenTime("now"), try request.givenText("seed"))
    guard let users = try request.givenLines("users", of: "user records") else {
      throw .missing("users", "a list of user records, or a string with one record per line")
    }
    let newline = UInt8(ascii: "\n")
    guard users.count(where: { $0 == newline }) < settings.limits.users else {
      throw RequestError(
        .tooLarge, "too_many_users",
        "at most \(settings.limits.users) users at once; /v1/decide/stream and 'tollgate match' have no limit"
      )
    }
    let selection = try request.givenSDKVersion()
    let own = try config(of: body).following(try request.givenPlatform())
    let config = selection?.readsRecords == true ? own : own.following(selection, record: nil)
    try config.check(placements: names ?? [])
    let clock = clock(now)
    let plan = BatchPlan(
      config.ruleSet, placements: names, now: clock.now, assigner: config.assigner(seed: seed),
      writesOutcomes: false, clock: clock, texts: nil, wantsExamples: true,
      fleet: config.fleet(selection))
    var worker = BatchWorker(plan)
    var sums: BatchSums?
    LineScan.forEachChunk(of: users) { chunk in
      let found = worker.process(chunk, into: OutcomeBuffer()).sums
      if sums == nil { sums = found } else { sums?.add(found) }
    }
    return MatchAnswer(
      users: sums?.users ?? 0, rejected: sums?.rejected ?? 0,
      placements: sums.map { plan.reach(of: $0).map(settings.redaction.reach) } ?? [],
      expects: expects
    ).value
  }
}

extension PreparedConfig {
  /// The settings of a batch that decides users by the SDKs in their records, or nil if one SDK
  /// decides all users.
  package func fleet(_ selection: SDKSelection?)
    -> (selection: SDKSelection, config: Config, column: String?)?
  {
    guard let selection, selection.readsRecords, config.format == .superwall,
      settings.language != .cel
    else { return nil }
    return (selection, config, nil)
  }
}

/// The result of matching users.
package struct MatchAnswer {
  package var users: Int
  package var rejected: Int
  package var placements: [Reach]
  /// Whether variants include their expected shares.
  package var expects: Bool

  package init(users: Int, rejected: Int, placements: [Reach], expects: Bool) {
    self.users = users
    self.rejected = rejected
    self.placements = placements
    self.expects = expects
  }

  package var value: Value {
    .object([
      "users": .int(Int64(users)), "rejected": .int(Int64(rejected)),
      "placements": .map(
        placements.map {
          .init(key: .string($0.counts.name), value: $0.value(expects: expects))
        }),
    ])
  }
}

extension LineScan {
  /// Calls the body with chunks of whole lines. The chunks have about the size of the command's chunks.
  static func forEachChunk(of lines: [UInt8], _ body: (ByteView) -> Void) {
    // SAFETY: Parts of the array are views that stay in the closure; ends are found within it.
    // Tests: AnsweringTests.
    lines.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        let end = newline(in: bytes, from: min(start + 256 << 10, bytes.count))
        let next = min(end + 1, bytes.count)
        body(ByteView(rebasing: bytes[start..<next]))
        start = next
      }
    }
  }
}
