import Foundation
import TestSupport
import Testing

/// Texts in all the wrappings that they come in, and files that are something else.
@Suite struct EncodingTests {
  private static let mark = Data([0xEF, 0xBB, 0xBF])

  private func gzip(_ folder: TestFolder, _ name: String) throws {
    #expect(try folder.shell("gzip -n -k -f \(name)").code == 0)
  }

  @Test func marksAndGzipInUsers() throws {
    let folder = try TestFolder()
    let text = TestFolder.users(1_500)
    try folder.write("plain", text)
    try folder.write("marked", Self.mark + Data(text.utf8))
    try folder.write("markedToo", Self.mark + Data(TestFolder.users(600, from: 1_500).utf8))
    try folder.write("both", text + TestFolder.users(600, from: 1_500))
    try gzip(folder, "marked")
    let header = "userId,user.plan\n"
    let rows = (0..<100).map { "u-\($0),free\n" }.joined()
    try folder.write("plain.csv", header + rows)
    try folder.write("marked.csv", Self.mark + Data((header + rows).utf8))
    try gzip(folder, "marked.csv")
    let expected = try folder.precompute("--users", "plain").output
    #expect(expected.split(separator: "\n").count == 6 * 1_498)
    for name in ["marked", "marked.gz"] {
      #expect(try folder.precompute("--users", name).output == expected, "\(name)")
      let piped = try folder.shell(
        "cat \(name) | $TOLLGATE precompute $CONFIG --users - --seed s --now 2026-03-01T12:00:00Z")
      #expect(piped.output == expected, "\(name) piped")
    }
    let both = try folder.precompute("--users", "both").output
    #expect(try folder.precompute("--users", "marked", "--users", "markedToo").output == both)
    let table = try folder.precompute("--users", "plain.csv").output
    #expect(try folder.precompute("--users", "marked.csv").output == table)
    #expect(try folder.precompute("--users", "marked.csv.gz").output == table)
  }

  /// Every file that is read as a whole.
  @Test(arguments: ["marked", "gzip"])
  func otherFiles(wrapping: String) throws {
    let folder = try TestFolder()
    func copy(_ name: String) throws -> String {
      let path = name.hasPrefix("/") ? name : TestFolder.demo + "/" + name
      let bytes = try Data(contentsOf: URL(filePath: path))
      let local = name.split(separator: "/").last.map(String.init) ?? name
      try folder.write(local, Self.mark + bytes)
      guard wrapping == "gzip" else { return local }
      try gzip(folder, local)
      return local + ".gz"
    }
    func same(_ arguments: [String], files: [String]) throws {
      let wrapped = try arguments.map { files.contains($0) ? try copy($0) : $0 }
      let plain = try BuiltTool.run(try BuiltTool.tool(), arguments, in: TestFolder.demo)
      let result = try BuiltTool.run(try BuiltTool.tool(), wrapped, in: folder.path)
      #expect(plain.code == 0, "\(plain.errors)")
      #expect(result.code == 0, "\(result.errors)")
      #expect(result.output == plain.output, "\(arguments)")
    }
    try same(["check", "config.json"], files: ["config.json"])
    try same(
      ["decide", "config.json", "--placement", "export_report", "--user", "user.json"],
      files: ["config.json", "user.json"])
    try same(["products", "products.json"], files: ["products.json"])
    try same(
      ["render", "./export-trial.liquid", "--products", "products.json", "--user", "user.json"],
      files: ["./export-trial.liquid", "products.json", "user.json"])
    try same(["check-template", "texts.json"], files: ["texts.json"])
    // A few of the scenarios show as much as all of them.
    let scenarios = try String(
      contentsOf: URL(filePath: TestFolder.demo + "/../own/sdk-scenarios.jsonl"), encoding: .utf8)
    try folder.write(
      "few.jsonl", scenarios.split(separator: "\n").prefix(3).joined(separator: "\n"))
    try same(
      [
        "simulate", folder.path("few.jsonl"), "--quiet", "--fixtures",
        TestFolder.demo + "/../sdk/fixtures", "--config", "../sdk/fixtures/config.std.json",
      ], files: [folder.path("few.jsonl"), "../sdk/fixtures/config.std.json"])
    // Manifests.
    try folder.write("users", TestFolder.users(10))
    #expect(try folder.precompute("--users", "users", "--out", "out").code == 0)
    try folder.write("m.json", Self.mark + (folder.bytes("out.manifest.json") ?? Data()))
    if wrapping == "gzip" { try gzip(folder, "m.json") }
    #expect(try folder.tollgate("replay", wrapping == "gzip" ? "m.json.gz" : "m.json").code == 0)
  }

