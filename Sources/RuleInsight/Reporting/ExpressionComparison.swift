internal import Expressions
internal import RuleEngine

/// Compares the results of one expression in all the languages.
struct ExpressionComparison {
  /// The maximum number of bytes of parts that are tested with all samples. Longer nested parts
  /// would take quadratic time, because each is nearly as long as the whole expression.
  private static let fullyTried = 256
  /// The minimum number of samples for each part, whatever its length is.
  private static let leastSamples = 8
  /// The number of bytes of expressions to evaluate in the search for decisive differences.
  private static let decisionWork = 16_000_000
  /// The cost of a search in evaluations.
  private static let searchWork = 100
  /// The work of finding the values of a clause.
  private static let clauseWork = 8_000
  /// The maximum number of values of a clause about several attributes. Other parts are tested with
  /// these values.
  private static let mostOfSeveral = 24

  /// The maximum number of samples per kind of outcomes to test for decisiveness, and the maximum
  /// number of attributes to vary.
  private static let mostOfKind = 8
  private static let mostKinds = 12
  private static let fewParts = 16
  private static let mostSearched = 2

  private struct TellingValue {
    var clause: Int
    var value: Value
    var outcomes: [DialectReport.Outcome]
  }

  private typealias Differing = ClauseResults.Differing

  private let samples: Int
  private let parts: [ExpressionPart]
  private let runners: [PartRunner]
  /// For each attribute, the values for which results of clauses differ, with the number of the
  /// clause, the last clause first.
  private var tellingValues: [AttributePath: [TellingValue]] = [:]
  private var clauseValues: [Int: ClauseValues] = [:]
  private struct CommonKey: Hashable {
    var path: AttributePath
    var difference: DialectReport.Finding.Difference
    var isBroken: Bool
  }

  /// The cached results of ``commonValues(of:_:_:)``.
  private var common: [CommonKey: [Value]] = [:]
  private let search: DecisionSearch
  private let limits: Limits
  private let work: DialectReport.Work
  private var decisionWork = Self.decisionWork
  /// The samples with which an expression of many parts matches in all the languages, or in none.
  private var bases: [Sample]?

  /// - Parameters:
  ///   - work: the remaining work for all expressions.
  ///   - known: returns the cached runner of a part that other expressions have too.
  init(
    _ text: String, samples: Int, work: DialectReport.Work, limits: Limits,
    known: (String) -> PartRunner
  ) {
    self.samples = samples
    self.work = work
    self.limits = limits
    // An expression that only one language can parse is a single part.
    let whole = ExpressionPart(
      range: SourceRange(from: 0, to: text.utf8.count), text: text)
    parts = ExpressionPart.all(of: text, in: .superscript, limits: limits) ?? [whole]
    runners = parts.map { known($0.text) }
    search = DecisionSearch(text, runners[0].languages, limits: limits)
  }

  mutating func findings() -> [DialectReport.Finding] {
    let differences: [DialectReport.Finding.Difference] = [.dialects, .platforms]
    var found: [[[Differing]]] = Array(repeating: [], count: parts.count)
    // Parts are visited before the parts that contain them, because containing parts are tested
    // with values that distinguish clauses.
    for part in parts.indices.reversed() {
      guard parts[part].parts.isEmpty else {
        var trials = trials(of: part)
        found[part] = differences.map { differing(part, $0, &trials) }
        work.take(trials.count * parts[part].text.utf8.count)
        continue
      }
      let results = clauseResults(of: part)
      clauseValues[part] = results.values
      found[part] = results.differing
      if part > 0 { addTellingValues(of: part, results) }
    }
    var findings: [[DialectReport.Finding]] = [[], []]
    for part in parts.indices {
      for (i, difference) in differences.enumerated() {
        if let found = finding(of: part, difference, found[part][i]) { findings[i].append(found) }
      }
    }
    return findings[0] + findings[1]
  }

  private func sampleLimit(_ part: Int) -> Int {
    let bytes = parts[part].text.utf8.count
    guard bytes > Self.fullyTried else { return samples }
    return min(samples, max(Self.leastSamples, samples * Self.fullyTried / bytes))
  }

