import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Batches against single decisions, on random configs and random users.
@Suite struct BatchDifferentialTests {
  private static let now = try! WireTime.instant("2026-03-01T12:00:00Z")

  struct Sample {
    var rules: RuleSet
    var lines: [String]
    let assigner: Assigner

    /// Seeds from 100 on are configs of AgentWallie, those from 200 on are for a behavior of Superwall's
    /// evaluator and have strings of digits; of the others the language goes with the seed.
    init(seed: UInt64, lines count: Int) throws {
      if seed >= 200 {
        (rules, lines, assigner) = try Sample.behaving(seed: seed, lines: count)
        return
      }
      let languages = [.cel] + Platform.allCases.map { RuleLanguage.superscript(SDKProfile($0)) }
      let language = languages[Int(seed) % languages.count]
      var random = RandomUsers(
        random: SplitMix(seed: seed), isSuperscript: seed < 100 && language != .cel)
      let json = seed < 100 ? random.config() : random.agentWallieConfig()
      let config = try #require(Config.decode(json).output)
      #expect(config.format == (seed < 100 ? .superwall : .agentWallie))
      assigner = [.hash(salt: "salt"), .djb2, .draw(0.37)][Int(seed % 3)]
      rules = try #require(RuleSet.compile(config, language: language).output)
      // Most records come twice: the second time their shape is known.
      lines = (0..<count / 2).map { random.record($0) }
      lines += lines.map {
        $0.replacing("\"os\":\"iOS\"", with: "\"os\":\"Android\"")
          .replacing("\"n\":1", with: "\"n\":3")
      }
    }

    private static func behaving(seed: UInt64, lines count: Int) throws
      -> (rules: RuleSet, lines: [String], assigner: Assigner)
    {
      let behavior = EvaluatorBehavior.allCases[Int(seed % 4)]
      let platform = Platform.allCases[Int(seed / 4) % Platform.allCases.count]
      var random = RandomUsers(random: SplitMix(seed: seed), isSuperscript: true)
      var json = String(decoding: random.config(), as: UTF8.self)
      if seed % 8 < 4 { json = json.replacing("'x'", with: "'3'") }
      let config = try #require(Config.decode(json.utf8).output)
      let compiled = RuleSet.compile(
        config, language: .superscript(SDKProfile(platform)), behavior: behavior)
      let records = (0..<count / 2).map { random.record($0) }
      let digits = records.map {
        $0.replacing("\"xyz\"", with: "\"3\"").replacing("\"x\"", with: "\"2.0\"")
      }
      return (try #require(compiled.output), records + digits, .hash(salt: "salt"))
    }

    func plan(
      _ layout: OutcomeLayout = .long, _ form: OutcomeForm = .ndjson, writes: Bool = true,
      reasons: Bool = false, examples: Bool = false
    ) -> BatchPlan {
      BatchPlan(
        rules, now: BatchDifferentialTests.now, assigner: assigner, layout: layout, form: form,
        writesOutcomes: writes, texts: nil, givesReasons: reasons,
        wantsExamples: examples)
    }

    /// What single decisions give: a line for each user and placement, and the numbers of the lines
    /// that are refused.
    func decided() throws -> (
      outcomes: [Value], decisions: [Explanation], refused: [Int], notes: RecordNotes
    ) {
      var notes = RecordNotes()
      var outcomes: [Value] = []
      var decisions: [Explanation] = []
      var refused: [Int] = []
      for (number, line) in lines.enumerated() where line.contains(where: { $0 != " " }) {
        // A frame and a reader of its own for every user: nothing can be left over.
        var frame = Frame(for: rules.program)
        var reader = UserRecordReader(rules, at: HistoryClock(now: BatchDifferentialTests.now))
        do throws(UserRecordReader.Rejection) {
          try reader.read(json: line.utf8, into: &frame)
        } catch {
          refused.append(number)
          continue
        }
        notes.add(reader.notes)
        let state = reader.state(now: BatchDifferentialTests.now)
        for name in rules.placementNames {
          let decision = rules.decide(name, frame: &frame, state: state, assigner: assigner)
          let explanation = rules.explain(
            name, frame: &frame, state: state, assigner: assigner)
          #expect(explanation.decision == decision)
          check(explanation)
          decisions.append(explanation)
          let errors = rules.errors(name, frame: &frame, state: state)
          check(errors, explanation)
          var alongside: [RuleError] = []
          let told = rules.decide(
            name, frame: &frame, state: state, assigner: assigner, errors: &alongside)
          #expect(told == decision && alongside == errors)
          outcomes.append(decision.outcomeLine(subjectID: state.subjectID, errors: errors))
        }
      }
      return (outcomes, decisions, refused, notes)
    }

    /// Errors are those of the audiences that the explanation says err.
    private func check(_ errors: [RuleError], _ explanation: Explanation) {
      let codes = explanation.audiences.compactMap { audience -> String? in
        guard case .expressionError(let error) = audience.step.reason else { return nil }
        return "\(audience.step.index) \(error.kind.slug)"
      }
      #expect(errors.count == codes.count)
      for (error, code) in zip(errors, codes) where error.code != "no-such-attribute" {
        #expect("\(error.audience) \(error.code)" == code)
      }
      for error in errors {
        #expect(!error.message.isEmpty)
        #expect(!error.clause.isEmpty)
      }
    }

    /// The way that is recorded leads where the decision is.
    private func check(_ explanation: Explanation) {
      let tried = explanation.audiences.map(\.step).filter { $0.reason != .notReached }
      let matched = tried.filter { $0.reason == .matched }
      #expect(matched.map(\.index) == (explanation.decision.audience.map { [$0] } ?? []))
      if !matched.isEmpty { #expect(tried.last?.reason == .matched) }
      // A condition holds exactly when what its clauses come to says so.
      for audience in explanation.audiences where audience.clauses.count == 1 {
        guard audience.clauses[0].text == audience.expression else { continue }
        let isTrue = audience.clauses[0].outcome == .true
        switch audience.step.reason {
        case .matched, .occurrenceLimit: #expect(isTrue)
        case .expressionFalse, .expressionError: #expect(!isTrue)
        default: break
        }
      }
      let sum = explanation.shares.reduce(into: Ratio.zero) { sum, share in
        sum = sum.adding(share.probability)
      }
      #expect(explanation.shares.isEmpty || sum == .one)
    }
  }

  private func texts(_ output: BatchWorker.Output) -> [String] {
    String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: Extent.some(0..<48) + Extent.some(100..<124) + Extent.some(200..<232))
  func agreesWithDeciding(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 80)
    let (outcomes, decisions, refused, notes) = try sample.decided()
    var worker = BatchWorker(sample.plan())
    let output = worker.process(Array(sample.lines.joined(separator: "\n").utf8))
    #expect(texts(output) == outcomes.map(\.json))
    #expect(output.rejected.map(\.line) == refused)
    #expect(
      output.rejected.map { String(decoding: $0.text, as: UTF8.self) }
        == refused.map { sample.lines[$0] })
    #expect(output.lines == sample.lines.count || sample.lines.last == "")
    var counted = output.tally
    #expect(errors(in: counted) == errors(in: outcomes, sample))
    for place in counted.placements.indices { counted.placements[place].errors = [] }
    #expect(missing(in: counted) == missing(in: decisions, sample))
    for place in counted.placements.indices {
      for audience in counted.placements[place].audiences.indices {
        counted.placements[place].audiences[audience].missing = []
      }
    }
    #expect(counted == tally(sample, decisions, refused.count))
    #expect(output.notes == notes)
    // What was told once is not told again.
    #expect(worker.process(Array("{}".utf8)).notes.isEmpty)
  }

