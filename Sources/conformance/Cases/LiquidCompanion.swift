internal import Expressions

/// The file `golden-liquid.jsonl` in the folder of a case file. The file contains the templates of the liquidjs cases,
/// by the same IDs.
final class LiquidCompanion: Sendable {
  static let shared = LiquidCompanion()
  private let known = Locked<[String: [String: Value]]>([:])

  /// The templates of the case with the same ID, or nil.
  func templates(of testCase: Case) -> Value? {
    let folder = testCase.folder
    let path = folder + "golden-liquid.jsonl"
    return known.withLock { known in
      if known[path] == nil { known[path] = LiquidCompanion.read(path) }
      return known[path]?[testCase.id]
    }
  }

  private static func read(_ path: String) -> [String: Value] {
    guard let cases = try? CaseFile.read(path) else { return [:] }
    var templates: [String: Value] = [:]
    for testCase in cases { templates[testCase.id] = testCase.content["templates"] }
    return templates
  }
}
