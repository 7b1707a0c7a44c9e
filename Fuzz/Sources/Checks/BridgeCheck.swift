internal import Expressions
internal import Foundation

@testable import Scripts

/// Lines with a method of the SDK's bridge and its arguments in JSON, or with an external event:
/// `advance 1000`, `presenter.close {}`, `app.restart`, `store.resolve {}`. Nothing traps, events conform to the contract, an
/// answer is a value, an error or pending, and a second run has the same results.
public enum BridgeCheck {
  private static let fixtures: Fixtures = {
    let folder = ProcessInfo.processInfo.environment["TOLLGATE_CORPUS"] ?? "corpus"
    func source(_ name: String) -> Fixtures.Source? {
      FileManager.default.contents(atPath: "\(folder)/sdk/\(name)").map {
        Fixtures.Source(name: name, bytes: Array($0))
      }
    }
    let config = source("fixtures/\(Fixtures.configName)")
    guard config != nil,
      var fixtures = try? Fixtures(
        config: config, products: source("fixtures/\(Fixtures.productsName)"))
    else { fatalError("TOLLGATE_CORPUS names no corpus: there is no static config in it") }
    if let contract = source("sdk-contract.schema.json") {
      fixtures.contract = (try? Value.parse(json: contract.bytes)).flatMap { ContractSchema($0) }
    }
    return fixtures
  }()

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 24).map { Array($0) }
    let first = replies(lines)
    let second = replies(lines)
    require(first == second, "the second time another answer")
  }

  private static func replies(_ lines: [[UInt8]]) -> [String] {
    let platform = lines.first?.elementsEqual("android".utf8) == true ? "android" : "ios"
    guard
      let session = try? SimulationSession(
        ["platform": .string(platform), "config": "std"], fixtures: fixtures)
    else { fatalError("broken promise: no session") }
    defer { session.end() }
    return lines.map { line in
      let reply = session.step(step(line))
      let problem = fixtures.contract?.problem(inEntries: reply.entries)
      require(problem == nil, "an event breaks the contract: \(problem ?? "")")
      let result = reply.result
      let isAnswer =
        result == .null || result["value"] != nil || result["error"]?["code"]?.text != nil
        || result["pending"] == true
      require(isAnswer, "no answer: \(result.json)")
      return reply.value.json
    }
  }

  /// A line as a step of a scenario.
  private static func step(_ line: [UInt8]) -> Value {
    let parts = line.split(separator: 0x20, maxSplits: 1)
    let word = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let details = parts.count == 2 ? try? Value.parse(json: parts[1], nesting: 32) : nil
    let names = word.split(separator: ".", maxSplits: 1).map(String.init)
    switch names.first {
    case "advance":
      // At most a week, so that a run ends.
      let time = min(max(details?.wholeNumber ?? 0, 0), 604_800_000)
      return ["do": "advance", "ms": .int(Int64(time))]
    case let kind? where names.count == 2 && ["presenter", "app", "store"].contains(kind):
      return [
        "do": .string(kind), "action": .string(names[1]), "with": details ?? .map([]),
      ]
    default: return ["do": "call", "method": .string(word), "args": details ?? .map([])]
    }
  }
}