  /// By placement, audience, clause and code: for how many users a rule failed, and the first of them.
  private func errors(in tally: Tally) -> [String: String] {
    var counts: [String: String] = [:]
    for placement in tally.placements {
      for failed in placement.errors {
        counts["\(placement.name) \(failed.error.value.json)"] = "\(failed.users) \(failed.example)"
      }
    }
    return counts
  }

  private func errors(in outcomes: [Value], _ sample: Sample) -> [String: String] {
    var counts: [String: (users: Int, example: String)] = [:]
    for outcome in outcomes {
      guard case .list(let errors)? = outcome["errors"],
        case .string(let user)? = outcome["userId"],
        case .string(let placement)? = outcome["placement"]
      else { continue }
      for error in errors { counts["\(placement) \(error.json)", default: (0, user)].users += 1 }
    }
    return counts.mapValues { "\($0.users) \($0.example)" }
  }

  /// By placement, audience and clause: for how many users a missing attribute decided.
  private func missing(in tally: Tally) -> [String: Int] {
    var counts: [String: Int] = [:]
    for placement in tally.placements {
      for (number, audience) in placement.audiences.enumerated() {
        for entry in audience.missing {
          let name = "\(placement.name) \(number) \(entry.clause) \(entry.path)"
          counts["\(name) true", default: 0] += entry.matched
          counts["\(name) false", default: 0] += entry.unmatched
        }
      }
    }
    return counts.filter { $0.value > 0 }
  }