  @Test(arguments: [
    (String.Encoding.utf16, true, "UTF-16"), (.utf16LittleEndian, false, "UTF-16LE"),
    (.utf16BigEndian, false, "UTF-16BE"), (.utf32LittleEndian, false, "UTF-32LE"),
    (.utf32BigEndian, false, "UTF-32BE"),
  ])
  func otherEncodings(encoding: String.Encoding, isMarked: Bool, name: String) throws {
    let folder = try TestFolder()
    func write(_ file: String, _ text: String) throws {
      try folder.write(file, try #require(text.data(using: encoding)))
    }
    try write("users.ndjson", TestFolder.users(10))
    try write("users.csv", "userId\na\n")
    try write("config.json", "{\"trigger_options\":[]}")
    for users in ["users.ndjson", "users.csv"] {
      let result = try folder.precompute("--users", users, "--out", "none")
      #expect(result.code == 2)
      #expect(
        result.errors.hasPrefix("error: \(users) is \(name), and must be UTF-8: iconv -f \(name) "))
      #expect(result.errors.split(separator: "\n").count == 1)
      let piped = try folder.shell(
        "cat \(users) | $TOLLGATE precompute $CONFIG --users - --out none")
      #expect(piped.code == 2)
      #expect(piped.errors.contains("standard input is \(name)"))
    }
    for command in [
      ["check"], ["fmt"], ["precompute", "--users", "users.ndjson", "--out", "none"],
    ] {
      let result = try BuiltTool.run(
        try BuiltTool.tool(), [command[0], "config.json"] + command.dropFirst(), in: folder.path)
      #expect(result.code == 2)
      #expect(result.errors.contains("is \(name), and must be UTF-8"), "\(result.errors)")
    }
  }

  /// First bytes, and what the file is called.
  private static let formats: [([UInt8], String, String)] = [
    (
      Array("PAR1".utf8), "a Parquet file",
      "duckdb -c \"COPY (SELECT * FROM 'in.bin') TO 'in.ndjson'"
    ),
    (Array("ARROW1\0\0".utf8), "an Arrow file", "pyarrow"),
    (Array("FEA1".utf8), "a Feather file", "pyarrow"),
    (Array("ORC\u{1}".utf8), "an ORC file", "pyarrow"),
    (Array("Obj\u{1}".utf8), "an Avro file", "read_avro"),
    (Array("SQLite format 3\0".utf8), "an SQLite database", "sqlite3 -header -csv 'in.bin'"),
    ([1, 2, 3, 4, 5, 6, 7, 8] + Array("DUCK".utf8), "a DuckDB database", "duckdb 'in.bin'"),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", "zstd -dc 'in.bin'"),
    (Array("BZh91AY".utf8), "compressed by bzip2", "bzip2 -dc"),
    ([0xFD] + Array("7zXZ\0".utf8), "compressed by xz", "xz -dc"),
    (Array("PK\u{3}\u{4}".utf8), "a zip archive", "unzip -p"),
  ]

  @Test(arguments: formats)
  func otherFormats(beginning: [UInt8], name: String, conversion: String) throws {
    let folder = try TestFolder()
    try folder.write("in.bin", Data(beginning + [UInt8](repeating: 0x0A, count: 20_000)))
    for (users, called) in [("in.bin", "in.bin"), ("- < in.bin", "standard input")] {
      let result = try folder.shell(
        "$TOLLGATE precompute $CONFIG --out none --users \(users)")
      #expect(result.code == 2)
      #expect(result.errors.hasPrefix("error: \(called) is \(name)"), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      if users == "in.bin" { #expect(result.errors.contains(conversion), "\(result.errors)") }
    }
    for command in ["check", "fmt", "products"] {
      let result = try folder.tollgate(command, "in.bin")
      #expect(result.code == 2)
      #expect(result.errors.contains("in.bin is \(name)"), "\(result.errors)")
    }
  }

