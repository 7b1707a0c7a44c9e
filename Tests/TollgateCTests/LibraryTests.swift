import CArrow
import CTollgate
import Expressions
import Foundation
import TestSupport
import Testing
import TollgateC

/// The C library through its header, as other languages call it.
@Suite struct LibraryTests {
  static let config = """
    {"build_id": "b", "trigger_options": [
      {"event_name": "export", "rules": [
        {"experiment_id": "e1", "experiment_group_id": "g", "expression_cel": "user.plan == 'free'",
         "variants": [{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "annual"}]},
        {"experiment_id": "e2", "experiment_group_id": "g", "expression_cel": "user.visits > 3",
         "variants": [{"variant_id": "v2", "variant_type": "HOLDOUT", "percentage": 100}]}]},
      {"event_name": "open", "rules": []}],
     "paywall_responses": [{"identifier": "annual", "name": "Annual", "url": "https://example.com"}]}
    """

  // MARK: Configs

  @Test func versions() {
    #expect(tg_abi_version() == UInt32(TG_ABI_VERSION))
    let text = String(cString: tg_version())
    #expect(text.split(separator: ".").count == 3 && text == String(cString: tg_version()))
  }

  @Test func configsAreDescribed() throws {
    let config = try LibraryConfig(Self.config, #"{"platform": "cel", "seed": "s"}"#)
    let (status, described) = answer { tg_config_describe(config.pointer, $0) }
    #expect(status == TG_OK)
    #expect(described?["format"] == "superwall" && described?["seed"] == "s")
    #expect(described?["placements"] == ["export", "open"])
    #expect(described?["requirements"] == ["user.plan", "user.visits"])
    #expect(
      described?["attributes"] == [
        ["path": "user.plan", "kinds": ["string"], "placements": ["export"]],
        ["path": "user.visits", "kinds": ["number"], "placements": ["export"]],
      ])
    #expect(described?["paywalls"] == ["annual"])
  }

