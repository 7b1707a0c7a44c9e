import Testing

/// `--separator`: names of CSV columns without dots.
@Suite struct SeparatorTests {
  private static let config = """
    {"build_id":"b","trigger_options":[{"event_name":"export","rules":[
      {"experiment_id":"e","experiment_group_id":"g",
       "expression_cel":"user.plan == 'free' && user.home.city == 'x' && device.appVersion == 'v'",
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"annual"}]}]}],
     "product_identifiers":[],"paywall_responses":[{"identifier":"annual"}]}
    """

  private func run(_ header: String, _ arguments: String...) throws -> BuiltTool.Result {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.csv", "\(header)\nu,free,x,v\n")
    return try folder.tollgate(
      ["precompute", "config.json", "--users", "users.csv", "--now", "2026-03-01"] + arguments)
  }

  @Test func flatNames() throws {
    let flat = "userId,user_plan,user_home_city,device_appVersion"
    #expect(try run(flat, "--separator", "_").output.contains(#""paywall":"annual""#))
    #expect(try !run(flat).output.contains(#""paywall":"annual""#))
    let double = "userId,user__plan,user__home__city,device__appVersion"
    #expect(try run(double, "--separator", "__").output.contains(#""paywall":"annual""#))
    let dots = "userId,user.plan,user.home.city,device.appVersion"
    #expect(try run(dots, "--separator", "_").output.contains(#""paywall":"annual""#))
  }

  @Test func wrongUse() throws {
    let dot = try run("userId,user_plan,a,b", "--separator", ".")
    #expect(dot.code == 2 && dot.errors.contains("--separator is '.'; expected a string such as _"))
    let lines = try run("userId,user_plan,a,b", "--separator", "_", "--users-format", "ndjson")
    #expect(lines.code == 2 && lines.errors.contains("add --users-format csv"))
    let twice = try run("userId,user_plan,user.plan,b", "--separator", "_")
    #expect(twice.code != 0 && twice.errors.contains("'user.plan' in column 3"))
  }
}
