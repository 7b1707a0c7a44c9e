internal import Crypto
package import Expressions
package import Requests
package import RuleEngine

/// A version of an application's config, compiled, and what deciding by it needs. It never changes:
/// a request that has begun ends with the version that it began with.
package final class LoadedConfig: Sendable {
  package let number: Int
  package let bytes: [UInt8]
  /// SHA-256 of the text.
  package let hash: String
  package let config: Config
  package let ruleSet: RuleSet
  package let assigner: Assigner
  /// How often any audience may apply to a user.
  let largestLimit: Int

  private let knownLines = Locked<OutcomeLines?>(nil)
  private let knownTexts = Locked<TextPlan?>(nil)

  /// Frames that nobody uses. One is made for each request that there is at once.
  private let frames = Locked<[FrameBox]>([])
  private static let mostFrames = 64

  /// One request at a time has it.
  private final class FrameBox: @unchecked Sendable {
    var frame: Frame

    init(_ program: Program) { frame = Frame(for: program) }
  }

  /// - Returns: nil when the text has no rules that could be compiled.
  package init?(number: Int, _ text: ConfigText, seed: String, assigner: Assigner?) {
    guard let config = text.config, let ruleSet = text.ruleSet else { return nil }
    self.number = number
    self.config = config
    self.ruleSet = ruleSet
    bytes = text.bytes
    hash = Self.hash(of: text.bytes)
    largestLimit =
      config.placements.flatMap(\.audiences).compactMap(\.occurrenceLimit?.maxCount).max() ?? 0
    self.assigner = assigner ?? .usual(for: ruleSet.format, salt: seed)
  }

  package static func hash(of bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// Calls with a frame that nobody else has.
  package func withFrame<Result>(_ body: (inout Frame) throws -> Result) rethrows -> Result {
    let box = frames.withLock { $0.popLast() } ?? FrameBox(ruleSet.program)
    defer {
      // No cell may outlive the bytes that it points into.
      box.frame.reset()
      frames.withLock { if $0.count < Self.mostFrames { $0.append(box) } }
    }
    return try body(&box.frame)
  }

  /// What outcomes say that does not depend on the user; written when it is asked for, as many configs
  /// are only compared.
  var lines: OutcomeLines {
    knownLines.withLock { known in
      let lines = known ?? OutcomeLines(ruleSet)
      known = lines
      return lines
    }
  }

  /// The texts of the config's paywalls, which are compiled when they are asked for first.
  func texts(_ make: () -> TextPlan?) -> TextPlan? {
    knownTexts.withLock { known in
      let texts = known ?? make()
      known = texts
      return texts
    }
  }

  /// The name of a placement as the config has it; what else may be meant otherwise.
  package func hint(forPlacement name: String) -> String {
    let close = Suggestion.closest(to: name, among: ruleSet.placementNames)
    return "the config has no placement '\(name)'" + (close.map { "; did you mean '\($0)'?" } ?? "")
  }
}
