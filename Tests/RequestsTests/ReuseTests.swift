import Expressions
import Requests
import RuleEngine
import TestSupport
import Testing

/// A config that answers twice, with other requests in between, says what a fresh one says.
@Suite("Configs that are asked again") struct ReuseTests {
  /// The answers to what can be asked of one user.
  private func answers(_ config: PreparedConfig, _ record: String) -> [String] {
    let request = Array(record.utf8)
    var answers: [String] = []
    do throws(RequestError) {
      answers.append(String(decoding: try config.decide(request), as: UTF8.self))
    } catch {
      answers.append(error.value.json)
    }
    do throws(RequestError) {
      let body = #"{"user": \#(record), "set": {"user.n": 2}}"#
      answers.append(try config.explain(JSONRequest(Array(body.utf8), nesting: 128)).json)
    } catch {
      answers.append(error.value.json)
    }
    do throws(RequestError) {
      let body =
        #"{"template": "Hi {{ user.k1 }}, {{ user.n }}", "textDialect": "shopify", "user": \#(record)}"#
      answers.append(try config.render(JSONRequest(Array(body.utf8), nesting: 128)).json)
    } catch {
      answers.append(error.value.json)
    }
    return answers
  }

  @Test(arguments: Extent.some(0..<32)) func randomConfigs(seed: UInt64) throws {
    var random = RandomUsers(random: SplitMix(seed: seed), isSuperscript: true)
    let json = random.config()
    func fresh() throws -> PreparedConfig {
      try PreparedConfig(json, PreparedConfig.Settings { AskedConfig.now })
    }
    let records = (0..<8).map { random.record($0) }
    let reused = try fresh()
    for (number, record) in records.enumerated() {
      let wanted = answers(try fresh(), record)
      #expect(wanted.count == 3)
      for between in [number + 3, number + 1] {
        #expect(answers(reused, record) == wanted)
        _ = answers(reused, records[between % records.count])
        // A request that ends in the middle leaves nothing behind.
        _ = answers(reused, String(record.dropLast(record.count / 3)))
      }
    }
  }
}
