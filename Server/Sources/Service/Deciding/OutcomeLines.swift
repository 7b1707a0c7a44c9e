internal import Expressions
internal import RuleEngine

/// The parts of outcome lines that do not depend on the user, written once for a config.
struct OutcomeLines: Sendable {
  /// By placement: what is said where no audience takes the user.
  private let unmatched: [[UInt8]]
  /// By rule: what is said of an experiment without variants, and then of each variant.
  private let matched: [[[UInt8]]]

  init(_ ruleSet: RuleSet) {
    unmatched = ruleSet.placements.map { Self.part(.noAudienceMatch, $0.name, nil) }
    var matched = Array(repeating: [[UInt8]](), count: ruleSet.rules.count)
    for placement in ruleSet.placements {
      for number in placement.rules {
        let rule = ruleSet.rules[number]
        matched[number] = ([nil] + rule.audience.variants.indices.map { $0 }).map {
          Self.part(rule.outcome($0), placement.name, rule.audience.index)
        }
      }
    }
    self.matched = matched
  }

  /// From the comma behind the user's identity to before the brace that closes the line.
  private static func part(_ outcome: Decision.Outcome, _ placement: String, _ audience: Int?)
    -> [UInt8]
  {
    guard
      case .map(let members) = outcome.line(
        subjectID: "", placement: placement, audience: audience)
    else { return [] }
    var bytes: [UInt8] = []
    JSONWriter.append(.map(Array(members.dropFirst())), to: &bytes)
    bytes[0] = UInt8(ascii: ",")
    bytes.removeLast()
    return bytes
  }

  /// What a line begins with.
  func opening(_ subjectID: String) -> [UInt8] {
    var bytes = Array(#"{"userId":"#.utf8)
    JSONWriter.append(quoted: subjectID, to: &bytes)
    return bytes
  }

  /// Appends what is said of a decision, and of the rules that failed on the way.
  func append(_ decision: Decision, _ errors: [RuleError], to output: inout [UInt8]) {
    let verdict = decision.verdict
    if verdict.rule >= 0 {
      output += matched[Int(verdict.rule)][Int(verdict.variant) + 1]
    } else if let number = decision.ruleSet.placement(named: decision.placement) {
      output += unmatched[number]
    } else {
      output += Self.part(.placementNotFound, decision.placement, nil)
    }
    if errors.isEmpty { return }
    output += Array(#","errors":"#.utf8)
    JSONWriter.append(.list(errors.map(\.value)), to: &output)
  }
}
