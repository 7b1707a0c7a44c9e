package import Expressions

/// Values that conditions distinguish, and contexts with such a value.
extension ConditionSpace {
  /// A value of an attribute, or of a host's answer.
  package struct Candidate: Hashable, Sendable {
    /// The names of the attribute; empty for an answer.
    package var path: [String]
    /// The question to the host.
    package var question: HostQuestion?
    /// The value of the attribute or answer; nil for a missing attribute.
    package var value: Value?
  }

  /// The maximum number of values that represent a class.
  private static let mostOfClass = 6

  /// Values of every attribute that the conditions read: some values of each class.
  package var candidates: [Candidate] {
    variables.flatMap { variable in
      let group = model.groups[variable.group]
      let path = group.question == nil ? group.path : []
      return variable.classes.samples.flatMap { $0.prefix(Self.mostOfClass) }.map {
        Candidate(path: path, question: group.question, value: $0)
      }
    }
  }
}

extension AnalysisWitness {
  /// An empty context.
  package static var nothing: AnalysisWitness { AnalysisWitness(attributes: .map([])) }

  /// The context with another value of an attribute, or without it.
  package func with(_ candidate: ConditionSpace.Candidate) -> AnalysisWitness {
    var changed = self
    if let question = candidate.question {
      changed.answers.removeAll { $0.question == question }
      if let value = candidate.value { changed.answers.append((question, value)) }
    } else {
      changed.attributes = AnalysisWitness.setting(
        candidate.path[...], of: attributes, to: candidate.value)
    }
    return changed
  }

  private static func setting(_ path: ArraySlice<String>, of map: Value, to value: Value?) -> Value
  {
    guard let name = path.first else { return value ?? map }
    var entries: [Value.Entry] = []
    if case .map(let known) = map { entries = known }
    let place = entries.firstIndex { $0.key.text == name }
    var member = value
    if path.count > 1 {
      let inner = place.map { entries[$0].value } ?? .map([])
      member = setting(path.dropFirst(), of: inner, to: value)
    }
    if let place { entries.remove(at: place) }
    if let member { entries.append(Value.Entry(key: .string(name), value: member)) }
    return .map(entries)
  }
}
