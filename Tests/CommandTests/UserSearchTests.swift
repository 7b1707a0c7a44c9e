import Foundation
import Testing

/// `--users FILE... --id ID`: one user out of files of many.
@Suite struct UserSearchTests {
  private static let lines = [
    #"{"userId":"u_0001234","user":{"plan":"free"}}"#, "", "not a record",
    #"{"user":{"plan":"pro"},"userId":"u_0001235"}"#,
    #"{"userId":"\u0075ml\u00e4ut","user":{"plan":"pro"}}"#,
    #"{"userId":"other","userId":"last"}"#, #"{"userId":5}"#,
    #"{"userId":"u_0001234","user":{"plan":"pro"}}"#,
  ]
  private static let repeated =
    "warning[duplicate-id]: 'userId' appears twice in a user record; the last value is used; "
    + "remove the others\n"
  private static let config = #"""
    {"build_id":"b","trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"e","experiment_group_id":"g","expression_cel":"user.plan == 'free'",
       "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}],
     "product_identifiers":[],"paywall_responses":[]}
    """#

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("config.json", Self.config)
    try folder.write("users.ndjson", Self.lines.joined(separator: "\n"))
    try folder.write(
      "users.csv",
      "userId,user.plan,user.note\nc-1,free,\"two\nlines\"\nc-2,pro,\nc-3\n\"007\",free,x\n")
    return folder
  }

  private func result(_ run: BuiltTool.Result) throws -> String {
    let line = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? NSDictionary
    return (line?["result"] as? NSDictionary)?["result"] as? String ?? ""
  }

  @Test(arguments: [
    ("u_0001234", "holdout"), ("u_0001235", "noAudienceMatch"), ("umläut", "noAudienceMatch"),
    ("last", "noAudienceMatch"), ("c-1", "holdout"), ("c-2", "noAudienceMatch"), ("007", "holdout"),
  ])
  func usersOfAnyFile(id: String, outcome: String) throws {
    let folder = try folder()
    let found = try folder.tollgate(
      "decide", "config.json", "--placement", "p", "--users", "users.*", "--id", id, "--quiet")
    #expect(found.code == 0, "\(found.errors)")
    #expect(try result(found) == outcome)
    #expect(found.errors == (id == "last" ? Self.repeated : ""))
    #expect(found.output.contains("\"userId\":\"\(id)\""))
  }

  @Test func compressedAndPiped() throws {
    let folder = try folder()
    let script = """
      gzip -k users.ndjson users.csv
      for id in u_0001235 c-2; do
        $TOLLGATE decide config.json --placement p --users users.csv.gz users.ndjson.gz --id $id --quiet
      done
      cat users.ndjson | $TOLLGATE explain config.json --all --users - --id last --quiet
      cat users.csv | $TOLLGATE explain config.json --all --users - --users-format csv --id c-1
      """
    let found = try folder.shell(script)
    #expect(found.code == 0, "\(found.errors)")
    #expect(found.lines[0].contains(#""userId":"u_0001235""#))
    #expect(found.lines[1].contains(#""userId":"c-2""#))
    #expect(found.lines[2].hasPrefix("user last at "))
    #expect(found.lines[4].hasPrefix("user c-1 at "))
    #expect(found.errors == Self.repeated)
  }

  /// A pipe with a name is opened once: whoever writes it finds nobody there after that.
  @Test func pipesWithNames() throws {
    let folder = try folder()
    let found = try folder.shell(
      """
      for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
        rm -f pipe; mkfifo pipe; cat users.ndjson > pipe & writer=$!
        timeout 10 $TOLLGATE decide config.json --placement p --users pipe --users-format ndjson \
          --id u_0001235 --quiet || exit 1
        wait $writer || exit 2
      done
      """)
    #expect(found.code == 0, "\(found.code) \(found.errors)")
    #expect(found.lines.count == 12)
  }

  /// Records in parts of a file that is read piece by piece.
  @Test func usersOfLargeFiles() throws {
    let folder = try folder()
    let filler = String(repeating: "x", count: 400)
    try folder.write(
      "many.ndjson",
      (0..<3_000).map { #"{"userId":"u\#($0)","user":{"a":"\#(filler)"}}"# + "\n" }.joined())
    for id in ["u0", "u1499", "u2999"] {
      let found = try folder.tollgate(
        "explain", "config.json", "--all", "--users", "many.ndjson", "--id", id)
      #expect(found.lines.first?.hasPrefix("user \(id) at ") == true, "\(found.errors)")
    }
    let none = try folder.tollgate(
      "explain", "config.json", "--all", "--users", "many.ndjson", "--id", "v2999x")
    #expect(
      none.errors.contains("no user 'v2999x' in many.ndjson: 3,000 users were read; did you mean"))
    #expect(none.errors.contains("'u2999'"))
  }

  @Test func theFirstOfSeveralIsTaken() throws {
    let folder = try folder()
    let found = try folder.tollgate(
      "decide", "config.json", "--placement", "p", "--users", "users.ndjson", "users.ndjson",
      "--id", "u_0001234")
    #expect(try result(found) == "holdout")
    #expect(!found.errors.contains("u_0001234"))
  }

  /// What comes behind the user is not read: neither a file that is damaged there, nor a pipe that stays open.
  @Test func nothingBehindTheUserIsRead() throws {
    let folder = try folder()
    let filler = String(repeating: "x", count: 400)
    try folder.write(
      "many.ndjson",
      (0..<3_000).map { #"{"userId":"u\#($0)","user":{"a":"\#(filler)"}}"# + "\n" }.joined())
    let found = try folder.shell(
      """
      gzip -n -c many.ndjson > whole.gz; head -c $(($(wc -c < whole.gz) - 100)) whole.gz > many.gz
      mkfifo pipe; { cat many.ndjson; sleep 20; } > pipe & writer=$!
      for users in many.gz pipe; do
        timeout 15 $TOLLGATE explain config.json --all --users-format ndjson --users $users --id u7 || exit 1
      done
      kill $writer
      """)
    #expect(found.code == 0, "\(found.errors)")
    #expect(found.lines.filter { $0.hasPrefix("user u7 at ") }.count == 2)
    let behind = try folder.tollgate(
      "explain", "config.json", "--all", "--users-format", "ndjson", "--users", "many.gz", "--id",
      "nobody")
    #expect(behind.errors.contains("many.gz is damaged"), "\(behind.errors)")
  }

  /// Of four bytes one may differ, of more two.
  @Test(arguments: [
    ("ab1", "ab2", true), ("ab12", "ab1", true), ("ab12", "ab1234", false), ("ab12", "ac13", false),
    ("ab12", "ab21x", false), ("abc12", "abc34", true), ("abc12", "abd34", false),
    ("AB12", "ab12", true), ("abc12", "abc1234", true), ("abc12", "abc12345", false),
  ])
  func idsThatAreNear(asked: String, there: String, isNear: Bool) throws {
    let folder = try folder()
    try folder.write("one.ndjson", #"{"userId":"\#(there)"}"# + "\n")
    let result = try folder.tollgate(
      "explain", "config.json", "--all", "--users", "one.ndjson", "--id", asked)
    #expect(result.code == 2)
    #expect(
      result.errors.contains("did you mean '\(there)'?") == isNear, "\(result.errors)")
  }

  @Test func usersThatAreNotThere() throws {
    let folder = try folder()
    func errors(_ id: String, _ file: String = "users.ndjson") throws -> String {
      let result = try folder.tollgate(
        "explain", "config.json", "--all", "--users", file, "--id", id)
      #expect(result.code == 2 && result.output == "")
      return result.errors
    }
    #expect(
      try errors("u_0001243") == "error: there is no user 'u_0001243' in users.ndjson: 5 users "
        + "were read, and 2 lines that are not records; did you mean 'u_0001234' or "
        + "'u_0001235'?\n")
    #expect(
      try errors("u_000123").contains("did you mean 'u_0001234' or 'u_0001235'?"))
    #expect(try errors("LAST").contains("did you mean 'last'?"))
    #expect(
      try errors("nobody", "users.csv") == "error: there is no user 'nobody' in users.csv: "
        + "3 users were read, and 1 line that is not a record\n")
  }

  @Test func recordsThatCannotBeUsed() throws {
    let folder = try folder()
    try folder.write("bad.ndjson", "\n{\"userId\":\"a\",\"user\":5}\n")
    try folder.write("bad.csv", "userId,user\n\na,5\n")
    func errors(_ file: String) throws -> String {
      try folder.tollgate(
        "decide", "config.json", "--placement", "p", "--users", file, "--id", "a"
      ).errors
    }
    #expect(
      try errors("bad.ndjson")
        == "error: bad.ndjson:2:22: 'user' must be an object, not a number\n")
    #expect(try errors("bad.csv") == "error: bad.csv:3: 'user' must be an object, not a number\n")
  }

  @Test func textsOfAUserByID() throws {
    let folder = try folder()
    let found = try folder.tollgate(
      "render", "{{ user.plan }}", "--users", "users.ndjson", "--id", "u_0001235")
    #expect(found.output == "pro\n", "\(found.errors)")
  }

  @Test(arguments: [
    ([], "the user is missing: give --user RECORD, or --users FILE and --id ID"),
    (["--users", "users.ndjson"], "--users needs --id"), (["--id", "a"], "--id needs --users"),
    (["--id", "a", "--user", "{}"], "use either --user, or --users and --id"),
    (["--user", "{}", "--users-format", "csv"], "--users-format needs --users"),
    (["--users", "nothing.ndjson", "--id", "a"], "nothing.ndjson"),
    (["--users", "users.ndjson", "--id", ""], "--id is empty"),
    (["--users", "-", "-", "--id", "a"], "only one file can be standard input"),
  ])
  func whatDoesNotGoTogether(options: [String], message: String) throws {
    let folder = try folder()
    for command in [["decide", "--placement", "p"], ["explain", "--all"]] {
      let result = try folder.tollgate([command[0], "config.json"] + command.dropFirst() + options)
      #expect(result.code == 2)
      #expect(result.output == "")
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  /// What people give in place of a record.
  @Test(arguments: [
    (#"{"userId":"u""#, "the user record:1:14: the JSON ends too early"),
    (#"{"userId":"u","user":{"a":}}"#, "the user record:1:27: "),
    ("{userId:u}", "the shell removed its quotes: write '{\"userId\":\"u-1\"}'"),
    (#""userId":"u""#, "is not a file; write a record as JSON in braces"),
    ("userId:u", "is not a file; write a record as JSON in braces"),
    (
      "u_0001234",
      "the file 'u_0001234' does not exist; to find a user with this ID, use --users FILE --id"
    ),
    ("users.ndjson", "one per line; pass one of them, or use --users users.ndjson --id"),
    ("nothing.json", "cannot open nothing.json"),
  ])
  func recordsInPlace(record: String, message: String) throws {
    let folder = try folder()
    let result = try folder.tollgate("explain", "config.json", "--all", "--user", record)
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