  @Test(arguments: [
    ("[{\"userId\":\"a\"},{\"userId\":\"b\"}]", "one JSON list", "jq -c '.[]' 'u.json'"),
    ("[{\"userId\":\"a\"},{\"userId\":\"b\"}]\n", "one JSON list", "jq -c '.[]'"),
    ("[\n  {\"userId\":\"a\"},\n  {\"userId\":\"b\"}\n]\n", "one JSON list", "jq -c '.[]'"),
    ("\n[ {\"userId\":\"a\"},\n  {\"userId\":\"b\"}]", "one JSON list", "jq -c '.[]'"),
    ("{\n  \"userId\": \"a\"\n}\n", "JSON over several lines", "jq -c . 'u.json'"),
    ("{ \"user\": {\n\n  },\n \"userId\": \"a\"\n}\n", "JSON over several lines", "jq -c ."),
    ("userId,user.plan\na,free\n", "looks like CSV", "--users-form csv"),
    ("userId\tuser.plan\na\tfree\n", "looks like a table", "with commas"),
    ("<!DOCTYPE html>\n<html>", "looks like XML or HTML", "NDJSON or CSV"),
    ("\0\0\0\0\0\0\0\0\0\0", "is not text", "NDJSON or CSV"),
  ])
  func otherShapes(text: String, message: String, help: String) throws {
    let folder = try TestFolder()
    try folder.write("u.json", text)
    for script in ["--users u.json", "--users - < u.json"] {
      let result = try folder.shell("$TOLLGATE precompute $CONFIG --out none \(script)")
      #expect(result.code == 2)
      #expect(result.errors.contains(message), "\(result.errors)")
      if script == "--users u.json" { #expect(result.errors.contains(help), "\(result.errors)") }
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  /// What is wrong with one line is not a reason to refuse all.
  @Test(arguments: [
    "[]\n{\"userId\":\"a\"}\n", "{\"userId\":\"x\",\n{\"userId\":\"a\"}\n",
    "x\n{\"userId\":\"a\"}\n", "{\n{\"userId\":\"a\"}\n", "\"userId\"\n{\"userId\":\"a\"}\n",
  ])
  func oneBadLine(text: String) throws {
    let folder = try TestFolder()
    try folder.write("u", text)
    let result = try folder.precompute("--users", "u", "--out", "none", "--summary", "json")
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("{\"users\":1,\"rejected\":1,"))
  }

  /// Text that comes a byte at a time is told apart as well.
  @Test func slowBeginnings() throws {
    let folder = try TestFolder()
    try folder.write("marked", Self.mark + Data(TestFolder.users(3).utf8))
    try gzip(folder, "marked")
    for name in ["marked", "marked.gz"] {
      let input = Pipe()
      let run = try BuiltTool.Running(
        try BuiltTool.tool(), ["precompute", TestFolder.config, "--users", "-", "--out", "none"],
        source: input)
      for byte in try #require(folder.bytes(name)) {
        input.fileHandleForWriting.write(Data([byte]))
      }
      try input.fileHandleForWriting.close()
      let result = try run.wait()
      #expect(result.code == 0, "\(result.errors)")
      #expect(result.output.contains("3 users decided, 0 lines refused"))
    }
  }

  @Test func csvInDisguise() throws {
    let folder = try TestFolder()
    try folder.write("semicolons.csv", "userId;user.plan\na;free\n")
    let table = try folder.precompute("--users", "semicolons.csv", "--out", "none")
    #expect(table.code == 2)
    #expect(table.errors.contains("cells are separated by commas"))
    try folder.write("json.csv", "{\"userId\":\"a\"}\n")
    let json = try folder.precompute("--users", "json.csv", "--out", "none")
    #expect(json.errors.contains("json.csv looks like JSON; give --users-form ndjson"))
    // Endings in capitals are endings.
    try folder.write("USERS.CSV", "userId\na\n")
    #expect(try folder.precompute("--users", "USERS.CSV", "--out", "none").code == 0)
  }

  @Test func damagedGzip() throws {
    let folder = try TestFolder()
    try folder.write("u", TestFolder.users(5_000))
    try gzip(folder, "u")
    let whole = try #require(folder.bytes("u.gz"))
    try folder.write("empty", "")
    try gzip(folder, "empty")
    try folder.write("zeros.gz", whole + Data(count: 700))
    try folder.write("more.gz", whole + Data("more".utf8))
    try folder.write("half.gz", whole.prefix(whole.count / 2))
    try folder.write("almost.gz", whole.dropLast(3))
    try folder.write("header.gz", whole.prefix(5))
    try folder.write("members.gz", whole + (folder.bytes("empty.gz") ?? Data()) + whole)
    try gzip(folder, "u.gz > /dev/null; gzip -c u.gz > twice.gz; true")
    func users(_ name: String) throws -> BuiltTool.Result {
      try folder.precompute("--users", name, "--out", "none", "--summary", "json")
    }
    #expect(try users("zeros.gz").output == users("u").output)
    #expect(try users("members.gz").output.hasPrefix("{\"users\":9990,"))
    for (name, message) in [
      ("more.gz", "is followed by something else"), ("half.gz", "ends in the middle"),
      ("almost.gz", "ends in the middle"), ("header.gz", "ends in the middle"),
      ("twice.gz", "compressed twice"), ("empty.gz", "no users"),
    ] {
      let result = try users(name)
      #expect(result.code == 2, "\(name)")
      #expect(result.errors.contains(message), "\(name): \(result.errors)")
    }
  }

  @Test func filesThatCannotBeTextAtAll() throws {
    for device in ["/dev/zero"] where FileManager.default.fileExists(atPath: device) {
      let users = try BuiltTool.run("precompute", TestFolder.config, "--users", device)
      #expect(users.code == 2)
      #expect(users.errors.contains("\(device) is not text"))
      let config = try BuiltTool.run("check", device)
      #expect(config.code == 2)
      #expect(config.errors.contains("more than 256 MiB"))
    }
    let folder = try BuiltTool.run("check", TestFolder.demo)
    #expect(folder.code == 2)
    #expect(folder.errors.contains("is a folder"))
  }

  // MARK: fmt

  /// A config with something to format.
  private static let unstyled =
    #"{"build_id":"b", "trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g","variants":[],"expression_cel":"user.a==1"}]}]}"#

  @Test func formattingKeepsTheFile() throws {
    let folder = try TestFolder()
    let text = Self.unstyled
    try folder.write("c.json", Self.mark + Data(text.utf8))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder.path("c.json"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.json"), withDestinationPath: "c.json")
    #expect(try folder.tollgate("fmt", "--write", "link.json").code == 0)
    let expected = Self.mark + Data(text.replacing("user.a==1", with: "user.a == 1").utf8)
    #expect(folder.bytes("c.json") == expected)
    #expect(folder.names == ["c.json", "link.json"])
    let manager = FileManager.default
    #expect(
      try manager.attributesOfItem(atPath: folder.path("c.json"))[.posixPermissions] as? Int
        == 0o640)
    #expect(
      try manager.attributesOfItem(atPath: folder.path("link.json"))[.type] as? FileAttributeType
        == .typeSymbolicLink)
    try folder.write("d.json", text)
    try gzip(folder, "d.json")
    let packed = folder.bytes("d.json.gz")
    let result = try folder.tollgate("fmt", "--write", "d.json.gz")
    #expect(result.code == 2)
    #expect(folder.bytes("d.json.gz") == packed)
  }

  /// Where the new file finds no room, the old one stays.
  @Test(.limitsFiles) func formattingWithoutRoom() throws {
    let folder = try TestFolder()
    let long = Self.unstyled + String(repeating: " ", count: 4_000)
    try folder.write("d.json", long)
    let full = try folder.shell("ulimit -f 1; $TOLLGATE fmt --write d.json")
    #expect(full.code == 74)
    #expect(full.errors.contains("error: cannot write d.json: File too large"))
    #expect(folder.text("d.json") == long)
    #expect(folder.names == ["d.json"])
  }
}
