internal import Expressions
package import RuleEngine

/// The parts of outcome lines that do not depend on the user, written once for a config.
package struct OutcomeLines: Sendable {
  /// The part of an outcome line that follows the user.
  private struct Part: Sendable {
    /// The bytes from the comma after the user's identity to the closing brace of the line.
    var bytes: [UInt8] = []
    /// The name of the outcome in counts.
    var code: String

    init(_ outcome: Decision.Outcome, _ placement: String, _ audience: Int?) {
      code = outcome.code
      let line = outcome.line(subjectID: "", placement: placement, audience: audience)
      guard case .map(let members) = line else { return }
      JSONWriter.append(.map(Array(members.dropFirst())), to: &bytes)
      bytes[0] = UInt8(ascii: ",")
      bytes.removeLast()
    }
  }

  /// For each placement, the part if no audience takes the user.
  private let unmatched: [Part]
  /// For each rule, the part for an experiment without variants, and then the part for each variant.
  private let matched: [[Part]]

  package init(_ ruleSet: RuleSet) {
    unmatched = ruleSet.placements.map { Part(.noAudienceMatch, $0.name, nil) }
    var matched = Array(repeating: [Part](), count: ruleSet.rules.count)
    for placement in ruleSet.placements {
      for number in placement.rules {
        let rule = ruleSet.rules[number]
        matched[number] = ([nil] + rule.audience.variants.indices.map { $0 }).map {
          Part(rule.outcome($0), placement.name, rule.audience.index)
        }
      }
    }
    self.matched = matched
  }

  /// The beginning of a line.
  package func opening(_ subjectID: String) -> [UInt8] {
    var bytes = Array(#"{"userId":"#.utf8)
    JSONWriter.append(quoted: subjectID, to: &bytes)
    return bytes
  }

  /// Appends the part for a decision, and the rules that failed before it.
  ///
  /// - Returns: the name of the outcome in counts.
  package func append(_ decision: Decision, _ errors: [RuleError], to output: inout [UInt8])
    -> String
  {
    let part = part(of: decision)
    output += part.bytes
    if !errors.isEmpty {
      output += Array(#","errors":"#.utf8)
      JSONWriter.append(.list(errors.map { $0.value }), to: &output)
    }
    return part.code
  }

  private func part(of decision: Decision) -> Part {
    let verdict = decision.verdict
    if verdict.aborts || decision.ruleSet.storage.rejection != nil {
      return Part(decision.outcome, decision.placement, decision.audience)
    }
    if verdict.rule >= 0 { return matched[Int(verdict.rule)][Int(verdict.variant) + 1] }
    if let number = decision.ruleSet.placement(named: decision.placement) {
      return unmatched[number]
    }
    return Part(.placementNotFound, decision.placement, nil)
  }
}
