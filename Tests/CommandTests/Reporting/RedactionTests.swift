import Expressions
import Foundation
import RuleEngine
import RuleInsight
import Testing

@testable import tollgate

/// `--redact`: values stay out of whatever is said.
@Suite struct RedactionTests {
  private static let secret = "ann@secret.example"
  private static let record = """
    {"userId":"u-ann","user":{"email":"\(secret)","age":17,"tags":["\(secret)"],\
    "home":{"mail":"\(secret)","town":"Bonn"}}}
    """
  private static let config = """
    {"trigger_options":[{"event_name":"p","rules":[\
    {"experiment_id":"a","experiment_group_id":"g",\
    "expression_cel":"user.email.endsWith('.org') && user.home.mail == 'x' && user.age > 17",\
    "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]},\
    {"experiment_id":"b","experiment_group_id":"g",\
    "expression_cel":"user.home != null && user.email.size() > 99 && user.tags.size() == 7 \
    && user.email + '!' == 'x' && user.email",\
    "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}
    """

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("user.json", Self.record)
    return folder
  }

  private static let redacted = "--redact user.email --redact user.home.mail --redact user.tags"

  @Test(arguments: [
    "--placement p", "--all", "--placement p --json", "--all --json",
    "--placement p --audience 0", "--placement p --audience 1 --json",
    "--placement p --set user.email=\(secret)2", "--all --json --set user.email=\(secret)2",
  ])
  func explanationsHaveNoValues(_ options: String) throws {
    let folder = try folder()
    for dialect in ["cel", "superscript"] {
      let explain =
        "$TOLLGATE explain config.json --user user.json --now 2026-03-01 "
        + "--dialect \(dialect) \(options)"
      let open = try folder.shell(explain)
      let closed = try folder.shell("\(explain) \(Self.redacted)")
      #expect(closed.code == open.code, "\(closed.errors)")
      #expect(!(closed.output + closed.errors).contains(Self.secret), "\(closed.output)")
      if open.output.contains(Self.secret) {
        #expect(closed.output.contains("[redacted]"), "\(closed.output)")
      }
      // What is not kept out is there.
      if options == "--placement p" {
        #expect(open.output.contains(Self.secret))
        #expect(closed.output.contains("user.age is 17"), "\(closed.output)")
        #expect(closed.output.contains("Bonn") == open.output.contains("Bonn"))
      }
    }
  }

  @Test func identitiesAreKeptOut() throws {
    let folder = try folder()
    for options in ["--placement p", "--all", "--placement p --json", "--placement p --audience 0"]
    {
      let result = try folder.shell(
        "$TOLLGATE explain config.json --user user.json --now 2026-03-01 \(options) --redact userId"
      )
      #expect(result.code == 0)
      #expect(!result.output.contains("u-ann"), "\(result.output)")
    }
  }

  @Test func whatCannotBeKeptOutIsTold() throws {
    let folder = try folder()
    let explain = "$TOLLGATE explain config.json --placement p --user user.json --now 2026-03-01"
    let sweep = try folder.shell("\(explain) --sweep user.email --redact user.email")
    #expect(sweep.code == 2)
    #expect(sweep.errors.contains("--sweep shows values of user.email, which --redact hides"))
    let typo = try folder.shell("\(explain) --redact user.emial")
    #expect(typo.code == 0)
    #expect(typo.errors.contains("note: the user has no user.emial: --redact hides nothing there"))
    let quiet = try folder.shell("\(explain) --redact user.emial --quiet")
    #expect(quiet.errors == "")
    #expect(try folder.shell("\(explain) --redact email").code == 2)
    #expect(try folder.shell("\(explain) --redact user.").code == 2)
  }

  @Test func recordsLoseValuesAndKeepTheirShape() throws {
    let record = try Value.parse(json: Self.record.utf8)
    let redaction = try Redaction(["user.email", "user.home.mail", "user.none", "device.x"])
    #expect(
      redaction.record(record).json
        == """
        {"userId":"u-ann","user":{"email":"[redacted]","age":17,"tags":["\(Self.secret)"],\
        "home":{"mail":"[redacted]","town":"Bonn"}}}
        """)
    #expect(redaction.missing(in: record) == ["user.none", "device.x"])
    #expect(try Redaction([]).record(record) == record)
    #expect(redaction.hides(["user", "email", "domain"]) && !redaction.hides(["user", "emailed"]))
    #expect(redaction.touches(["user", "home"]) && !redaction.hides(["user", "home"]))
    let whole = try Redaction(["user"]).record(record)
    #expect(whole.json == #"{"userId":"u-ann","user":"[redacted]"}"#)
    // Members of all elements of a list.
    let list = try Value.parse(json: #"{"user":{"l":[{"a":1,"b":2},{"a":3}]}}"#.utf8)
    #expect(
      try Redaction(["user.l.a"]).record(list).json
        == #"{"user":{"l":[{"a":"[redacted]","b":2},{"a":"[redacted]"}]}}"#)
  }
}