  // MARK: Values

  private mutating func trials(of number: Int) -> Trials {
    let (part, runner) = (parts[number], runners[number])
    let end = self.end(of: number)
    let samples = SampleSet(
      attributes: runner.attributes,
      histories: SampleSet.histories(for: runner.questions, part.constants),
      limit: sampleLimit(number)
    ) { clauseValues[number]?[$0] ?? tellingValues(of: $0, from: number, to: end) }
    return Trials(part, runner, runners, samples.all)
  }

  /// The results for a clause. Other expressions may contain the same clause.
  private mutating func clauseResults(of number: Int) -> ClauseResults {
    let runner = runners[number]
    if let known = runner.clause { return known }
    let values = ClauseValues(parts[number], runner, limits: limits)
    clauseValues[number] = values
    var trials = trials(of: number)
    let differing = [DialectReport.Finding.Difference.dialects, .platforms].map {
      self.differing(number, $0, &trials)
    }
    let made = ClauseResults(
      values: values, differing: differing, telling: tellingValues(&trials))
    work.take(Self.clauseWork + trials.count * (parts[number].text.utf8.count + 32))
    runner.clause = made
    return made
  }

  /// The number after the last subpart of a part.
  private func end(of part: Int) -> Int {
    var last = part
    while let next = parts[last].parts.last { last = next }
    return last + 1
  }

  /// The known values for which results of clauses in a range of numbers differ. For a small range,
  /// all test values of its clauses follow, because clauses distinguish more in combination.
  private func tellingValues(of path: AttributePath, from start: Int, to end: Int) -> [Value] {
    var seen: Set<Value> = []
    var values = (tellingValues[path] ?? []).reversed().compactMap {
      $0.clause < end ? $0.value : nil
    }
    if end - start <= Self.fewParts {
      values += (start..<end).flatMap { clauseValues[$0]?[path] ?? [] }
    }
    return values.filter { seen.insert($0).inserted }
  }

  private mutating func addTellingValues(of clause: Int, _ results: ClauseResults) {
    for (path, value, outcomes) in results.telling.reversed() {
      tellingValues[path, default: []].append(
        TellingValue(clause: clause, value: value, outcomes: outcomes))
    }
  }

  private func tellingValues(_ trials: inout Trials) -> [ClauseResults.TellingValue] {
    var seen: Set<[DialectReport.Outcome]> = []
    var told: [ClauseResults.TellingValue] = []
    for i in trials.samples.indices {
      let values = trials.samples[i].values
      // The result of a clause about several attributes does not depend on one attribute alone.
      if values.count > 1, told.count >= Self.mostOfSeveral { break }
      let outcomes = trials.outcomes(i)
      guard values.count > 1 || seen.insert(outcomes).inserted else { continue }
      for case (let path, let value?) in values {
        told.append((path, value, outcomes))
      }
    }
    return told
  }

  // MARK: Findings

  /// Samples on which a part differs although none of its subparts does, a few for each kind of
  /// outcomes.
  private func differing(
    _ part: Int, _ difference: DialectReport.Finding.Difference, _ trials: inout Trials
  ) -> [Differing] {
    var found: [Differing] = []
    var kinds: [[DialectReport.Outcome]: Int] = [:]
    for i in trials.samples.indices {
      let outcomes = trials.outcomes(i)
      guard outcomes.differ(difference), !trials.isInherited(i, difference) else { continue }
      let kind = outcomes.map { $0.kind }
      let count = kinds[kind, default: 0]
      guard count < Self.mostOfKind, kinds.count < Self.mostKinds || count > 0 else { continue }
      kinds[kind] = count + 1
      found.append(
        Differing(
          sample: trials.samples[i], outcomes: outcomes, isSearched: count < Self.mostSearched))
    }
    return found
  }