  /// A config with a fault in one rule is used without it, or refused, as its caller wants it.
  @Test func faultsAreFindings() throws {
    let broken = Self.config.replacingOccurrences(of: "user.visits > 3", with: "user.visits >")
    let config = try LibraryConfig(broken)
    #expect(config.diagnostics?.elements?[0]["code"] == "syntax-error")
    var (made, text): (OpaquePointer?, tg_text) = (nil, tg_text())
    let options = #"{"strict": true}"#
    #expect(
      tg_config_compile(broken, broken.utf8.count, options, options.utf8.count, &made, &text)
        == TG_BAD_CONFIG)
    let told = take(text)
    #expect(made == nil && told?["code"] == "invalid_config")
    #expect(told?["diagnostics"]?.elements?[0]["code"] == "syntax-error")
  }

  @Test(arguments: [
    (#"{"platfrom": "ios"}"#, "unknown_option", "did you mean 'platform'?"),
    (#"{"platform": "windows"}"#, "bad_request", "ios, android, web or cel"),
    (#"{"assigner": "dice"}"#, "bad_request", "hash or djb2"),
    (#"{"timeZone": "Mars/Base"}"#, "bad_request", "Mars/Base"),
    (#"{"strict": 1}"#, "bad_request", "true or false"),
    (#"{"products": "["}"#, "bad_request", "'products' cannot be read"),
    (#"{"texts": 3}"#, "bad_request", "'texts' cannot be read"),
    ("[]", "bad_request", "must be an object"), ("{", "not_json", "is not JSON"),
  ])
  func wrongOptionsOfConfigs(options: String, code: String, words: String) {
    var (made, text): (OpaquePointer?, tg_text) = (nil, tg_text())
    let status = tg_config_compile(
      Self.config, Self.config.utf8.count, options, options.utf8.count, &made, &text)
    let told = take(text)
    #expect(status != TG_OK && made == nil)
    #expect(told?["code"] == .string(code))
    #expect(told?["message"]?.text?.contains(words) == true, "\(told?.json ?? "")")
  }

  @Test func writesSQL() throws {
    let config = try LibraryConfig(Self.config, #"{"seed": "s"}"#)
    let (status, found) = config.ask(
      tg_sql, #"{"database": "duckdb", "table": "app.users", "names": "underscores"}"#)
    #expect(status == TG_OK)
    #expect(found?["audiences"] == ["total": 2, "covered": 2])
    #expect(found?["columns"]?.elements?.map { $0["names"] } == [["user_plan"], ["user_visits"]])
    #expect(found?["sql"]?.text?.contains("FROM app.users") == true)
    #expect(found?["summary"]?.text?.hasPrefix("SQL covers 2 of 2 audiences (100 %)") == true)
    let part = config.ask(
      tg_sql,
      #"{"database": "spark", "placements": ["export"], "types": {"user.visits": "double"}}"#)
    #expect(part.value?["placements"]?.elements?.count == 1)
    #expect(part.value?["columns"]?.elements?[1]["type"] == "DOUBLE")
  }

  @Test(arguments: [
    ("{}", "'database' is missing; expected one of duckdb"),
    (#"{"database": "oracle"}"#, "'database' must be one of duckdb"),
    (#"{"database": "postgres", "names": "structs"}"#, "one of dots, underscores for PostgreSQL"),
    (#"{"database": "duckdb", "types": {"user.pln": "text"}}"#, "did you mean 'user.plan'?"),
    (#"{"database": "duckdb", "types": {"user.plan": "any"}}"#, "must be one of text, integer"),
    (#"{"database": "duckdb", "types": ["text"]}"#, "'types' must be an object"),
    (#"{"database": "duckdb", "placements": ["exprt"]}"#, "did you mean 'export'?"),
    (#"{"database": "duckdb", "sdkVersion": "record"}"#, "'sdkVersion' must be newest"),
    (#"{"database": "duckdb", "dialect": "cel"}"#, "'dialect' is not a member of this request"),
  ])
  func wrongRequestsForSQL(request: String, words: String) throws {
    let (status, told) = try LibraryConfig(Self.config).ask(tg_sql, request)
    #expect(status == TG_BAD_REQUEST)
    #expect(told?["message"]?.text?.contains(words) == true, "\(told?.json ?? "")")
  }

  // MARK: One user

  @Test func decides() throws {
    let config = try LibraryConfig(Self.config)
    let (status, found) = config.ask(
      tg_decide, #"{"userId": "u", "user": {"plan": "free"}, "placements": ["export"]}"#)
    #expect(status == TG_OK)
    let decision = found?["decisions"]?.elements?.first
    #expect(decision?["paywall"] == "annual" && decision?["audience"] == 0)
    let (_, all) = config.ask(tg_decide, #"{"userId": "u", "user": {"visits": 4}}"#)
    #expect(
      all?["decisions"]?.elements?.map { $0["result"]?["result"] } == [
        "holdout", "noAudienceMatch",
      ])
  }

  @Test func explains() throws {
    let config = try LibraryConfig(Self.config)
    let user = #""user": {"userId": "u", "user": {"plan": "pro"}}"#
    let (status, one) = config.ask(tg_explain, #"{"placement": "export", \#(user)}"#)
    #expect(status == TG_OK && one?["audiences"]?.elements?.count == 2)
    let (wrong, error) = config.ask(tg_explain, #"{"placement": "exprt", \#(user)}"#)
    #expect(wrong == TG_BAD_REQUEST && error?["code"] == "unknown_placement")
    #expect(error?["message"]?.text?.hasSuffix("did you mean 'export'?") == true)
  }

  @Test func rendersTextsOfPaywalls() throws {
    let options = """
      {"texts": {"paywalls": {"annual": {"title": "Hello {{ user.name }}"}}}}
      """
    let config = try LibraryConfig(Self.config, options)
    let (status, found) = config.ask(
      tg_render, #"{"paywall": "annual", "user": {"user": {"name": "Ann"}}}"#)
    #expect(status == TG_OK && found?["texts"]?["title"] == "Hello Ann", "\(found?.json ?? "")")
    let (wrong, _) = config.ask(tg_render, #"{"paywall": "anual"}"#)
    #expect(wrong == TG_BAD_REQUEST)
  }

  @Test func checksComparesAndCovers() throws {
    let config = try LibraryConfig(Self.config)
    let other = try LibraryConfig(
      Self.config.replacingOccurrences(of: "user.visits > 3", with: "user.visits > 4"))
    let (_, check) = config.ask(tg_check, "{}")
    #expect(check?["counts"]?["error"] == 0)
    let request = #"{"users": [{"userId": "u", "user": {"visits": 4}}]}"#
    let (_, moved) = answer {
      tg_diff(config.pointer, other.pointer, request, request.utf8.count, $0)
    }
    #expect(moved?.json.contains("noAudienceMatch") == true, "\(moved?.json ?? "")")
    let (_, proved) = answer { tg_diff(config.pointer, config.pointer, nil, 0, $0) }
    #expect(proved?["placements"]?["export"] != nil && proved?["changes"] == [])
    let (_, covered) = config.ask(
      tg_cover,
      #"{"tests": [{"userId": "u", "placement": "export", "expect": {"result": "holdout"}, "user": {"visits": 9}}]}"#
    )
    #expect(covered?.members != nil && covered?["code"] == nil, "\(covered?.json ?? "")")
    let (status, _) = config.ask(tg_cover, #"{"tests": 3}"#)
    #expect(status == TG_BAD_REQUEST)
  }

  @Test func countsUsersAndPricesProducts() throws {
    let config = try LibraryConfig(Self.config)
    let users = #"{"userId": "a", "user": {"visits": 9}}\n{"userId": "b"}\n{}"#
    let (_, counts) = config.ask(
      tg_match, #"{"users": "\#(users.replacingOccurrences(of: "\"", with: "\\\""))"}"#)
    #expect(counts?["users"] == 2 && counts?["rejected"] == 1, "\(counts?.json ?? "")")
    #expect(counts?["placements"]?["export"]?["audiences"]?.elements?[0]["reached"] == 2)
    let (wrong, _) = config.ask(tg_match, "{}")
    #expect(wrong == TG_BAD_REQUEST)
    let product =
      #"{"slot": "primary", "identifier": "y", "price": "59.99", "currency": "USD", "period": "P1Y"}"#
    let (_, products) = config.ask(tg_products, #"{"products": [\#(product)], "locale": "de_DE"}"#)
    let attributes = products?["products"]?.elements?[0]["attributes"]
    #expect(attributes?["price"] == "59,99\u{a0}$", "\(products?.json ?? "")")
  }

  /// Values have 64 bits, and each generation of superscript its own conversions.
  @Test func evaluatesExpressions() {
    func evaluate(_ expression: String, _ rest: String = "") -> Value? {
      let variables =
        #""variables": {"map": {"user": {"type": "map", "value": {"age": {"type": "string", "value": "25"}, "big": {"type": "int", "value": 9007199254740993}}}}}"#
      let request = #"{\#(variables), "expression": \#(Value.string(expression).json)\#(rest)}"#
      return answer { tg_evaluate(request, request.utf8.count, $0) }.value
    }
    #expect(evaluate("user.big + 1")?.json == #"{"Ok":{"type":"int","value":9007199254740994}}"#)
    #expect(evaluate("user.age > 18")?["Err"] != nil)
    let yes: Value = ["Ok": ["type": "bool", "value": true]]
    #expect(evaluate("user.age > 18", #", "evaluator": "numeric""#) == yes)
    #expect(evaluate("1", #", "evaluator": "new""#)?["code"] == "bad_request")
    #expect(evaluate("1 / 0")?["panics"] == true && evaluate("1 +")?["panics"] == nil)
    let device = #", "device": {"daysSince": []}"#
    let asked = evaluate(
      #"device.daysSince("a") > 1 || device.daysSince(user.age) > 1"#,
      device + #", "questions": true"#)
    #expect(
      asked?.json
        == #"{"questions":[{"call":"daysSince(\"a\")","function":"daysSince","argument":"a"},{"call":"daysSince(...)","function":"daysSince"}]}"#
    )
    let number = evaluate("device.daysSince(5)", device + #", "questions": true"#)
    #expect(number?.json == #"{"questions":[{"call":"daysSince(...)","function":"daysSince"}]}"#)
    let answers = #", "answers": {"daysSince(\"a\")": {"type": "int", "value": 3}}"#
    #expect(evaluate(#"device.daysSince("a") == 3"#, device + answers) == yes)
    #expect(evaluate("daysSince", device)?["Ok"]?["type"] != nil)
  }

  // MARK: Misuse

  @Test func whatIsNotThereIsTold() {
    var text = tg_text()
    #expect(tg_decide(nil, "{}", 2, &text) == TG_BAD_ARGUMENT)
    #expect(take(text)?["message"] == "'config' is NULL; it is required")
    #expect(tg_decide(nil, "{}", 2, nil) == TG_BAD_ARGUMENT)
    #expect(tg_config_describe(nil, &text) == TG_BAD_ARGUMENT)
    tg_text_free(text)
    #expect(tg_evaluate(nil, 3, &text) == TG_BAD_ARGUMENT)
    tg_text_free(text)
    #expect(tg_config_compile(nil, 0, nil, 0, nil, &text) == TG_BAD_ARGUMENT)
    tg_text_free(text)
    var made: OpaquePointer?
    #expect(tg_config_compile(nil, 5, nil, 0, &made, nil) == TG_BAD_ARGUMENT)
    #expect(tg_config_compile("{}", -1, nil, 0, &made, nil) == TG_BAD_ARGUMENT)
    #expect(made == nil)
    tg_config_free(nil)
    tg_plan_free(nil)
    tg_report_free(nil)
    tg_text_free(tg_text())
  }

  @Test(arguments: ["", "{", "null", "\"u\"", #"{"userId": 3.5}"#, "{\"userId\": \"\u{0}\"}"])
  func recordsThatCannotBeRead(record: String) throws {
    let config = try LibraryConfig(Self.config)
    let (status, told) = config.ask(tg_decide, record)
    #expect(status == TG_BAD_ARGUMENT || status == TG_BAD_REQUEST)
    #expect(told?["code"] != nil && told?["message"] != nil)
  }

  @Test func bytesThatAreNotUTF8() throws {
    let config = try LibraryConfig(Self.config)
    let bytes: [CChar] = [0x7b, 0x22, -1, 0x22, 0x3a, 0x31, 0x7d]
    let (status, told) = answer { tg_explain(config.pointer, bytes, bytes.count, $0) }
    #expect(status != TG_OK && told?["code"] != nil)
  }

  @Test func anyNumberOfThreads() async throws {
    let config = try LibraryConfig(Self.config)
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<8 {
        group.addTask {
          (0..<200).count { turn in
            let plan = (number + turn) % 2 == 0 ? "free" : "pro"
            let (_, found) = config.ask(
              tg_decide,
              #"{"userId": "u", "user": {"plan": "\#(plan)"}, "placements": ["export"]}"#)
            return (found?["decisions"]?.elements?[0]["paywall"] == "annual") == (plan == "free")
          }
        }
      }
      for await right in group { #expect(right == 200) }
    }
  }
}
