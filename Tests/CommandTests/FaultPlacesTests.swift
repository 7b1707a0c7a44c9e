import Expressions
import Testing

/// Where faults are, and what is refused before anybody is asked.
@Suite struct FaultPlacesTests {
  /// Lines count from the first one of the file, which is 1.
  @Test func linesOfUsers() throws {
    let folder = try TestFolder()
    try folder.write("user.json", "{\"userId\": \"u\",\n \"user\": {\"plan\": free}}\n")
    let one = try folder.tollgate(
      "decide", TestFolder.config, "--placement", "export_report", "--user", "user.json")
    #expect(one.code == 2)
    #expect(one.errors.hasPrefix("error: user.json:2:19: "), "\(one.errors)")
    try folder.write("users.ndjson", "{\"userId\":\"a\"}\n{\"userId\":\"b\"}\n[]\n")
    let traffic = try folder.tollgate(
      "simulate-traffic", TestFolder.config, "--users", "users.ndjson", "--days", "1")
    #expect(traffic.errors.contains("users.ndjson:3:1: rejected: "), "\(traffic.errors)")
  }

  /// Without encryption keys go to this machine alone.
  @Test(arguments: ["http://10.0.0.1", "http://128.0.0.1/a", "http://localhost.example"])
  func serversElsewhere(url: String) throws {
    let folder = try TestFolder()
    let result = try folder.tollgate("fetch", "--url", url, "--key", "pk_1", "--out", "a.json")
    #expect(result.code == 2)
    #expect(result.errors.contains("--url is not encrypted"), "\(result.errors)")
    #expect(folder.names == [])
  }

  /// In CEL a clause behind one that is false is not asked; superscript asks them all.
  @Test(arguments: [("cel", false), ("superscript", true)])
  func clausesThatAreNotReached(dialect: String, isReached: Bool) throws {
    let folder = try TestFolder()
    try folder.write(
      "config.json",
      #"""
      {"build_id":"1","trigger_options":[{"event_name":"p","rules":[
        {"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.a && user.b == 'x'",
         "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,
                      "paywall_identifier":"pw"}]}]}]}
      """#)
    try folder.write("user.json", #"{"userId":"u","user":{"a":false,"b":"y"}}"#)
    let result = try folder.tollgate(
      "explain", "config.json", "--placement", "p", "--user", "user.json", "--json", "--dialect",
      dialect)
    let clauses = try Value.parse(json: result.output.utf8)["audiences"]?.elements?[0]["clauses"]
    #expect(clauses?.elements?.map { $0["reached"] } == [true, .bool(isReached)])
  }
}
