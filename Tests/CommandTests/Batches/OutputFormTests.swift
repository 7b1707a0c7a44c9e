import Foundation
import Testing

@testable import tollgate

/// What the ending of a file's name says about how it is written.
@Suite struct OutputFormTests {
  @Test(arguments: [
    ("x.ndjson", "ndjson"), ("x.jsonl", "ndjson"), ("x.json", "ndjson"), ("x.csv", "csv"),
    ("x.sqlite", "sqlite"), ("x.db", "sqlite"), ("x.ndjson.gz", "ndjson.gz"),
    ("x.jsonl.gz", "ndjson.gz"), ("x.json.gz", "ndjson.gz"), ("x.csv.gz", "csv.gz"),
    ("x.ndjson.zst", "ndjson.zst"), ("x.jsonl.zst", "ndjson.zst"), ("x.json.zst", "ndjson.zst"),
    ("x.csv.zst", "csv.zst"), ("x.zst", "ndjson.zst"), ("X.CSV.Zst", "csv.zst"),
    ("X.CSV.GZ", "csv.gz"), ("x.Db", "sqlite"), ("x", "ndjson"), ("x.txt", "ndjson"),
    ("x.gz", "ndjson.gz"), ("x.txt.gz", "ndjson.gz"), ("csv", "ndjson"), ("a.csv/x", "ndjson"),
    ("x.parquet/y", "ndjson"), ("x.csv.2026", "ndjson"), ("-", "ndjson"), (".csv", "csv"),
  ])
  func endings(path: String, form: String) throws {
    #expect(try FileForm(path: path, option: "--out").text == form)
    #expect(FileForm(text: form)?.text == form)
  }

  private static let others = [
    "parquet", "arrow", "feather", "orc", "avro", "tsv", "xlsx", "xml", "duckdb",
  ]
  private static let packed = ["zip", "bz2", "xz", "zstd"]

  @Test(arguments: others + packed)
  func whatIsNotWritten(ending: String) throws {
    for path in [
      "x.\(ending)", "x.\(ending.uppercased())", "x.csv.\(ending)", "x.\(ending).gz",
      "x.\(ending).zst",
    ] {
      #expect(throws: CommandError.self, "\(path)") { try FileForm(path: path, option: "--out") }
    }
  }

  @Test func aFormThatIsChosen() throws {
    func form(_ path: String, _ form: OutputForm) throws -> String {
      try FileForm(path: path, form: form, option: "--out").text
    }
    #expect(try form("x.csv", .ndjson) == "ndjson")
    #expect(try form("x.csv.gz", .ndjson) == "ndjson.gz")
    #expect(try form("x.sqlite.gz", .csv) == "csv.gz")
    #expect(try form("x", .sqlite) == "sqlite")
    for ending in Self.others { #expect(try form("x.\(ending)", .csv) == "csv") }
    // How a file is compressed is not a matter of its form.
    for ending in Self.packed {
      #expect(throws: CommandError.self) { try form("x.csv.\(ending)", .csv) }
    }
    #expect(throws: CommandError.self) { try form("x.gz", .sqlite) }
    for path in ["x.db.gz", "x.sqlite.zst", "x.csv.gz.zst", "x.zst.gz", "x.gz.gz"] {
      #expect(throws: CommandError.self, "\(path)") { try FileForm(path: path, option: "--out") }
    }
    for path in ["x.csv", "x.db", "x.csv.gz"] {
      #expect(throws: CommandError.self) {
        try FileForm(path: path, option: "--rejects", allowed: [.ndjson])
      }
    }
  }

  @Test func commandsSayWhatCanBeWritten() throws {
    let folder = try TestFolder()
    try folder.write("users", TestFolder.users(5))
    for path in ["x.avro", "x.XLS", "x.xml.gz", "x.csv.bz2", "x.sqlite.gz", "x.db.zst"] {
      let result = try folder.precompute("--users", "users", "--out", path)
      #expect(result.code == 2)
      #expect(result.errors.hasPrefix("error: --out \(path): "), "\(result.errors)")
      #expect(result.errors.contains(".sqlite"))
      #expect(folder.names == ["users"])
    }
    for (path, command) in [
      ("x.parquet", #"duckdb -c "COPY (FROM 'x.csv') TO 'x.parquet'""#),
      ("a.b.PARQUET.zst", #"duckdb -c "COPY (FROM 'a.b.csv') TO 'a.b.parquet'""#),
      (
        "x.tsv",
        #"duckdb -c "COPY (FROM 'x.csv') TO 'x.tsv' (FORMAT csv, DELIMITER '\t')""#
      ),
      ("x.duckdb", #"duckdb 'x.duckdb' -c "CREATE TABLE outcomes AS FROM 'x.csv'""#),
      ("x.xlsx", "TO 'x.xlsx' (FORMAT xlsx)"), ("x.arrow", "pyarrow.feather"),
      ("x.feather", "write_feather(d.sql('FROM \\'x.csv\\'').to_arrow_table(), 'x.feather')"),
      ("x.orc", "pyarrow.orc"),
    ] {
      let result = try folder.precompute("--users", "users", "--out", path)
      #expect(result.code == 2)
      #expect(result.errors.hasPrefix("error: --out \(path): ."), "\(result.errors)")
      #expect(result.errors.contains("files are not supported; write "))
      #expect(result.errors.contains("csv, and convert it: "))
      #expect(result.errors.contains(command), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(folder.names == ["users"])
    }
    let columns = try folder.precompute("--users", "users", "--out", "x", "--rejects", "r.parquet")
    #expect(columns.errors.contains("write r.ndjson, and convert it: duckdb -c "))
    let rejects = try folder.precompute("--users", "users", "--out", "x", "--rejects", "r.csv")
    #expect(rejects.code == 2)
    #expect(rejects.errors.contains("--rejects r.csv"))
    #expect(
      try folder.precompute("--users", "users", "--out", "x.parquet", "--format", "ndjson").code
        == 0)
    #expect(folder.text("x.parquet")?.hasPrefix("{\"userId\"") == true)
  }
}
