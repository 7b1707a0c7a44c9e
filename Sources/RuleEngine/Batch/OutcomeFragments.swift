internal import Expressions

/// The form of an outcomes file.
public enum OutcomeLayout: String, Hashable, Sendable, CaseIterable {
  /// A line for each user and placement.
  case long
  /// A line for each user.
  case wide
}

/// Writes the part of an outcome line that does not depend on the user.
struct OutcomeFragments {
  var layout: OutcomeLayout

  /// Long: from the comma behind the user ID to the line's end. Wide: a comma and one member.
  func fragment(_ placement: String, _ outcome: Decision.Outcome, _ audience: Int?) -> [UInt8] {
    let line = outcome.line(subjectID: "", placement: placement, audience: audience)
    var bytes: [UInt8] = [UInt8(ascii: ",")]
    switch layout {
    case .long:
      guard case .map(let entries) = line else { return bytes }
      JSONWriter.append(.map(Array(entries.dropFirst())), to: &bytes)
      // The object's opening brace stands before the user ID already.
      bytes.remove(at: 1)
      bytes.append(UInt8(ascii: "\n"))
    case .wide:
      JSONWriter.append(quoted: placement, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONWriter.append(member(outcome, line), to: &bytes)
    }
    return bytes
  }

  private func member(_ outcome: Decision.Outcome, _ line: Value) -> Value {
    var variant: Value = .null
    switch outcome {
    case .paywall(let experiment), .holdout(let experiment):
      variant = .string(experiment.variant.id)
    default: break
    }
    return .object([
      "result": TriggerResult(outcome).value["result"] ?? .null,
      "audience": line["audience"] ?? .null, "variant": variant,
      "paywall": line["paywall"] ?? .null,
    ])
  }
}
