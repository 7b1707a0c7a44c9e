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

  /// What is null is as if it were not there.
  @Test func nullsOfRequests() throws {
    let config = try LibraryConfig(Self.config, #"{"seed": "a"}"#)
    let user = #""userId": "u", "user": {"plan": "free"}"#
    let (_, plain) = config.ask(tg_decide, "{\(user)}")
    let (status, found) = config.ask(
      tg_decide,
      #"""
      {"placements": null, "explain": null, "reasons": null, "texts": null, "products": null,
       "now": null, "seed": null, "requestId": null, "record": null, \#(user)}
      """#)
    #expect(status == TG_OK && found == plain, "\(found?.json ?? "")")
    #expect(plain?["decisions"]?.elements?.count == 2)
  }

  /// What is asked for may stand anywhere: before the user, behind it, and behind many members that nobody knows.
  @Test(arguments: [0, 31, 32, 33, 200], [true, false])
  func requestsAreFoundAnywhere(others: Int, isFirst: Bool) throws {
    let config = try LibraryConfig(Self.config)
    let user = [#""userId": "u""#, #""user": {"plan": "free"}"#]
    let asked = [#""placements": ["export"]"#]
    let more = (0..<others).map { "\"other\($0)\": [{\"placements\": []}]" }
    let members = isFirst ? asked + more + user : user + more + asked
    let (status, found) = config.ask(tg_decide, "{\(members.joined(separator: ","))}")
    #expect(status == TG_OK)
    #expect(found?["decisions"]?.elements?.map { $0["paywall"] } == ["annual"])
  }

  /// What happened to a user is counted from the time of the request, wherever that stands.
  @Test(arguments: [true, false]) func eventsBeforeTheTimeOfARequest(isFirst: Bool) throws {
    let text = Self.config.replacingOccurrences(
      of: "user.plan == 'free'", with: #"device.placementsInDay(\"open\") == 1"#)
    let config = try LibraryConfig(text)
    func audience(_ now: String) -> Value? {
      let user = #""userId": "u", "events": {"open": ["2026-03-01T08:00:00Z"]}"#
      let members = [#""now": "\#(now)""#, user]
      let body = (isFirst ? members : members.reversed()).joined(separator: ", ")
      let (_, found) = config.ask(tg_decide, #"{"placements": ["export"], \#(body)}"#)
      return found?["decisions"]?.elements?.first?["audience"]
    }
    #expect(audience("2026-03-01T12:00:00Z") == 0)
    #expect(audience("2026-03-09T12:00:00Z") == .null)
    #expect(audience("2026-02-01T12:00:00Z") == .null)
  }

  /// Of a member that is there twice the last value counts; one that is wrong is told, wherever it stands.
  @Test func repeatedMembersOfRequests() throws {
    let config = try LibraryConfig(Self.config)
    let user = #""userId": "u", "user": {"plan": "free"}"#
    let (_, last) = config.ask(
      tg_decide, #"{"placements": [], \#(user), "placements": ["export"]}"#)
    #expect(last?["decisions"]?.elements?.count == 1)
    for wrong in [
      #""placements": ["export", 3]"#, #""now": "then""#, #""explain": 1"#,
      #""placements": ["exprot"]"#,
    ] {
      let (status, told) = config.ask(tg_decide, "{\(wrong), \(user), \"seed\": \"s\"}")
      let (after, same) = config.ask(tg_decide, "{\(user), \"seed\": \"s\", \(wrong)}")
      #expect(status == TG_BAD_REQUEST && after == status)
      #expect(told?["message"] != nil && told?["message"] == same?["message"])
    }
  }

  /// A seed of the request is instead of the config's.
  @Test func seedsOfRequestsCount() throws {
    let halves = Self.config.replacingOccurrences(
      of: #"{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,"#,
      with: #"""
        {"variant_id": "v0", "variant_type": "HOLDOUT", "percentage": 50},
        {"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 50,
        """#)
    let config = try LibraryConfig(halves, #"{"seed": "a"}"#)
    func variants(_ seed: String?) -> [Value?] {
      (0..<40).map { number in
        let more = seed.map { #", "seed": "\#($0)""# } ?? ""
        let (_, found) = config.ask(
          tg_decide,
          #"{"userId": "u\#(number)", "user": {"plan": "free"}, "placements": ["export"]\#(more)}"#)
        return found?["decisions"]?.elements?[0]["result"]?["experiment"]?["variant"]?["id"]
      }
    }
    #expect(variants(nil) == variants("a"))
    #expect(variants("a") != variants("b"))
  }

  @Test func explains() throws {
    let config = try LibraryConfig(Self.config)
    let user = #""user": {"userId": "u", "user": {"plan": "pro"}}"#
    let (_, one) = config.ask(tg_explain, #"{"placement": "export", \#(user)}"#)
    #expect(one?["audiences"]?.elements?.count == 2)
    let (_, all) = config.ask(tg_explain, "{\(user)}")
    #expect(all?.elements?.count == 2)
    let (_, audience) = config.ask(
      tg_explain, #"{"placement": "export", "audience": "e1", \#(user)}"#)
    #expect(audience?.json.contains(#""user.plan""#) == true)
    // What is null is shown as it stands in the record, not as it is for rules.
    let (_, null) = config.ask(
      tg_explain,
      #"{"placement": "export", "audience": 0, "user": {"userId": "u", "user": {"plan": null}}}"#)
    #expect(null?["clauses"]?.elements?[0]["reads"]?.elements?[0]["value"] == .null)
    let (_, text) = config.ask(tg_explain, #"{"placement": "export", "text": true, \#(user)}"#)
    #expect(text?["text"]?.text?.hasPrefix("export: ") == true)
    let (nulls, same) = config.ask(
      tg_explain, #"{"placement": "export", "seed": null, "now": null, "set": null, \#(user)}"#)
    #expect(nulls == TG_OK && same?["placement"] == "export", "\(same?.json ?? "")")
    let (status, wrong) = config.ask(tg_explain, #"{"placement": "exprt", \#(user)}"#)
    #expect(status == TG_BAD_REQUEST && wrong?["code"] == "unknown_placement")
    #expect(wrong?["message"]?.text?.hasSuffix("did you mean 'export'?") == true)
  }

  /// A config is prepared once; what its texts say of the time is that of each request.
  @Test func textsOfAnotherTime() throws {
    let options = """
      {"texts": {"paywalls": {"annual": {"title": "{{ 'now' | date: '%Y' }}"}}}}
      """
    let config = try LibraryConfig(Self.config, options)
    for year in ["2031", "2017"] {
      let (_, found) = config.ask(
        tg_decide,
        """
        {"userId": "u", "user": {"plan": "free"}, "placements": ["export"], "texts": true,
         "now": "\(year)-05-01T12:00:00Z"}
        """)
      let texts = found?["decisions"]?.elements?.first?["texts"]
      #expect(texts?["title"]?.text == year, "\(found?.json ?? "")")
    }
  }

  /// Nobody's name is markup, where texts are for a page.
  @Test(arguments: [("true", "&lt;b&gt;"), ("false", "<b>")])
  func rendersForPages(html: String, text: String) throws {
    let config = try LibraryConfig(Self.config)
    let (status, found) = config.ask(
      tg_render,
      "{\"template\": \"{{ user.name }}\", \"html\": \(html), "
        + "\"user\": {\"user\": {\"name\": \"<b>\"}}}")
    #expect(status == TG_OK && found?["text"]?.text == text, "\(found?.json ?? "")")
  }

  @Test func rendersTextsOfPaywalls() throws {
    let options = """
      {"texts": {"paywalls": {"annual": {"title": "Hello {{ user.name }}"}}}}
      """
    let config = try LibraryConfig(Self.config, options)
    let (status, found) = config.ask(
      tg_render, #"{"paywall": "annual", "user": {"user": {"name": "Ann"}}}"#)
    #expect(status == TG_OK, "\(found?.json ?? "")")
    #expect(found?["texts"]?["title"] == "Hello Ann", "\(found?.json ?? "")")
    let (_, template) = config.ask(
      tg_render, #"{"template": "Bye {{ user.name }}", "user": {"user": {"name": "Ann"}}}"#)
    #expect(template?["text"] == "Bye Ann")
    let (wrong, told) = config.ask(tg_render, #"{"paywall": "anual"}"#)
    #expect(wrong == TG_BAD_REQUEST)
    #expect(told?["message"]?.text?.hasSuffix("did you mean 'annual'?") == true)
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

  /// Each config draws by its own seed.
  @Test func comparesSeeds() throws {
    let halves = Self.config.replacingOccurrences(
      of: #"{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,"#,
      with: #"""
        {"variant_id": "v0", "variant_type": "HOLDOUT", "percentage": 50},
        {"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 50,
        """#)
    let users = (0..<40).map { #"{"userId": "u\#($0)", "user": {"plan": "free"}}"# }
    let request = #"{"placements": ["export"], "users": [\#(users.joined(separator: ","))]}"#
    let first = try LibraryConfig(halves, #"{"seed": "a"}"#)
    func moved(_ seed: String) throws -> Value? {
      let other = try LibraryConfig(halves, #"{"seed": "\#(seed)"}"#)
      return answer {
        tg_diff(first.pointer, other.pointer, request, request.utf8.count, $0)
      }.1
    }
    let (same, others) = (try moved("a"), try moved("b"))
    #expect(same?.json.contains("v0") == false, "\(same?.json ?? "")")
    #expect(others?.json.contains("v0") == true, "\(others?.json ?? "")")
  }

  // MARK: Misuse

  @Test func whatIsNotThereIsTold() {
    var text = tg_text()
    #expect(tg_decide(nil, "{}", 2, &text) == TG_BAD_ARGUMENT)
    #expect(take(text)?["message"] == "'config' is NULL, and must be there")
    #expect(tg_decide(nil, "{}", 2, nil) == TG_BAD_ARGUMENT)
    #expect(tg_config_describe(nil, &text) == TG_BAD_ARGUMENT)
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

  /// Who has another name for it is told so, whatever else is asked for, and however much stands before it.
  @Test(arguments: ["user_id", "id", "uid"], [0, 32, 60])
  func identitiesOfOtherNames(key: String, others: Int) throws {
    let config = try LibraryConfig(Self.config)
    let more = (0..<others).map { "\"other\($0)\": \($0), " }.joined()
    let (status, told) = config.ask(
      tg_decide, #"{\#(more)"placements": ["export"], "\#(key)": "u", "user": {"plan": "free"}}"#)
    #expect(status != TG_OK)
    #expect(told?["message"]?.text?.contains("there is '\(key)': did you mean 'userId'?") == true)
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
