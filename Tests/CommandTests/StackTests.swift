import Foundation
import Testing

/// Whatever the limits let pass has room on the stack, however small the shell makes that of the first
/// thread.
@Suite struct StackTests {
  private func config(_ expression: String) -> String {
    #"{"build_id":"b","product_identifiers":[],"paywall_responses":[],"trigger_options":["#
      + #"{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","#
      + #""expression_cel":"\#(expression)","variants":["#
      + #"{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}"#
  }

  @Test(arguments: [
    String(repeating: "(", count: 245) + "user.a == 1" + String(repeating: ")", count: 245),
    String(repeating: "user.a == 1 ? (", count: 120) + "true"
      + String(repeating: ") : false", count: 120),
  ])
  func deepExpressions(expression: String) throws {
    let folder = try TestFolder()
    try folder.write("c.json", config(expression))
    try folder.write("u.ndjson", "{\"userId\":\"u\",\"user\":{\"a\":1}}\n")
    for (command, code) in [
      ("check c.json", 0), ("explain c.json --placement p --user u.ndjson", 0),
      ("precompute c.json --users u.ndjson", 0), ("fmt c.json", 0),
    ] {
      let result = try folder.shell("(ulimit -s 1024; $TOLLGATE \(command))")
      #expect(result.code == Int32(code), "\(command): \(result.code) \(result.errors)")
      #expect(!result.output.isEmpty)
    }
  }
}
