import Foundation
import Testing

@testable import tollgate

/// What rows of CSV are as records of users.
@Suite struct CSVRecordsTests {
  private let header = ["userId", "user.a", "user.b"]

  private func records(_ text: String, lineLimit: Int = 1 << 20) throws -> CSVRecords {
    let header = try CSVHeader(header, path: "users.csv")
    return Array(text.utf8).withUnsafeBytes { CSVRecords($0, header, lineLimit: lineLimit) }
  }

  @Test(
    arguments: [
      ("u,x,1", #"{"userId":"u","user":{"a":"x","b":1}}"#),
      // Quotes in quotes; two of them next to each other.
      (#"u,"x ""y"" z",1"#, #"{"userId":"u","user":{"a":"x \"y\" z","b":1}}"#),
      (#"u,"""""",1"#, #"{"userId":"u","user":{"a":"\"\"","b":1}}"#),
      // An empty cell is no value, an empty text is one.
      ("u,,1", #"{"userId":"u","user":{"b":1}}"#),
      (#"u,"",1"#, #"{"userId":"u","user":{"a":"","b":1}}"#),
      // What is quoted is a text, and what begins with a zero is no number.
      (#"u,"1","true""#, #"{"userId":"u","user":{"a":"1","b":"true"}}"#),
      ("u,0123,-0", #"{"userId":"u","user":{"a":"0123","b":-0}}"#),
      ("u,0.5,1e3", #"{"userId":"u","user":{"a":0.5,"b":1e3}}"#),
      ("u,1.,.5", #"{"userId":"u","user":{"a":"1.","b":".5"}}"#),
      ("u,TRUE,null", #"{"userId":"u","user":{"a":true,"b":null}}"#),
      // An identity is a text, whatever it looks like.
      ("007,1,2", #"{"userId":"007","user":{"a":1,"b":2}}"#),
      ("42,1,2", #"{"userId":"42","user":{"a":1,"b":2}}"#),
      ("u,\"two\nlines\",[1]\r", #"{"userId":"u","user":{"a":"two\nlines","b":[1]}}"#),
    ])
  func row(text: String, record: String) throws {
    let records = try records(text)
    #expect(records.faultCount == 0)
    #expect(String(decoding: records.json, as: UTF8.self) == record + "\n")
  }

  @Test func linesOfRows() throws {
    let records = try records("u,\"two\nlines\",1\n\nv,1,2\nw,1\nx,\"open,1")
    #expect(records.lines == 6)
    #expect(records.line(ofRow: 0) == 0)
    #expect(records.line(ofRow: 1) == 3)
    #expect(records.line(ofRow: 2) == 4)
    #expect(records.faultCount == 2)
  }

  @Test func nothingBehindAClosingQuote() throws {
    #expect(try records(#"u,"x"y,1"#).faultCount == 1)
    #expect(try records("u,\"x\"\r\n").faultCount == 1)
    #expect(try records("u,1,\"x\"\r\n").faultCount == 0)
  }

  @Test func rowsOfAsManyBytesAsThereMayBe() throws {
    #expect(try records("u,12,34\n", lineLimit: 7).faultCount == 0)
    #expect(try records("u,12,34\n", lineLimit: 6).faultCount == 1)
  }

  /// Rejected lines are told with their file and their line, in whatever part of the file they are.
  @Test(arguments: ["users.csv", "users.ndjson"])
  func refusedLines(name: String) throws {
    let folder = try TestFolder()
    let isCSV = name.hasSuffix("csv")
    func user(_ number: Int) -> String {
      let text = String(repeating: "x", count: 90)
      return isCSV
        ? "u\(number),\(text),1" : #"{"userId":"u\#(number)","user":{"a":"\#(text)","b":1}}"#
    }
    let head = isCSV ? ["userId,user.a,user.b"] : []
    let bad = isCSV ? "v,1" : "nothing"
    let lines = head + (0..<6_000).map(user) + [bad]
    try folder.write(name, lines.joined(separator: "\n") + "\n")
    try folder.write("more-\(name)", (head + [bad, user(1)]).joined(separator: "\n"))
    let result = try folder.tollgate(
      "precompute", TestFolder.config, "--users", name, "--users", "more-\(name)", "--out", "none",
      "--rejects", "rejects.ndjson", "--quiet")
    #expect(result.code == 0, "\(result.errors)")
    let rejects = try #require(folder.text("rejects.ndjson")).split(separator: "\n")
    #expect(rejects.count == 2)
    #expect(rejects.first?.hasPrefix(#"{"file":"\#(name)","line":\#(lines.count),"#) == true)
    #expect(
      rejects.last?.hasPrefix(#"{"file":"more-\#(name)","line":\#(head.count + 1),"#) == true)
  }
}
