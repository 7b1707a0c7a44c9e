internal import Expressions

/// One expression in all the languages.
struct ExpressionComparison {
  /// Parts up to this many bytes are tried with all samples. Nested parts would take quadratic time
  /// otherwise: each is as long as the rest of the expression.
  private static let fullyTried = 256
  /// What is tried at least, however long a part is.
  private static let leastSamples = 8
  /// So many bytes of expressions are evaluated to find out which differences decide.
  private static let decisionWork = 48_000_000

  private let samples: Int
  private let parts: [ExpressionPart]
  private let runners: [PartRunner]
  /// The literals in the clauses that read an attribute.
  private var ownConstants: [AttributePath: [Value]] = [:]
  private var decisionWork = Self.decisionWork

  init(_ text: String, samples: Int, limits: Limits) {
    self.samples = samples
    // What only one language can read is one part: the whole.
    let whole = ExpressionPart(
      range: SourceRange(from: 0, to: text.utf8.count), text: text)
    parts = ExpressionPart.all(of: text, in: .superscript, limits: limits) ?? [whole]
    runners = parts.map { PartRunner($0.text, limits: limits) }
    for (part, runner) in zip(parts, runners) where part.parts.isEmpty {
      for path in runner.attributes { ownConstants[path, default: []] += part.constants }
    }
  }

  mutating func findings() -> [DialectReport.Finding] {
    var findings: [[DialectReport.Finding]] = [[], []]
    for part in parts.indices {
      var trials = Trials(of: part, parts[part], runners, limit: sampleLimit(part))
      for (i, difference) in [DialectReport.Finding.Difference.dialects, .platforms].enumerated() {
        if let found = finding(of: part, difference, &trials) { findings[i].append(found) }
      }
    }
    return findings[0] + findings[1]
  }

  private func sampleLimit(_ part: Int) -> Int {
    let bytes = parts[part].text.utf8.count
    guard bytes > Self.fullyTried else { return samples }
    return min(samples, max(Self.leastSamples, samples * Self.fullyTried / bytes))
  }

  /// The first sample on which a part differs and none of the parts that it is made of does; one
  /// that changes the decision before others.
  private mutating func finding(
    of part: Int, _ difference: DialectReport.Finding.Difference, _ trials: inout Trials
  ) -> DialectReport.Finding? {
    var found: DialectReport.Finding?
    // Whether a decision changes is only asked for a sample of each kind.
    var seen: Set<[DialectReport.Outcome]> = []
    for i in trials.samples.indices {
      let outcomes = trials.outcomes(i)
      guard outcomes.differ(difference), !trials.isInherited(i, difference),
        seen.insert(outcomes).inserted || part == 0, seen.count <= 12
      else { continue }
      let sample = trials.samples[i]
      let decides = part == 0 ? outcomes.decide(difference) : false
      let context = decides ? Sample() : decisiveContext(of: sample, difference, &trials)
      if found == nil || decides || context != nil {
        let example = context.map { sample.joined(with: $0) } ?? sample
        found = DialectReport.Finding(
          difference: difference, paths: [], range: parts[part].range, clause: parts[part].text,
          outcomes: Array(zip(RuleLanguage.compared, outcomes)), attributes: example.attributes,
          events: example.events, isDecisive: decides || context != nil)
      }
      if decides || context != nil { break }
    }
    return found
  }

  /// Values of the other attributes with which the whole expression matches in one language and
  /// not in the other, or nil when none was found.
  private mutating func decisiveContext(
    of sample: Sample, _ difference: DialectReport.Finding.Difference, _ trials: inout Trials
  ) -> Sample? {
    if decides(sample, difference) { return Sample() }
    if trials.contexts == nil {
      let others = runners[0].attributes.filter { !sample.sets($0) }
      trials.contexts = SampleSet.combinations(
        of: others.map { path in (path, ownConstants[path] ?? []) }, limit: sampleLimit(0))
    }
    return trials.contexts?.first { decides(sample.joined(with: $0), difference) }
  }

  /// Whether the whole expression decides, as long as there is work left.
  private mutating func decides(
    _ sample: Sample, _ difference: DialectReport.Finding.Difference
  ) -> Bool {
    guard decisionWork > 0 else { return false }
    decisionWork -= parts[0].text.utf8.count
    return runners[0].outcomes(of: sample).decide(difference)
  }
}

/// What one part and those that it is made of come to on the part's samples, each evaluated once.
private struct Trials {
  let samples: [Sample]
  /// Values for the other attributes, once they were needed.
  var contexts: [Sample]?

  private let runner: PartRunner
  /// The parts of the part, with the places of the values that each of them can see.
  private let inner: [(runner: PartRunner, places: [Int])]
  private var known: [[DialectReport.Outcome]?]
  /// Whether a part of the part differs already, between dialects and between platforms.
  private var inherited: [(dialects: Bool, platforms: Bool)?]

  init(of number: Int, _ part: ExpressionPart, _ runners: [PartRunner], limit: Int) {
    runner = runners[number]
    samples =
      SampleSet(
        attributes: runner.attributes, questions: runner.questions, constants: part.constants,
        limit: limit
      ).all
    known = Array(repeating: nil, count: samples.count)
    inherited = Array(repeating: nil, count: samples.count)
    let sight = Sight(of: SampleSet.leaves(of: runner.attributes))
    inner = part.parts.map { (runners[$0], sight.places(for: runners[$0].attributes)) }
  }

  mutating func outcomes(_ sample: Int) -> [DialectReport.Outcome] {
    if let outcomes = known[sample] { return outcomes }
    let outcomes = runner.outcomes(of: samples[sample])
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

/// Which values of a sample a part can see: those of its attributes, of what lies in these, and of
/// what these lie in.
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
