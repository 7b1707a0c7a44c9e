internal import Expressions
internal import RuleEngine

/// An object of the config has a key twice.
///
/// `{"event_name": "a", "rules": [], "rules": []}`
enum DuplicateKeys: Lint {
  static let page = DuplicateIDs.page

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    var found: [Diagnostic] = []
    find(subject.root, &found)
    return found
  }

  private static func find(_ element: ConfigElement, _ found: inout [Diagnostic]) {
    switch element.value {
    case .map(let entries):
      var known: Set<[UInt8]> = []
      var told: Set<[UInt8]> = []
      for entry in entries {
        guard case .string(let key) = entry.key else { continue }
        let bytes = Array(key.utf8)
        let path = element.memberPath(key)
        if !known.insert(bytes).inserted, told.insert(bytes).inserted {
          found.append(
            finding(
              "the key '\(key)' appears twice in this object; the last one is used", at: path,
              suggestion: "remove one of them"))
        }
        find(ConfigElement(value: entry.value, path: path), &found)
      }
    case .list(let values):
      for (index, value) in values.enumerated() {
        find(ConfigElement(value: value, path: "\(element.path)[\(index)]"), &found)
      }
    default: return
    }
  }
}
