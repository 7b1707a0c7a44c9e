import Expressions
import Foundation
import Requests
import RuleEngine

/// A config that tests ask, and files of the corpus.
struct AskedConfig {
  let config: PreparedConfig

  static let text = """
    {"build_id": "b", "trigger_options": [
      {"event_name": "export", "rules": [
        {"experiment_id": "e1", "experiment_group_id": "g", "expression_cel": "user.plan == 'free'",
         "variants": [{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "annual"}]},
        {"experiment_id": "e2", "experiment_group_id": "g", "expression_cel": "user.visits > 3",
         "variants": [{"variant_id": "v2", "variant_type": "HOLDOUT", "percentage": 100}]}]},
      {"event_name": "open", "rules": []}],
     "paywall_responses": [{"identifier": "annual", "name": "Annual", "url": "https://example.com"}]}
    """

  /// The same with a variant that half of the users get.
  static let halves = text.replacing(
    #"{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,"#,
    with: #"""
      {"variant_id": "v0", "variant_type": "HOLDOUT", "percentage": 50},
      {"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 50,
      """#)

  /// The time of requests that do not say.
  static let now: Instant = 1_772_366_400_000

  init(_ text: String = text, _ change: (inout PreparedConfig.Settings) throws -> Void = { _ in })
    throws
  {
    var settings = PreparedConfig.Settings { Self.now }
    try change(&settings)
    config = try PreparedConfig(Array(text.utf8), settings)
  }

  /// The answer to a decide request, or the error.
  func decide(_ request: String) -> Value {
    do throws(RequestError) {
      let bytes = try config.decide(Array(request.utf8))
      return (try? Value.parse(json: bytes)) ?? .null
    } catch {
      return error.value
    }
  }

  /// The answer to a request, or the error.
  func ask(_ question: PreparedConfig.Question, _ request: String) -> Value {
    do throws(RequestError) {
      return try config.answer(question, JSONRequest(Array(request.utf8), nesting: 128))
    } catch {
      return error.value
    }
  }

  /// The folder of the whole project.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func file(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }
}
