import Expressions
import Foundation
import Testing

@testable import tollgate

/// What is told of users that are written in a way that was hardly meant.
@Suite struct OddUsersTests {
  private func run(_ name: String, _ text: String, _ more: [String] = []) throws
    -> BuiltTool.Result
  {
    let folder = try TestFolder()
    try folder.write(name, text)
    return try folder.tollgate(
      ["precompute", TestFolder.config, "--users", name, "--out", "none"] + more)
  }

  // MARK: JSON

  @Test func halfCharactersInIdentities() throws {
    let result = try run(
      "users", #"{"userId":"a"}"# + "\n" + #"{"user":{},"userId":"a\ud800"}"# + "\n")
    #expect(
      result.errors.contains(
        #"warning: users:2:21: rejected: 'userId' has \ud800, which is half of a surrogate pair; "#),
      "\(result.errors)")
    let one = try TestFolder().tollgate(
      "decide", TestFolder.config, "--placement", "export_report", "--user",
      #"{"userId":"\udc00"}"#)
    #expect(one.code == 2)
    #expect(one.errors.contains(#":1:11: 'userId' has \udc00, which is half of a surrogate pair"#))
  }

  @Test(arguments: ["users", "-"])
  func repeatedKeys(path: String) throws {
    let folder = try TestFolder()
    let users = [
      #"{"userId":"a","user":{"goal":"x"}}"#, #"{"userId":"b","user":{"goal":"x","goal":"y"}}"#,
      #"{"userId":"c","user":{"goal":"x"},"user":{"goal":"y"}}"#, #"{"userId":"d","userId":"e"}"#,
      #"{"userId":"f","user":{"goal":"x","goal":"y"}}"#,
      // What nobody reads changes nothing; histories add up.
      #"{"userId":"g","user":{"zz":1,"zz":2}}"#,
      #"{"userId":"h","occurrences":{},"occurrences":{}}"#,
    ]
    try folder.write("users", users.joined(separator: "\n"))
    for more in ["", "--threads 1 --quiet"] {
      let result = try folder.shell(
        "$TOLLGATE precompute $CONFIG --users \(path) --out none \(more) < users")
      let name = path == "-" ? "standard input" : path
      let told = result.errors.split(separator: "\n").filter { $0.contains("duplicate-id") }
      func warning(_ key: String, _ users: String, _ line: Int) -> String {
        "warning[duplicate-id]: '\(key)' appears twice in a user record (\(users), first at "
          + "\(name):\(line)); the last value is used; remove the others"
      }
      let expected = [
        warning("user", "1 user", 3), warning("user.goal", "2 users", 2),
        warning("userId", "1 user", 4),
      ]
      #expect(told.map(String.init) == expected)
    }
  }

  /// Also records of one shape, where no rule reads anything below the key.
  @Test func repeatedKeysOfManyUsers() throws {
    let folder = try TestFolder()
    let user = #"{"userId":"a","user":{"a":1},"user":{"a":2}}"#
    try folder.write("users", Array(repeating: user, count: 200).joined(separator: "\n"))
    try folder.write(
      "c.json",
      #"""
      {"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",
       "expression_cel":"device.platform == \"iOS\"","variants":[{"variant_id":"v",
       "variant_type":"HOLDOUT","percentage":100}]}]}],"paywall_responses":[]}
      """#)
    let result = try folder.tollgate("precompute", "c.json", "--users", "users", "--out", "none")
    #expect(
      result.errors.contains(
        "'user' appears twice in a user record (200 users, first at users:1)"),
      "\(result.errors)")
  }

  @Test func repeatedKeysOfOneUser() throws {
    let result = try TestFolder().tollgate(
      "decide", TestFolder.config, "--placement", "onboarding_done", "--user",
      #"{"userId":"a","user":{"goal":"x","goal":"y"}}"#)
    #expect(
      result.errors.contains(
        "warning[duplicate-id]: 'user.goal' appears twice in a user record; the last value"))
  }

  @Test func standardInputHasAName() throws {
    let folder = try TestFolder()
    let result = try folder.shell("echo x | $TOLLGATE precompute $CONFIG --users - --out none")
    #expect(result.errors.contains("warning: standard input:1:1: rejected: "), "\(result.errors)")
  }

  // MARK: CSV

  @Test func cellsThatAreTexts() throws {
    let rows = [
      "userId,user.paying,user.goal,user.share,user.tags,user.note",
      "t,t,NULL,NaN,\"[\"\"a\"\",]\",fine", "b,f,\\N,-Infinity,{a},\"t\"", "c,true,,0.5,[1],NULL?",
      "d,TRUE,null,1e3,\"{\"\"k\"\":1}\",text",
    ]
    let result = try run("users.csv", rows.joined(separator: "\n"))
    let notes = result.errors.split(separator: "\n").filter { $0.hasPrefix("note: column") }
    let expected: [String] = [
      "goal has 2 cells NULL or \\N, which are strings: leave the cell empty if the value is missing",
      "paying has 2 cells t or f, which are strings: export booleans as true and false",
      "share has 2 cells NaN or Infinity, which are strings: such numbers are not supported; leave the cell "
        + "empty",
      "tags has 2 cells that begin like JSON but are not JSON, which are strings: export them as JSON",
    ]
    #expect(notes.map(String.init) == expected.map { "note: column user." + $0 })
    let quiet = try run("users.csv", rows.joined(separator: "\n"), ["--quiet"])
    #expect(!quiet.errors.contains("note: column"))
    // A run that goes on tells of what came before.
    var texts = CSVTexts()
    texts.add(.json, column: "a.b", 3)
    texts.add(.bools, column: "a.b")
    #expect(CSVTexts(texts.value) == texts)
    #expect(CSVTexts(try Value.parse(json: #"[{"column":"a","kind":"x","cells":1}]"#.utf8)) == nil)
  }

  /// Numbers in quotes are texts; that is told of columns that rules compare with numbers.
  @Test func numbersInQuotes() throws {
    let rows = [
      #""userId","device.daysSinceInstall","user.goal","params.pages""#, #""a","20","7","""#,
      #""b","-1.5e2","8","007""#, #""c","about 3","9","1x""#,
    ]
    let told =
      "note: column device.daysSinceInstall has 2 cells in quotes with a number, which are strings: "
      + "rules compare it with numbers; export numbers without quotes"
    for command in ["precompute", "match"] {
      let folder = try TestFolder()
      try folder.write("users.csv", rows.joined(separator: "\n"))
      let out = command == "match" ? "" : "--out none"
      let result = try folder.shell(
        "$TOLLGATE \(command) $CONFIG --users users.csv --now 2026-03-01 \(out)")
      let notes = result.errors.split(separator: "\n").filter { $0.hasPrefix("note: column") }
      #expect(notes.map(String.init) == [told], "\(command)")
    }
    var texts = CSVTexts()
    texts.addQuoted(column: 1, of: 3)
    texts.addQuoted(column: 1, of: 3)
    texts.settle(["a", "b", "c"])
    texts.settle(["a", "b", "c"])
    #expect(texts.counts == ["b": [.quoted: 2]])
    #expect(CSVTexts(texts.value) == texts)
  }

  @Test(arguments: [
    (
      "userId,user,user.plan",
      "has 'user.plan' in column 3 beside 'user' in column 2: 'user' is either a value or has "
        + "members such as 'user.plan'; drop one of them"
    ),
    (
      "userId,user.a.b,x,user.a",
      "has 'user.a' in column 4 beside 'user.a.b' in column 2: 'user.a' is either a value or has "
        + "members such as 'user.a.b'; drop one of them"
    ),
    (
      "userId,user.a,user.a",
      "has 'user.a' in column 3, and in column 2 already; rename or drop one of them"
    ),
  ])
  func headersThatCollide(header: String, message: String) throws {
    let result = try run("users.csv", header + "\na,1,2\n")
    #expect(result.code == 2)
    #expect(result.errors == "error: users.csv: the header \(message)\n")
  }

  // MARK: Files

  @Test func filesThatAreNamedTwice() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(2))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: "users")
    for (names, also) in [
      (["users", "users"], "users twice:"),
      (["users", "./users"], "./users twice, also as users:"),
      (["user*", "link"], "link twice, also as users:"),
    ] {
      let result = try folder.tollgate(
        ["precompute", TestFolder.config, "--out", "none", "--users"] + names)
      #expect(result.code == 2)
      #expect(result.errors.contains("--users names \(also) all of its users"), "\(result.errors)")
    }
  }

  @Test func linesOfProgressTellOfWhatIsNotDone() throws {
    let result = try run("users", TestFolder.users(10))
    #expect(result.errors.contains("Done: 9 users"))
    #expect(!result.errors.contains("100 %"), "\(result.errors)")
  }

  @Test func searchedUsersWhoseLineIsRefused() throws {
    let folder = try TestFolder()
    try folder.write(
      "users.ndjson", #"{"userId":"a"}"# + "\n" + #"{"userId":"k-9","user":{}"# + "\n")
    try folder.write("users.csv", "userId,user.x\na,1\nk-9,1,1\n")
    for (file, reason) in [
      ("users.ndjson", "users.ndjson:2:26: the JSON ends too early"),
      ("users.csv", "users.csv:3: the row has 3 cells, and the header 2"),
    ] {
      let result = try folder.tollgate(
        "decide", TestFolder.config, "--placement", "export_report", "--users", file, "--id", "k-9")
      #expect(result.code == 2)
      #expect(
        result.errors.contains("error: the line of user 'k-9' cannot be used: \(reason)"),
        "\(result.errors)")
      let other = try folder.tollgate(
        "decide", TestFolder.config, "--placement", "export_report", "--users", file, "--id", "k-8")
      #expect(
        other.errors.contains("there is no user 'k-8' in \(file): 1 user was read, and 1 line"))
    }
  }

  // MARK: Texts

  @Test func textsThatReadWhatNoProductHas() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(2))
    try folder.write(
      "texts",
      #"{"paywalls":{"onboarding-annual":{"t":"{{ products.primary.prise }} {{ user.goal }}"}}}"#)
    let result = try folder.tollgate(
      "precompute", TestFolder.config, "--users", "users", "--out", "o", "--render", "texts",
      "--products", TestFolder.demo + "/products.json")
    #expect(result.code == 0, "\(result.errors)")
    #expect(
      result.errors.contains("warning[unknown-attribute]: products.primary has no 'prise'"),
      "\(result.errors)")
  }

  /// A text that only begins like a word is a text like others.
  @Test(
    arguments: [
      ("t", .bools), ("F", .bools), ("tx", nil), ("NULL", .nulls), ("NULLS", nil), ("\\N", .nulls),
      ("nan", .numbers), ("nano", nil), ("-Inf", .numbers), ("-1", nil), ("", nil),
    ] as [(String, CSVTexts.Kind?)])
  func cellsThatLookLikeMore(text: String, kind: CSVTexts.Kind?) {
    #expect(CSVTexts.Kind(Array(text.utf8)) == kind)
  }

  /// What a file is shows in its outermost keys, whatever its texts have in them.
  @Test(
    arguments: [
      (#"{"x":"\"{","userId":"u"}"#, .user), (#"{"x":{"userId":"u"},"products":[]}"#, .products),
      (#"{"x":"\\","campaigns":[]}"#, .config), (#"{"a":"userId"}"#, nil),
      ("[{\"userId\":1}]", nil),
    ] as [(String, FileKind?)])
  func kindsOfFiles(text: String, kind: FileKind?) {
    #expect(FileKind.of(text.utf8) == kind)
  }
}