  /// The first sample on which a part differs. Samples that change the decision are preferred.
  private mutating func finding(
    of part: Int, _ difference: DialectReport.Finding.Difference, _ differing: [Differing]
  ) -> DialectReport.Finding? {
    guard var example = differing.first else { return nil }
    var isDecisive = false
    for next in differing where !isDecisive {
      guard let sample = decidingSample(next, difference) else { continue }
      example = Differing(sample: sample, outcomes: next.outcomes, isSearched: true)
      isDecisive = true
    }
    return DialectReport.Finding(
      difference: difference, paths: [], range: parts[part].range, clause: parts[part].text,
      outcomes: zip(RuleLanguage.compared, example.outcomes).map { (language: $0, outcome: $1) },
      attributes: example.sample.attributes, events: example.sample.events, isDecisive: isDecisive)
  }

  /// The sample, with further attributes if necessary, for which the whole expression matches in
  /// one language and not in the other; nil if none was found.
  private mutating func decidingSample(
    _ differing: Differing, _ difference: DialectReport.Finding.Difference
  ) -> Sample? {
    let sample = differing.sample
    if decides(sample, difference) { return sample }
    if let found = nearBases(sample, difference) { return found }
    let open = SampleSet.leaves(of: runners[0].attributes).filter { !sample.settles($0) }
    guard differing.isSearched, hasWork, !open.isEmpty else { return nil }
    take(Self.searchWork)
    let found = search.sample(keeping: sample, difference) { matching in
      if decides(matching, difference) { return matching }
      // If the expression matches in both languages, the cause is a part that has the same result
      // in both and reads one of these attributes.
      let trial = runners[0].trial(of: matching)
      for path in open {
        for value in commonValues(of: path, differing, difference) {
          guard hasWork else { return nil }
          take(1)
          if trial.outcomes(changing: path, to: value).decide(difference) {
            return matching.changed(path, to: value)
          }
        }
      }
      return nil
    }
    if let found { return found }
    // The search over several attributes together is short.
    let choices = open.map { SampleSet.interleaved(commonValues(of: $0, differing, difference)) }
    for values in SampleSet.combinations(of: choices, limit: sampleLimit(0)) where hasWork {
      var joined = sample
      joined.values += zip(open, values).map { ($0, $1) }
      if decides(joined, difference) { return joined }
    }
    return nil
  }

  /// Values of an attribute that change the results of its clauses in the same way in all
  /// languages. If the part is broken in one language, all values count, because that is why the
  /// whole does not match there.
  private mutating func commonValues(
    of path: AttributePath, _ differing: Differing, _ difference: DialectReport.Finding.Difference
  ) -> [Value] {
    let isBroken = differing.outcomes.contains { if case .broken = $0 { true } else { false } }
    let key = CommonKey(path: path, difference: difference, isBroken: isBroken)
    if let values = common[key] { return values }
    var seen: Set<Value> = []
    let values = (tellingValues[path] ?? []).suffix(Self.mostOfSeveral).reversed()
      .filter {
        (isBroken || !$0.outcomes.differ(difference)) && seen.insert($0.value).inserted
      }.map { $0.value }
    common[key] = values
    return values
  }

  private var hasWork: Bool { decisionWork > 0 && work.remaining > 0 }

  /// Reserves the work for evaluating the whole expression a number of times.
  private mutating func take(_ evaluations: Int) {
    decisionWork -= evaluations * parts[0].text.utf8.count
    work.take(evaluations * parts[0].text.utf8.count)
  }

  /// The sample combined with the values of a base, if the combination decides. In an expression of many clauses, this
  /// finds most decisive differences with much less work than a search.
  private mutating func nearBases(
    _ sample: Sample, _ difference: DialectReport.Finding.Difference
  ) -> Sample? {
    guard parts.count > Self.fewParts else { return nil }
    let bases = self.bases ?? madeBases()
    self.bases = bases
    for base in bases where hasWork {
      var joined = sample
      joined.values += base.values.filter { !sample.settles($0.path) }
      if decides(joined, difference) { return joined }
    }
    return nil
  }

