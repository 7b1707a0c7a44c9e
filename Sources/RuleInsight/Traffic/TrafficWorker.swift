internal import CivilTime
package import Expressions
package import RuleBatch
package import RuleEngine

/// Simulates the users of a chunk of lines one after the other, each over the whole period. Each
/// thread has its own worker.
package struct TrafficWorker: ~Copyable {
  /// The results of a chunk of lines.
  package struct Output: Sendable {
    package var sums: TrafficSums
    package var rejected: [BatchWorker.RejectedLine] = []
    /// The number of lines in the chunk, including blank ones.
    package var lines = 0
    /// The lines of the simulated placements.
    package var text: [UInt8] = []
    /// The oddities of the chunk's records.
    package var notes = RecordNotes()
    /// The identities of the chunk's users, if they were requested.
    package var subjects: [String] = []
    /// Whether the chunk's users differ from those whose identities were requested before.
    package var hasChanged = false
  }

  /// The source of users' placements.
  package enum Source: Sendable {
    /// No placements: only the identities are requested.
    case identities
    case generated(GeneratedTraffic)
    /// Recorded placements, and the numbers of the chunk's users in the recording.
    case recorded(RecordedTraffic, SubjectTable, Numbers)
  }

  /// The numbers of a chunk's users.
  package struct Numbers: Sendable {
    /// The number of the first user.
    package var first: Int
    /// The indices, in the chunk, of users that appear in an earlier line.
    package var repeated: Set<Int> = []

    package init(first: Int) { self.first = first }
  }

  private let plan: TrafficPlan
  private let roles: GeneratedTraffic.Roles
  /// Placements whose paywall is not followed by another placement.
  private let ending: Set<Int>
  /// A simulation for each SDK that the worker has met; only the first is used if all users have
  /// the same SDK.
  private var users: [Box?]
  /// The index of the current simulation, which has the counts.
  private var current = 0
  /// The time at which the current user gets another SDK, and the number of that SDK's plan.
  private var update: (time: Instant, sdk: Int)?
  private var told = RecordNotes()
  private var output: Output
  /// The constant parts of the current user's lines: before the time, and between the time and the
  /// outcome.
  private var quoted: [UInt8] = []

  package init(_ plan: TrafficPlan) {
    self.plan = plan
    roles = GeneratedTraffic.Roles(plan)
    users = [plan.fleet == nil ? Box(plan) : nil]
    output = Output(sums: TrafficSums(plan))
    ending = Set(
      plan.placements.indices.filter { place in
        ImplicitTriggers.tollgate.outcome(
          of: .paywallDecline, hasPlacement: true, opener: plan.placements[place].event,
          isPaywallOpen: true) != .closePaywallThenTriggerPaywall
      })
  }

  /// Simulates the users of a chunk, which must contain complete lines and stay in place until the
  /// call returns.
  package mutating func process(_ chunk: ByteView, _ source: Source) -> Output {
    // SAFETY: Lines are slices of the chunk, which stays until this returns. `user.forget()` drops
    // every view into it. Tests: TrafficPartsTests, TrafficTests.
    output = Output(sums: TrafficSums(plan))
    var (at, place) = (0, 0)
    var number = if case .recorded(_, _, let numbers) = source { numbers.first } else { 0 }
    while at < chunk.count {
      let end = LineScan.newline(in: chunk, from: at)
      let line = ByteView(rebasing: chunk[at..<end])
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        do throws(UserRecordReader.Rejection) {
          try simulate(line, source, place, &number)
          place += 1
        } catch {
          output.rejected.append(error.line(output.lines, line))
        }
      }
      output.lines += 1
      at = end + 1
    }
    // Drops all views into the chunk that would outlive the call, whatever its last line was.
    for case let box? in users { box.user.forget() }
    var notes = RecordNotes()
    for case let box? in users { notes.add(box.user.notes) }
    if let box = users[current] { output.sums = box.user.takeSums() }
    output.notes.add(notes.since(told))
    told = notes
    return output
  }

  // MARK: SDKs

  private final class Box {
    var user: TrafficUser

    init(_ plan: TrafficPlan) { user = TrafficUser(plan) }
  }

  /// The current simulation.
  private var user: Box {
    mutating get {
      if let box = users[current] { return box }
      let box = Box(plan.fleet?.plan(current) ?? plan)
      users[current] = box
      return box
    }
  }

  /// Switches to the simulation of another SDK, together with the counts.
  private mutating func move(to sdk: Int, isSameUser: Bool) {
    while users.count <= sdk { users.append(nil) }
    if sdk == current { return }
    let old = users[current]
    current = sdk
    let new = user
    guard let old else { return }
    if isSameUser {
      new.user.resume(&old.user, sdk: sdk)
    } else {
      new.user.takeCounts(&old.user, sdk: sdk)
    }
  }

  /// Chooses the SDK of the user of a record, and the time of its update.
  private mutating func choose(_ line: ByteView) {
    guard let fleet = plan.fleet else { return }
    let record = try? Value.parse(json: line)
    let choice = fleet.versions.selection.choice(
      DeviceSDK(device: record?["device"]), usual: fleet.versions.usual)
    if let problem = choice.problem { output.notes.add(problem) }
    move(to: fleet.number(of: choice.profile, in: plan), isSameUser: false)
    update = nil
    guard let newer = fleet.versions.updated(choice.profile),
      let time = fleet.versions.update?.time(
        of: record?["userId"]?.text ?? "", seed: plan.options.seed)
    else { return }
    update = (time, fleet.number(of: newer, in: plan))
  }

  private mutating func simulate(
    _ line: ByteView, _ source: Source, _ place: Int, _ number: inout Int
  ) throws(UserRecordReader.Rejection) {
    guard line.count <= plan.options.lineLimit else {
      throw UserRecordReader.Rejection(
        reason: "the line has more than \(plan.options.lineLimit) bytes, which is the limit")
    }
    switch source {
    case .identities:
      choose(line)
      output.subjects.append(try user.user.check(line))
    case .generated(let traffic):
      choose(line)
      try user.user.begin(line)
      quote()
      simulate(traffic)
      user.user.end()
    case .recorded(let traffic, let subjects, let numbers):
      choose(line)
      try user.user.begin(line)
      if !numbers.repeated.contains(place) {
        quote()
        simulate(traffic, subjects, number)
        number += 1
        user.user.end()
      } else {
        user.user.forget()
      }
    }
  }

  private mutating func simulate(_ traffic: GeneratedTraffic) {
    var source = UserTraffic(
      traffic, roles, plan.options.clock, seed: plan.options.seed,
      subject: user.user.state.subjectID)
    var busy = Instant.distantPast
    while let next = source.next(after: busy) {
      var (place, time) = next
      while ask(place, time, nil).isDeclined {
        time = source.closing(of: time)
        busy = time
        guard let declining = roles.declining, !ending.contains(place) else { break }
        place = declining
      }
    }
  }

  private mutating func simulate(
    _ traffic: RecordedTraffic, _ subjects: SubjectTable, _ number: Int
  ) {
    guard number < subjects.count,
      subjects[number].utf8.elementsEqual(user.user.state.subjectID.utf8)
    else {
      output.hasChanged = true
      return
    }
    var next = traffic.first(ofUser: number)
    while let event = next {
      _ = ask(event.place, event.time, event.params)
      next = traffic.event(after: event)
    }
  }

  private mutating func ask(_ place: Int, _ time: Instant, _ params: [UInt8]?) -> TrafficUser.Step {
    if let update, time >= update.time {
      move(to: update.sdk, isSameUser: true)
      user.user.countUpdate(at: time)
      self.update = nil
    }
    let step = user.user.ask(place, at: time, params: params)
    if plan.options.form != nil { write(step, time) }
    return step
  }

  // MARK: Lines

  private mutating func quote() {
    guard let form = plan.options.form else { return }
    quoted.removeAll(keepingCapacity: true)
    var subject = user.user.state.subjectID
    if form == .csv {
      subject.withUTF8 { OutcomeFragments.append(cell: $0, to: &quoted) }
    } else {
      JSONWriter.append(quoted: subject, to: &quoted)
    }
  }

  private mutating func write(_ step: borrowing TrafficUser.Step, _ time: Instant) {
    let isCSV = plan.options.form == .csv
    if isCSV {
      append(time)
      output.text.append(UInt8(ascii: ","))
    } else {
      output.text += #"{"at":""#.utf8
      append(time)
      output.text += #"","userId":"#.utf8
    }
    output.text += quoted
    output.text += step.choice.text
    if !step.errors.isEmpty { insert(step.errors, isCSV) }
  }

  /// Appends a time of fixed length, so that sorting lines by bytes sorts them by time.
  private mutating func append(_ time: Instant) {
    let civil = CivilTime(secondsSince1970: time.seconds)
    append(civil.year, digits: 4)
    for (sign, number) in [
      ("-", civil.month), ("-", civil.day), ("T", civil.hour), (":", civil.minute),
      (":", civil.second),
    ] as [(Unicode.Scalar, Int)] {
      output.text.append(UInt8(ascii: sign))
      append(number, digits: 2)
    }
    output.text.append(UInt8(ascii: "."))
    append(Int(time.millisecondOfSecond), digits: 3)
    output.text.append(UInt8(ascii: "Z"))
  }

  private mutating func append(_ number: Int, digits: Int) {
    var divisor = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
    while divisor > 0 {
      output.text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }

  /// Inserts errors before the end of the last line.
  private mutating func insert(_ errors: [RuleError], _ isCSV: Bool) {
    // SAFETY: The view of the local array stays in the closure. Tests: TrafficTests.
    output.text.removeLast(isCSV ? 1 : 2)
    var json: [UInt8] = []
    JSONWriter.append(.list(errors.map { $0.value }), to: &json)
    if isCSV {
      json.withUnsafeBufferPointer { OutcomeFragments.append(cell: $0, to: &output.text) }
    } else {
      output.text += #","errors":"#.utf8
      output.text += json
      output.text.append(UInt8(ascii: "}"))
    }
    output.text.append(UInt8(ascii: "\n"))
  }
}

extension UserRecordReader.Rejection {
  /// The rejected line, in the form of batch workers.
  fileprivate func line(_ number: Int, _ text: ByteView) -> BatchWorker.RejectedLine {
    let place = offset.map { "at byte \($0): " } ?? ""
    let hint = hint.map { "; \($0)" } ?? ""
    return BatchWorker.RejectedLine(line: number, reason: place + reason + hint, text: Array(text))
  }
}