  private func missing(in decisions: [Explanation], _ sample: Sample) -> [String: Int] {
    var counts: [String: Int] = [:]
    let names = sample.rules.placementNames
    for (i, decision) in decisions.enumerated() {
      for (number, audience) in decision.audiences.enumerated()
      where audience.step.reason != .notReached {
        for (clause, holds) in audience.missing {
          let name = "\(names[i % names.count]) \(number) \(clause.text) \(clause.path)"
          counts["\(name) \(holds)", default: 0] += 1
        }
      }
    }
    return counts
  }

  /// The counts worked out from decisions.
  private func tally(_ sample: Sample, _ decisions: [Explanation], _ refused: Int) -> Tally {
    var tally = sample.plan().emptyTally
    let count = sample.rules.placementNames.count
    tally.rejected = refused
    tally.users = count == 0 ? 0 : decisions.count / count
    for (i, decision) in decisions.enumerated() {
      let place = i % count
      switch decision.decision.outcome {
      case .paywall: tally.placements[place].paywall += 1
      case .holdout: tally.placements[place].holdout += 1
      case .noAudienceMatch: tally.placements[place].noAudienceMatch += 1
      case .placementNotFound: tally.placements[place].placementNotFound += 1
      case .error: tally.placements[place].error += 1
      case .undecidable: tally.placements[place].undecidable += 1
      }
      for (j, step) in decision.audiences.map(\.step).enumerated()
      where step.reason != .notReached {
        tally.placements[place].audiences[j].reached += 1
        switch step.reason {
        case .matched: tally.placements[place].audiences[j].matched += 1
        case .occurrenceLimit:
          tally.placements[place].audiences[j].matched += 1
          tally.placements[place].audiences[j].heldBack += 1
        case .entitled: tally.placements[place].audiences[j].owned += 1
        default: break
        }
        if step.index == decision.decision.audience {
          tally.placements[place].audiences[j].taken += 1
        }
      }
    }
    return tally
  }

