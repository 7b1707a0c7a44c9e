import Expressions
import Foundation

/// JSON that is changed in one place.
enum Mutations {
  /// The value with one of its members or elements, at any depth, taken away or replaced.
  static func all(of value: Value) -> [(path: String, value: Value)] {
    var found: [(String, Value)] = []
    var places = 0
    func go(_ part: Value, _ path: String, _ rebuilt: (Value?) -> Value) {
      if !path.isEmpty {
        for other in others(at: places) where other != part {
          found.append(("\(path) = \(other.json)", rebuilt(other)))
        }
        found.append(("without \(path)", rebuilt(nil)))
        places += 1
      }
      switch part {
      case .map(let entries):
        for (i, entry) in entries.enumerated() {
          go(entry.value, "\(path).\(entry.key.text ?? "")") { new in
            var changed = entries
            if let new { changed[i].value = new } else { changed.remove(at: i) }
            return rebuilt(.map(changed))
          }
        }
      case .list(let elements):
        for (i, element) in elements.enumerated() {
          go(element, "\(path)[\(i)]") { new in
            var changed = elements
            if let new { changed[i] = new } else { changed.remove(at: i) }
            return rebuilt(.list(changed))
          }
        }
      default: break
      }
    }
    go(value, "") { $0 ?? .null }
    return found
  }

  private static let others: [Value] = [.null, true, 7, 1.5, -1, "zz", "", [], .map([])]
  /// Whether everything is tried everywhere; otherwise three values, other ones at every place.
  private static let isThorough =
    ProcessInfo.processInfo.environment["TOLLGATE_SCHEMA_RUNS"] == "all"

  private static func others(at place: Int) -> [Value] {
    isThorough ? others : (0..<3).map { others[(place + 4 * $0) % others.count] }
  }
}
