import Expressions
import RuleEngine
import Testing

/// Keys that nobody knows.
@Suite struct UnknownKeyTests {
  private func told(_ json: String) -> [String] {
    Config.decode(json.utf8).diagnostics.filter { $0.code == .unknownKey }.map(\.message)
  }

  /// What a key may have been meant for is told where it is like that one, and that one is missing.
  @Test(arguments: [
    ("\"zzz\":1", "'zzz' is not a key of this object and is ignored"),
    (
      "\"expresion_cel\":\"true\"",
      "'expresion_cel' is not a key of this object and is ignored: the audience matches every user"
    ),
    (
      "\"expression_cel\":\"true\",\"expresion_cel\":\"true\"",
      "'expresion_cel' is not a key of this object and is ignored"
    ),
  ])
  func keysOfAudiences(member: String, message: String) {
    let rule = "{\"experiment_id\":\"e\",\"experiment_group_id\":\"g\",\"variants\":[],\(member)}"
    #expect(
      told("{\"trigger_options\":[{\"event_name\":\"p\",\"rules\":[\(rule)]}]}") == [message])
  }

  @Test func keysOfProducts() {
    let product = #"{"id":"y","name":"Y","store":"apple","store_product_id":"y","prise":1}"#
    #expect(
      told("{\"campaigns\":[],\"paywalls\":{},\"products\":[\(product)]}")
        == ["'prise' is not a key of this object and is ignored"])
  }

  /// Of each element, once, what it lacks.
  @Test func keysThatAreNotThere() throws {
    let config =
      #"{"trigger_options":[{"event_name":"p","rules":[{"variants":[]},{"variants":[]}]}]}"#
    let found = Config.decode(superwall: config.utf8).diagnostics.first { $0.code == .notAnExport }
    let paths = try #require(found).related.map(\.path)
    #expect(!paths.isEmpty && Set(paths).count == paths.count)
  }
}
