import Expressions
import RuleEngine
import Testing

@Suite struct ForeignConfigTests {
  /// Files of other services are named instead of listing what they lack.
  @Test(arguments: [
    (
      #"{"current_offering_id":"d","offerings":[{"identifier":"d","packages":[]}]}"#, "RevenueCat"
    ),
    (#"{"flags":{"f":{"on":true,"variations":[true,false]}},"segments":{}}"#, "LaunchDarkly"),
    (#"{"status":200,"features":{"f":{"defaultValue":false}}}"#, "GrowthBook"),
    (
      #"{"data":[{"type":"adapty_inapps_placement","attributes":{"developer_id":"p"}}]}"#, "Adapty"
    ),
    (#"{"data":{"placement":{"developer_id":"p"},"variation_id":"v"}}"#, "Adapty"),
    (#"{"data":{"variation_id":"v","paywall_name":"Yearly","remote_config":{}}}"#, "Adapty"),
    (#"{"flags":{"f":{"on":true}},"segments":{}}"#, "LaunchDarkly"),
    (#"{"parameters":{"a":{}},"conditions":[]}"#, "Firebase"),
  ])
  func foreign(_ json: String, name: String) {
    let decoded = Config.decode(Array(json.utf8))
    #expect(decoded.output == nil)
    #expect(decoded.diagnostics.count == 1)
    #expect(decoded.diagnostics[0].message.contains("looks like a"))
    #expect(decoded.diagnostics[0].message.contains(name))
  }

  @Test(arguments: [
    #"{"trigger_options":[],"features":{"f":{"defaultValue":false}}}"#, "{}",
    #"{"paywalls":{},"campaigns":[]}"#, #"{"build_id":"b","products":[]}"#,
  ])
  func ours(_ json: String) { #expect(Config.decode(Array(json.utf8)).output != nil) }

  /// A weight that an SDK cannot hold makes it reject the config.
  @Test(arguments: [
    ("1e308", ["ios", "android"]), ("9223372036854775808", ["ios", "android"]),
    ("1e19", ["ios", "android"]), ("2147483648", ["android"]), ("2147483647", []),
  ])
  func weights(_ weight: String, rejecting: [String]) throws {
    let json = """
      {"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",
       "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":\(weight)}]}]}]}
      """
    let found = Config.decode(Array(json.utf8)).diagnostics.filter { $0.code == .wouldReject }
    #expect(found.flatMap(\.peers).flatMap(\.peers).map(\.id) == rejecting)
  }
}