  /// The other layout, and no outcomes at all, tell the same.
  @Test(arguments: Extent.some(0..<12))
  func layouts(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 60)
    let outcomes = try sample.decided().outcomes
    let chunk = Array(sample.lines.joined(separator: "\n").utf8)
    var wide = BatchWorker(sample.plan(.wide))
    var none = BatchWorker(sample.plan(writes: false))
    let (output, counted) = (wide.process(chunk), none.process(chunk))
    #expect(counted.outcomes == [])
    #expect(counted.tally == output.tally)
    var expected = outcomes[...]
    for line in texts(output) {
      let user = try Value.parse(json: line.utf8)
      for name in sample.rules.placementNames {
        let next = expected.popFirst()
        let outcome = try #require(next)
        #expect(user["userId"] == outcome["userId"])
        let member = try #require(user[name])
        #expect(member["result"] == outcome["result"]?["result"])
        #expect(member["audience"] == outcome["audience"])
        #expect(member["paywall"] == outcome["paywall"])
        let variant = outcome["result"]?["experiment"]?["variant"]?["id"] ?? .null
        #expect(member["variant"] == variant)
      }
    }
    #expect(expected.isEmpty)
  }

  /// Users who were read once are decided again and again as when they are read each time.
  @Test(arguments: Extent.some(0..<12))
  func usersInMemory(seed: UInt64) throws {
    let sample = try Sample(seed: seed, lines: 1_400)
    let text = Array(sample.lines.joined(separator: "\n").utf8)
    let plan = sample.plan(writes: false)
    var worker = BatchWorker(plan)
    let expected = worker.process(text)
    var users = DecodedUsers(text, plan)
    #expect(users.count == expected.tally.users)
    #expect(users.rejected == expected.rejected)
    for _ in 0..<2 {
      #expect(withoutExamples(plan.tally(of: users.decide())) == withoutExamples(expected.tally))
    }
  }

  /// Which user is the first depends on who is decided when.
  private func withoutExamples(_ tally: Tally) -> Tally {
    var tally = tally
    for place in tally.placements.indices {
      for number in tally.placements[place].errors.indices {
        tally.placements[place].errors[number].example = ""
      }
    }
    return tally
  }

  /// However the lines are cut into chunks, and whatever ends them, the same comes out; and nothing
  /// of one user is left for the next.
  @Test(arguments: ["\n", "\r\n", "\n\n", "\n \t\r\n"])
  func chunksAndLineEnds(lineEnd: String) throws {
    let sample = try Sample(seed: 5, lines: 90)
    var whole = BatchWorker(sample.plan())
    let expected = whole.process(Array(sample.lines.joined(separator: "\n").utf8))
    for size in [1, 7, 89, 200] {
      var worker = BatchWorker(sample.plan())
      var outcomes: [UInt8] = []
      var tally = sample.plan().emptyTally
      var refused: [String] = []
      for start in stride(from: 0, to: sample.lines.count, by: size) {
        let lines = sample.lines[start..<min(start + size, sample.lines.count)]
        let isLast = start + size >= sample.lines.count
        let text = lines.joined(separator: lineEnd) + (isLast ? "" : lineEnd)
        let output = worker.process(Array(text.utf8))
        outcomes += output.outcomes
        tally.add(output.tally)
        refused += output.rejected.map(reason)
      }
      #expect(outcomes == expected.outcomes)
      #expect(tally == expected.tally)
      #expect(refused == expected.rejected.map(reason))
    }
  }

  /// Why a line was rejected, without the place: a carriage return is part of the line.
  private func reason(_ line: BatchWorker.RejectedLine) -> String {
    String(line.reason.prefix(while: { !$0.isNumber }))
  }

  /// Every outcome line is an object of the outcome schema's keys.
  @Test func linesHaveTheSchemasKeys() throws {
    for seed in 0..<6 {
      let sample = try Sample(seed: UInt64(seed), lines: 40)
      var worker = BatchWorker(sample.plan())
      for line in texts(worker.process(Array(sample.lines.joined(separator: "\n").utf8))) {
        let value = try Value.parse(json: line.utf8)
        let last = value["errors"] == nil ? [] : ["errors"]
        #expect(keys(value) == ["userId", "placement", "result", "audience", "paywall"] + last)
        if case .list(let errors)? = value["errors"] {
          #expect(!errors.isEmpty)
          for error in errors { #expect(keys(error) == ["audience", "clause", "code", "path"]) }
        }
        let result = try #require(value["result"])
        switch result["result"] {
        case "paywall", "holdout":
          #expect(keys(result) == ["result", "experiment"])
          let experiment = try #require(result["experiment"])
          #expect(keys(experiment) == ["id", "groupId", "variant"])
          let variant = try #require(experiment["variant"])
          #expect(keys(variant) == ["id", "type", "paywallId"])
          let isText = ["id", "type", "paywallId"].allSatisfy {
            if case .string? = variant[$0] { true } else { false }
          }
          #expect(isText)
          let isPaywall = result["result"] == "paywall"
          #expect(value["paywall"] == (isPaywall ? variant["paywallId"] : .null))
          #expect(variant["type"] == (isPaywall ? "TREATMENT" : "HOLDOUT"))
        case "error": #expect(keys(result) == ["result", "error"])
        default:
          #expect(keys(result) == ["result"])
          #expect(value["audience"] == .null)
        }
      }
    }
  }

  private func keys(_ value: Value) -> [String] {
    guard case .map(let entries) = value else { return [] }
    return entries.map { if case .string(let key) = $0.key { key } else { "" } }
  }

  /// Lines as long as the limit are read, longer ones refused, and their neighbours are not
  /// touched.
  @Test func longLines() throws {
    let rules = try ruleSet(wireRule())
    let plan = BatchPlan(rules, now: 0, assigner: .hash(salt: ""), lineLimit: 10_000)
    func line(_ bytes: Int) -> String {
      "{\"userId\":\"" + String(repeating: "x", count: bytes - 13) + "\"}"
    }
    let lines = [line(20), line(10_000), line(10_001), line(200_000), line(21)]
    var worker = BatchWorker(plan)
    let output = worker.process(Array(lines.joined(separator: "\n").utf8))
    #expect(output.tally.users == 3)
    #expect(output.rejected.map(\.line) == [2, 3])
    #expect(texts(output).count == 3)
  }

  /// A placement that the batch leaves out is not counted, one that is unknown is told, one named
  /// twice counts once.
  @Test func chosenPlacements() throws {
    let sample = try Sample(seed: 3, lines: 50)
    let names = sample.rules.placementNames
    let chosen = [names[2], "nowhere", names[0], names[2]]
    let plan = BatchPlan(
      sample.rules, placements: chosen, now: Self.now, assigner: sample.assigner)
    #expect(plan.unknownPlacements == ["nowhere"])
    var some = BatchWorker(plan)
    var all = BatchWorker(sample.plan())
    let chunk = Array(sample.lines.joined(separator: "\n").utf8)
    let (output, full) = (some.process(chunk), all.process(chunk))
    #expect(output.tally.placements.map(\.name) == [names[2], "nowhere", names[0]])
    #expect(output.tally.placements[0] == full.tally.placements[2])
    #expect(output.tally.placements[2] == full.tally.placements[0])
    #expect(output.tally.placements[1].placementNotFound == output.tally.users)
    let wanted = Set([names[0], names[2]].map { Value.string($0).json })
    let expected = texts(full).filter { line in
      wanted.contains { line.contains("\"placement\":\($0)") }
    }
    #expect(Set(texts(output).filter { !$0.contains("\"nowhere\"") }) == Set(expected))
  }
}
