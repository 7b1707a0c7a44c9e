internal import Expressions
internal import RuleEngine

/// Names of events that are most likely spelled wrong.
///
/// `device.daysSince("app_instal")`: the SDKs' event is "app_install".
enum EventNames {
  private struct Use {
    var places: [(path: String, range: SourceRange?)] = []
  }

  /// If there are more names than this, they are probably generated, and comparing all pairs is slow.
  private static let mostNames = 200
  /// A name with this many uses counts as usual.
  private static let usual = 3

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript, subject.config.format == .superwall else { return [] }
    let uses = uses(in: subject)
    let known =
      SuperwallEventName.allCases.map { $0.placementName }
      + subject.config.placements.map { $0.name }
    let names = Set(known)
    guard uses.count <= mostNames, known.count <= 10 * mostNames else { return [] }
    return uses.keys.sorted().flatMap { name -> [Diagnostic] in
      guard !names.contains(name), let use = uses[name] else { return [] }
      let meant =
        known.first { NearNames.isSlip(name, of: $0) }
        ?? uses.filter {
          use.places.count == 1 && $0.value.places.count >= usual
            && NearNames.isSlip(name, of: $0.key)
        }.keys.min()
      guard let meant else { return [] }
      return use.places.map { place in
        ValueSpellings.finding(
          "the event '\(name)' does not exist elsewhere, but '\(meant)' does", at: place.path,
          range: place.range, suggestion: "did you mean \"\(meant)\"?", subject: name)
      }
    }
  }

  /// The events that conditions ask about, by name.
  private static func uses(in subject: LintSubject) -> [String: Use] {
    var uses: [String: Use] = [:]
    for condition in subject.conditions {
      let expression = condition.expression
      expression.visit { id, _ in
        guard let call = expression.call(id), HostFunction(rawValue: call.name) != nil,
          let argument = call.arguments.first,
          case .string(let name)? = expression.literal(argument)
        else { return }
        for path in condition.paths {
          uses[name, default: Use()].places.append((path, expression[argument].range))
        }
      }
    }
    for audience in subject.audiences {
      for (number, property) in audience.computedProperties.enumerated() {
        let path = "\(audience.path).computed_properties[\(number)].event_name"
        uses[property.eventName, default: Use()].places.append((path, nil))
      }
    }
    return uses
  }
}
