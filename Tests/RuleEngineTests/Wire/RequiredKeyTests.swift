import Expressions
import RuleEngine
import TestSupport
import Testing

/// Every key that Superwall's SDKs require, missing, null and of another type: it is told where,
/// and everything beside it works.
@Suite struct RequiredKeyTests {
  private static let everything = "p: 0=first 1=second; q: 0=third"
  private static let rule = "trigger_options[0].rules[1]"

  @Test func theWholeConfigHasNothingToSay() {
    let (config, diagnostics) = ConfigEdits.decode(ConfigEdits.whole)
    #expect(diagnostics == [])
    #expect(ConfigEdits.outline(config) == Self.everything)
    #expect(config?.buildID == "b1")
    #expect(config?.paywalls.map(\.identifier) == ["x", "y"])
  }

  /// What is left of the config, and whether what is missing makes something unusable (an error) or
  /// is only a danger elsewhere (a warning). A null is a value, which SDKs reject.
  @Test(arguments: [
    ("build_id", everything, Diagnostic.Severity.warning),
    ("paywall_responses", everything, .warning), ("log_level", everything, .warning),
    ("app_session_timeout_ms", everything, .warning), ("toggles", everything, .warning),
    ("disable_preload", everything, .warning), ("localization", everything, .warning),
    ("trigger_options", "", .error),
    ("trigger_options[0].event_name", "q: 0=third", .error),
    ("trigger_options[0].rules", "p:; q: 0=third", .error),
    ("\(rule).experiment_id", "p: 0=first; q: 0=third", .error),
    ("\(rule).experiment_group_id", everything, .warning), ("\(rule).variants", everything, .error),
    ("\(rule).preload", everything, .warning),
    ("\(rule).variants[0].variant_id", everything, .error),
    ("\(rule).variants[0].variant_type", everything, .warning),
    ("\(rule).variants[0].percentage", everything, .error),
    ("\(rule).occurrence.key", "p: 0=first; q: 0=third", .error),
    ("\(rule).occurrence.max_count", "p: 0=first; q: 0=third", .error),
    ("\(rule).occurrence.interval", "p: 0=first; q: 0=third", .error),
    ("paywall_responses[0].identifier", everything, .error),
  ])
  func missingOrNull(path: String, outline: String, severity: Diagnostic.Severity) throws {
    let parent = path.split(separator: ".").dropLast().joined(separator: ".")
    for value in [Value?.none, Value.null] {
      let (config, all) = ConfigEdits.decode(ConfigEdits.replacing(path, by: value))
      let diagnostics = all.filter { $0.code != .unknownPaywall }
      #expect(ConfigEdits.outline(config) == outline)
      let found = diagnostics.filter { $0.path == parent || $0.path == path }
      let counted = value == nil ? severity : .error
      #expect(found.contains { $0.severity == counted }, "\(diagnostics)")
      if severity == .warning {
        #expect(found.map(\.code) == [value == nil ? .notAnExport : .wouldReject])
      }
      // Somebody who uses the config elsewhere must know.
      #expect(
        found.contains { $0.peerSeverity == .error },
        "\(diagnostics)")
      #expect(diagnostics.allSatisfy { path.hasPrefix($0.path) || $0.path.hasPrefix(parent) })
    }
  }

  @Test(arguments: [
    "build_id", "paywall_responses", "trigger_options", "trigger_options[0].event_name",
    "trigger_options[0].rules", "\(rule).experiment_id", "\(rule).experiment_group_id",
    "\(rule).expression_cel", "\(rule).variants", "\(rule).variants[0].variant_id",
    "\(rule).variants[0].variant_type", "\(rule).variants[0].percentage", "\(rule).occurrence",
    "\(rule).occurrence.key", "\(rule).occurrence.max_count", "\(rule).occurrence.interval",
    "\(rule).preload", "paywall_responses[0].identifier", "trigger_options[0]",
    "trigger_options[0].rules[1]", "\(rule).variants[0]", "paywall_responses[0]",
    "\(rule).variants[0].paywall_identifier",
  ])
  func anotherType(path: String) {
    let values: [Value] = [true, 5, "text", [1], ["a": 1], .double(1.5)]
    for wrong in values {
      let edited = ConfigEdits.replacing(path, by: wrong)
      guard !Self.isRight(wrong, at: path) else { continue }
      let (config, diagnostics) = ConfigEdits.decode(edited)
      #expect(!diagnostics.isEmpty, "\(wrong.json) at \(path)")
      #expect(
        diagnostics.contains {
          $0.path.hasPrefix(path) || path.hasPrefix($0.path) && $0.path != ""
        },
        "\(wrong.json): \(diagnostics)")
      // The other placement is untouched, whatever happened to this one.
      if path != "trigger_options" {
        #expect(config?.placements.last?.audiences.map(\.experimentID) == ["third"])
      }
    }
  }

  /// Whether a value is of the type that the place wants after all.
  private static func isRight(_ value: Value, at path: String) -> Bool {
    let key = path.split(separator: ".").last.map(String.init) ?? ""
    switch value {
    case .string:
      return [
        "build_id", "event_name", "experiment_id", "experiment_group_id", "expression_cel",
        "variant_id",
        "key", "identifier", "paywall_identifier", "name",
      ].contains(key)
    case .int: return ["percentage", "max_count"].contains(key)
    case .double: return key == "percentage"
    case .map: return key == "preload"
    default: return false
    }
  }

  /// The name is required by the SDKs too, and read here.
  @Test(arguments: [Value.null, 5, []])
  func paywallNames(name: Value) {
    let config = ConfigEdits.replacing("paywall_responses[0].name", by: name)
    #expect(!ConfigEdits.decode(config).diagnostics.isEmpty)
  }

  /// Counts are whole numbers, weights are not negative.
  @Test(arguments: [
    ("\(rule).occurrence.max_count", Value.double(1.5)),
    ("\(rule).occurrence.max_count", .double(1e30)),
    ("\(rule).variants[0].percentage", .int(-1)), ("\(rule).variants[0].percentage", .double(-0.5)),
  ])
  func numbersOutOfRange(path: String, value: Value) {
    let diagnostics = ConfigEdits.decode(ConfigEdits.replacing(path, by: value)).diagnostics
    #expect(diagnostics.contains { $0.path == path && $0.severity == .error }, "\(diagnostics)")
  }

  @Test func numbersInOtherForms() throws {
    let path = "trigger_options[1].rules[0]"
    for (key, value, expected) in [
      ("percentage", Value.double(2), 2.0), ("percentage", .double(33.3), 33.3),
      ("percentage", .uint(1 << 63), 0x1p63), ("percentage", 0, 0),
    ] {
      let config = ConfigEdits.decode(
        ConfigEdits.replacing("\(path).variants[0].\(key)", by: value)
      ).config
      #expect(config?.placements[1].audiences[0].variants[0].weight == expected)
    }
    let config = ConfigEdits.decode(
      ConfigEdits.replacing("\(path).occurrence.max_count", by: .double(2))
    ).config
    #expect(config?.placements[1].audiences[0].occurrenceLimit?.maxCount == 2)
  }

  /// Keys that nobody knows are left alone, with a note, or a warning when they look like a slip.
  @Test(arguments: [
    ("something_else", Diagnostic.Severity.note, false), ("trigger_option", .warning, true),
    ("Trigger_Options", .warning, true), ("build_idd", .warning, true),
  ])
  func unknownKeys(key: String, severity: Diagnostic.Severity, suggests: Bool) throws {
    guard case .map(let entries) = ConfigEdits.whole else { return }
    let (config, diagnostics) = ConfigEdits.decode(
      .map(entries + [Value.Entry(key: .string(key), value: 1)]))
    #expect(ConfigEdits.outline(config) == Self.everything)
    #expect(diagnostics.map(\.code) == [.unknownKey])
    #expect(diagnostics.first?.severity == severity)
    #expect(diagnostics.first?.path == key)
    #expect((diagnostics.first?.suggestion != nil) == suggests)
  }

  @Test func unknownVariantTypesAreTreatments() throws {
    let path = "trigger_options[1].rules[0].variants[1]"
    let (config, diagnostics) = ConfigEdits.decode(
      ConfigEdits.replacing("\(path).variant_type", by: "Holdout"))
    #expect(config?.placements[1].audiences[0].variants[1].kind == .treatment)
    #expect(
      diagnostics.contains { $0.path == "\(path).variant_type" && $0.code == .wouldReject })
  }

  @Test func aPaywallThatDoesNotExist() throws {
    let path = "trigger_options[1].rules[0].variants[0].paywall_identifier"
    let found = ConfigEdits.decode(ConfigEdits.replacing(path, by: "xx")).diagnostics
    #expect(found.map(\.code) == [.unknownPaywall])
    #expect(found.first?.path == path)
    #expect(found.first?.suggestion?.contains("'x'") == true)
    // Names differ by their bytes.
    let config = ConfigEdits.replacing("paywall_responses[0].identifier", by: "caf\u{E9}")
    #expect(ConfigEdits.decode(config).diagnostics.allSatisfy { $0.code == .unknownPaywall })
  }
}
