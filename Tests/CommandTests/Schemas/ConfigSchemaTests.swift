import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// What the JSON Schemas of configs say is what the readers say.
@Suite("JSON Schemas of configs")
struct ConfigSchemaTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "corpus")

  private static func schema(_ format: Config.Format) -> JSONSchema {
    format == .superwall ? .superwallConfig : .agentWallieConfig
  }

  /// What a reader complains of: kinds, words, and what it needs and does not find. What elements
  /// mean, and keys that only SDKs require, are no matter of a schema.
  private func complaints(_ config: Value, _ format: Config.Format) -> [String] {
    Config.decode(config.json.utf8, format: format).diagnostics.filter { found in
      switch found.code {
      case .decodeFailure, .wouldReject: found.severity != .note
      // AgentWallie's variants are looked at only in campaigns that are active.
      case .variantWithoutPaywall: format == .superwall
      case .platformDifference: found.severity == .warning
      default: false
      }
    }.map { "\($0.path): \($0.message)" }
  }

  // MARK: Against the reader

  /// Configs that have everything a reader reads, changed in every place: the schema refuses what the
  /// reader complains of, and nothing else.
  @Test(arguments: [Config.Format.superwall, .agentWallie])
  func agreement(_ format: Config.Format) throws {
    let validator = try SchemaValidator(Self.schema(format).value)
    var refused = 0
    for text in SchemaSamples.all(format) {
      let config = try Value.parse(json: text.utf8)
      let found = Config.decode(config.json.utf8, format: format).diagnostics
      #expect(complaints(config, format).isEmpty)
      #expect(!found.contains { $0.code == .unknownKey }, "the reader knows all keys of \(text)")
      #expect(validator.accepts(config), "\(text)")
      for (path, changed) in Mutations.all(of: config)
      where !SchemaSamples.isUnread(path, in: config) {
        let said = complaints(changed, format)
        let isAccepted = validator.accepts(changed)
        #expect(isAccepted == said.isEmpty, "\(path): \(said)")
        if !isAccepted { refused += 1 }
      }
    }
    #expect(refused > 150)
    #expect(validator.unused.isEmpty, "no sample has these")
  }

  /// Styles are words that the schema lists by hand: each is one for the reader, and no other is.
  @Test func words() throws {
    let validator = try SchemaValidator(JSONSchema.superwallConfig.value)
    for word in [
      "MODAL", "FULLSCREEN", "NO_ANIMATION", "PUSH", "DRAWER", "POPUP", "modal", "SHEET",
    ] {
      let style = #"{"type":"\#(word)","height":60,"width":80,"corner_radius":12}"#
      let config = try Value.parse(
        json: SchemaSamples.superwall(paywalls: SchemaSamples.paywall(style: style)).utf8)
      #expect(validator.accepts(config) == complaints(config, .superwall).isEmpty, "\(word)")
      #expect(validator.accepts(config) == !["modal", "SHEET"].contains(word))
    }
  }

  // MARK: Against the corpus

  private func configs(in value: Value) -> [Value] {
    if value["trigger_options"] != nil || value["campaigns"] != nil { return [value] }
    switch value {
    case .map(let entries): return entries.flatMap { configs(in: $0.value) }
    case .list(let elements): return elements.flatMap { configs(in: $0) }
    default: return []
    }
  }

  /// Every config of the corpus that its reader takes is valid, and what it complains of is not.
  @Test func corpus() throws {
    let superwall = try SchemaValidator(JSONSchema.superwallConfig.value)
    let agentWallie = try SchemaValidator(JSONSchema.agentWallieConfig.value)
    var (taken, refused) = (0, 0)
    for file in [
      "cases/superwall-sample-config.json", "demo/config.json", "sdk/fixtures/config.std.json",
      "cases/agentwallie.jsonl", "own/agentwallie.jsonl", "own/sdk-scenarios.jsonl",
      "regressions/agentwallie.jsonl",
    ] {
      let text = try Data(contentsOf: Self.corpus.appending(path: file))
      let lines = file.hasSuffix(".jsonl") ? text.split(separator: 0x0A) : [text]
      for config in try lines.flatMap({ configs(in: try Value.parse(json: $0)) }) {
        let isWallie = config["campaigns"] != nil
        let said = complaints(config, isWallie ? .agentWallie : .superwall)
        let isAccepted = (isWallie ? agentWallie : superwall).accepts(config)
        #expect(isAccepted == said.isEmpty, "\(file): \(said)")
        if isAccepted { taken += 1 } else { refused += 1 }
      }
    }
    #expect(taken > 25, "\(taken) taken, \(refused) refused")
  }
}
