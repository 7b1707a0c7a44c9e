package import Expressions
internal import RuleEngine
internal import RuleInsight

/// Checks a config. The members of a request are `{"config"?, "schema"?, "platform"?, "now"?}`.
extension PreparedConfig {
  /// Returns the findings about a config: `{"diagnostics":[..], "counts":{..}}`.
  package func check(_ body: JSONRequest) throws(RequestError) -> Value {
    let now = try time(of: body.value)
    var schema = ContextSchema()
    if let bytes = body.value.givenJSON("schema") {
      let decoded = ContextSchema.decode(bytes)
      guard let given = decoded.output else {
        throw .unreadable("schema", decoded.diagnostics)
      }
      schema = given
    }
    let platform = try body.value.givenText("platform")
    let language = platform.flatMap(RuleLanguage.init(named:)) ?? settings.language
    if let platform, platform != "all", RuleLanguage(named: platform) == nil {
      throw .wrong("platform", "ios, android, web, all or cel")
    }
    // A config that does not compile has findings too.
    var text = ConfigText(try body.config("config") ?? bytes, language: language)
    text.check(schema, now: now, isForAll: platform == "all")
    return .object(["diagnostics": .list(text.findings(file: "config")), "counts": text.counts])
  }
}
