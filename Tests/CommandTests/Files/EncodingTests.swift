import Foundation
import TestSupport
import Testing

@testable import tollgate

/// Texts in all the wrappings that they come in, and files that are something else.
@Suite struct EncodingTests {
  private static let mark = Data([0xEF, 0xBB, 0xBF])

  private func gzip(_ folder: TestFolder, _ name: String) throws {
    #expect(try folder.shell("gzip -n -k -f \(name)").code == 0)
  }

  @Test func marksAndCompressionInUsers() throws {
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
    let packed = try folder.compress("marked", .zstd)
    for name in ["marked", "marked.gz", packed] {
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
    try folder.compress("marked.csv", .zstd)
    #expect(try folder.precompute("--users", "marked.csv.zst").output == table)
  }

  /// A letter with an accent that is one byte tells where the text comes from; half of a longer one does not.
  @Test func textsInLatin1() throws {
    let folder = try TestFolder()
    func write(_ name: String, _ before: String, _ bytes: [UInt8], _ after: String) throws {
      try folder.write(name, Data(before.utf8) + Data(bytes) + Data(after.utf8))
    }
    let hint = "not UTF-8; if the file is in Latin-1: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE"
    for (bytes, isTold) in [([0xFC], true), ([0xE2, 0x82], false)] as [([UInt8], Bool)] {
      try write("u.ndjson", #"{"userId":"a","user":{"city":"M"#, bytes, "n\"}}\n")
      try write("u.csv", "userId,user.city\na,M", bytes, "n\n")
      try write("c.json", #"{"build_id":"M"#, bytes, "n\"}\n")
      for users in ["u.ndjson", "u.csv"] {
        let result = try folder.precompute("--users", users, "--out", "none")
        #expect(result.errors.contains("these bytes are not UTF-8"), "\(result.errors)")
        #expect(result.errors.contains(hint) == isTold, "\(result.errors)")
      }
      let checked = try folder.tollgate("check", "c.json")
      #expect(checked.output.contains("= help: if the file is in Latin-1: iconv ") == isTold)
    }
  }

  /// Every file that is read as a whole.
  @Test(arguments: ["marked", "gzip", "zstd"])
  func otherFiles(wrapping: String) throws {
    let folder = try TestFolder()
    func copy(_ name: String) throws -> String {
      let path = name.hasPrefix("/") ? name : TestFolder.demo + "/" + name
      let bytes = try Data(contentsOf: URL(filePath: path))
      let local = name.split(separator: "/").last.map(String.init) ?? name
      try folder.write(local, Self.mark + bytes)
      return try Compression(rawValue: wrapping).map { try folder.compress(local, $0) } ?? local
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
    let manifest =
      try Compression(rawValue: wrapping).map { try folder.compress("m.json", $0) } ?? "m.json"
    #expect(try folder.tollgate("replay", manifest).code == 0)
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
      "duckdb -c \"COPY (FROM 'in.bin') TO 'in.ndjson' (FORMAT json)\""
    ),
    (Array("ARROW1\0\0".utf8), "an Arrow file", "pyarrow"),
    ([0xFF, 0xFF, 0xFF, 0xFF], "an Arrow stream", "open_stream('in.bin')"),
    (Array("FEA1".utf8), "a Feather file", "pyarrow"),
    (Array("ORC\u{1}".utf8), "an ORC file", "pyarrow"),
    (Array("Obj\u{1}".utf8), "an Avro file", "read_avro"),
    (Array("SQLite format 3\0".utf8), "an SQLite database", "sqlite3 -header -csv 'in.bin'"),
    (
      [1, 2, 3, 4, 5, 6, 7, 8] + Array("DUCK".utf8), "a DuckDB database",
      "duckdb 'in.bin' -c \"COPY (FROM users) TO 'in.ndjson' (FORMAT json)\""
    ),
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
      // JSON of tables has a null where a row has nothing.
      #expect(
        result.errors.contains("docs/users.md") == result.errors.contains("(FORMAT json)"))
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
    ("userId,user.plan\na,free\n", "looks like CSV", "--users-format csv"),
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
    let packed = try folder.compress("marked", .zstd)
    for name in ["marked", "marked.gz", packed] {
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
      #expect(result.output.contains("3 users decided, 0 lines rejected"))
    }
  }

  @Test func csvInDisguise() throws {
    let folder = try TestFolder()
    try folder.write("semicolons.csv", "userId;user.plan\na;free\n")
    let table = try folder.precompute("--users", "semicolons.csv", "--out", "none")
    #expect(table.code == 2)
    #expect(table.errors.contains("cells are separated by ';', and must be by ','"))
    try folder.write("json.csv", "{\"userId\":\"a\"}\n")
    let json = try folder.precompute("--users", "json.csv", "--out", "none")
    #expect(json.errors.contains("json.csv looks like JSON; give --users-format ndjson"))
    // Endings in capitals are endings.
    try folder.write("USERS.CSV", "userId\na\n")
    #expect(try folder.precompute("--users", "USERS.CSV", "--out", "none").code == 0)
  }

  @Test(arguments: Compression.allCases)
  func damage(compression: Compression) throws {
    let folder = try TestFolder()
    try folder.write("u", TestFolder.users(5_000))
    let whole = try #require(folder.bytes(try folder.compress("u", compression)))
    let empty = try TestFolder.compressed([], compression)
    try folder.write("empty", empty)
    try folder.write("zeros", whole + Data(count: 700))
    try folder.write("more", whole + Data("more".utf8))
    try folder.write("half", whole.prefix(whole.count / 2))
    try folder.write("almost", whole.dropLast(3))
    try folder.write("header", whole.prefix(5))
    try folder.write("members", whole + empty + whole)
    try folder.write("other", whole + whole.prefix(1) + Data([9, 9, 9, 9, 9, 9, 9, 9, 9, 9]))
    var changed = whole
    changed[changed.count / 2] ^= 0x10
    try folder.write("changed", changed)
    try folder.write("twice", try TestFolder.compressed(Array(whole), compression))
    let others = Compression.allCases.filter { $0 != compression }
    try folder.write("both", try TestFolder.compressed(Array(whole), others[0]))
    func users(_ name: String) throws -> BuiltTool.Result {
      try folder.precompute("--users", name, "--out", "none", "--summary", "json")
    }
    #expect(try users("zeros").output == users("u").output)
    #expect(try users("members").output.hasPrefix("{\"users\":9990,"))
    let packer = compression.rawValue
    for (name, message) in [
      ("more", "is damaged: its \(packer) data is followed by other data"),
      ("half", "is damaged: it ends in the middle of its \(packer) data"),
      ("almost", "ends in the middle"), ("header", "ends in the middle"),
      ("twice", "compressed twice: with \(packer), and inside with \(packer)"),
      ("both", "compressed twice: with \(others[0].rawValue), and inside with \(packer)"),
      ("changed", "is damaged"), ("other", "is damaged: \(packer) says '"), ("empty", "no users"),
    ] {
      for script in [name, "- < \(name)"] {
        let result = try folder.shell(
          "$TOLLGATE precompute $CONFIG --out none --users \(script)")
        #expect(result.code == 2, "\(name)")
        #expect(result.errors.contains(message), "\(name): \(result.errors)")
      }
    }
    #expect(try folder.tollgate("check", "half").errors.contains("ends in the middle"))
  }

  /// A frame of one raw block; the window is two to a number of bytes.
  private static func frame(window: UInt8, _ text: String, dictionary: UInt8? = nil) -> Data {
    let size = text.utf8.count << 3 | 1
    return Data(
      [0x28, 0xB5, 0x2F, 0xFD, dictionary == nil ? 0 : 1, (window - 10) << 3]
        + (dictionary.map { [$0] } ?? [])
        + [UInt8(size & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size >> 16)]) + Data(text.utf8)
  }

  private static func skipped(_ count: UInt8) -> Data {
    Data([0x57, 0x2A, 0x4D, 0x18, count, 0, 0, 0] + [UInt8](repeating: 0x28, count: Int(count)))
  }

  /// What frames of zstd may be beside what we write.
  @Test func unusualFrames() throws {
    let folder = try TestFolder()
    let (first, second) = ("{\"userId\":\"a\"}\n{\"user", "Id\":\"b\"}\n")
    let frames = Self.frame(window: 27, first) + Self.frame(window: 10, second)
    try folder.write("frames", frames)
    try folder.write(
      "skipped",
      Self.skipped(20) + Self.frame(window: 27, first) + Self.skipped(0) + Self.skipped(200)
        + Self.frame(window: 10, second) + Self.skipped(1))
    try folder.write("only", Self.skipped(9))
    try folder.write("cut", frames + Self.skipped(9).dropLast(4))
    try folder.write("window", Self.frame(window: 28, first + second))
    try folder.write("dictionary", Self.frame(window: 20, first + second, dictionary: 9))
    for name in ["frames", "skipped"] {
      let result = try folder.precompute("--users", name, "--out", "none", "--summary", "json")
      #expect(result.output.hasPrefix("{\"users\":2,\"rejected\":0,"), "\(result.errors)")
    }
    for (name, message) in [
      ("only", "no users in only"), ("cut", "ends in the middle of its zstd data"),
      (
        "window",
        "window is compressed by zstd with a window of more than 128 MiB, which is the limit"
      ),
      ("dictionary", "dictionary is compressed by zstd with a dictionary"),
    ] {
      let result = try folder.precompute("--users", name, "--out", "none")
      #expect(result.code == 2)
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
      #expect(config.errors.contains("larger than 256 MiB"))
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