  /// A sample with a value for each attribute that makes a clause true in all the languages. Empty if the whole
  /// expression does not match the sample.
  private mutating func madeBases() -> [Sample] {
    var base = Sample()
    for path in SampleSet.leaves(of: runners[0].attributes) {
      let values = (tellingValues[path] ?? []).reversed()
      guard let value = values.first(where: { $0.outcomes.allSatisfy { $0.matches } }) else {
        continue
      }
      base.values.append((path, value.value))
    }
    guard hasWork else { return [] }
    take(1)
    return runners[0].outcomes(of: base).allSatisfy { $0.matches } ? [base] : []
  }

  /// Whether the whole expression decides for a sample, within the work limit.
  private mutating func decides(
    _ sample: Sample, _ difference: DialectReport.Finding.Difference
  ) -> Bool {
    guard hasWork else { return false }
    take(1)
    return runners[0].outcomes(of: sample).decide(difference)
  }
}

/// The results of a clause, which do not depend on the expression around it.
struct ClauseResults {
  /// A sample on which a part differs.
  struct Differing {
    var sample: Sample
    var outcomes: [DialectReport.Outcome]
    /// Whether to search for attributes that make the difference decide.
    var isSearched: Bool
  }

  typealias TellingValue = (path: AttributePath, value: Value, outcomes: [DialectReport.Outcome])

  var values: ClauseValues
  /// The samples that differ between dialects, and those that differ between platforms.
  var differing: [[Differing]]
  /// Values for which the results differ, in order of discovery.
  var telling: [TellingValue]
}

/// The results of a part and its subparts for samples. Each part is evaluated once for each sample.
private struct Trials {
  let samples: [Sample]
  /// The number of samples that were run.
  private(set) var count = 0
  private let runner: PartRunner
  /// The subparts of the part, with the indices of the sample values that each can read.
  private let inner: [(runner: PartRunner, places: [Int])]
  private var known: [[DialectReport.Outcome]?]
  /// For each sample, whether a subpart already differs between dialects, and between platforms.
  private var inherited: [(dialects: Bool, platforms: Bool)?]

  init(_ part: ExpressionPart, _ runner: PartRunner, _ runners: [PartRunner], _ samples: [Sample]) {
    self.runner = runner
    self.samples = samples
    known = Array(repeating: nil, count: samples.count)
    inherited = Array(repeating: nil, count: samples.count)
    let sight = Sight(of: SampleSet.leaves(of: runner.attributes))
    inner = part.parts.map { (runners[$0], sight.places(for: runners[$0].attributes)) }
  }

  mutating func outcomes(_ sample: Int) -> [DialectReport.Outcome] {
    if let outcomes = known[sample] { return outcomes }
    let outcomes = runner.outcomes(of: samples[sample])
    count += 1
    known[sample] = outcomes
    return outcomes
  }

  mutating func isInherited(
    _ sample: Int, _ difference: DialectReport.Finding.Difference
  ) -> Bool {
    let result = inherited[sample] ?? innerDifferences(samples[sample])
    inherited[sample] = result
    return difference == .dialects ? result.dialects : result.platforms
  }

  private func innerDifferences(_ sample: Sample) -> (dialects: Bool, platforms: Bool) {
    var result = (dialects: false, platforms: false)
    for (runner, places) in inner {
      let outcomes = runner.outcomes(of: sample.keeping(places))
      result.dialects = result.dialects || outcomes.differ(.dialects)
      result.platforms = result.platforms || outcomes.differ(.platforms)
      if result.dialects, result.platforms { break }
    }
    return result
  }
}

/// The values of a sample that a part can read: the values of its attributes, of attributes nested
/// in them, and of attributes that contain them.
private struct Sight {
  private var within: [ArraySlice<String>: [Int]] = [:]
  private var exact: [ArraySlice<String>: Int] = [:]

  init(of leaves: [AttributePath]) {
    for (place, leaf) in leaves.enumerated() {
      exact[leaf.names[...]] = place
      for count in 0...leaf.names.count { within[leaf.names[..<count], default: []].append(place) }
    }
  }

  func places(for attributes: [AttributePath]) -> [Int] {
    var places: Set<Int> = []
    for path in attributes {
      places.formUnion(within[path.names[...]] ?? [])
      for count in 0..<path.names.count {
        if let place = exact[path.names[..<count]] { places.insert(place) }
      }
    }
    return places.sorted()
  }
}
