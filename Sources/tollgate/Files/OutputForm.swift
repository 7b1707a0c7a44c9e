internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The forms that outcomes can be written in.
enum OutputForm: String, CaseIterable {
  case ndjson, csv, sqlite

  var outcomes: OutcomeForm {
    switch self {
    case .ndjson: .ndjson
    case .csv: .csv
    case .sqlite: .rows
    }
  }
}

/// The form of a file, and its compression.
struct FileForm: Equatable {
  var form: OutputForm
  var compression: Compression?

  /// The form in settings, such as `csv` or `ndjson.gz`.
  var text: String { form.rawValue + (compression.map { "." + $0.ending } ?? "") }

  init(_ form: OutputForm, _ compression: Compression? = nil) {
    self.form = form
    self.compression = compression
  }

  init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    guard let form = parts.first.flatMap({ OutputForm(rawValue: $0) }) else { return nil }
    self.form = form
    guard parts.count > 1 else { return }
    guard let compression = Compression(ending: parts[1]) else { return nil }
    self.compression = compression
  }

  /// The form according to a file's name.
  ///
  /// - Parameters:
  ///   - form: the form that was chosen explicitly, regardless of the name. Only the name
  ///     determines the compression.
  ///   - option: the option that named the file.
  ///   - allowed: the forms that this file supports.
  init(
    path: String, form chosen: OutputForm? = nil, option: String,
    allowed: [OutputForm] = OutputForm.allCases
  ) throws {
    var endings = FileForm.endings(path)
    let compression = endings.last.flatMap { Compression(ending: $0) }
    if compression != nil { endings.removeLast() }
    let ending = endings.last ?? ""
    let choices = FileForm.choices(allowed)
    if FileForm.packed.contains(ending) || Compression(ending: ending) != nil {
      throw CommandError(
        "\(option) \(path): .\(ending) files are not supported; write \(choices), and compress the file"
      )
    }
    if chosen == nil, let advice = FileForm.advice(ending, path, allowed) {
      throw CommandError("\(option) \(path): .\(ending) files are not supported; \(advice)")
    }
    let form = chosen ?? FileForm.forms[ending] ?? .ndjson
    guard allowed.contains(form) else {
      throw CommandError("\(option) \(path): it is written as NDJSON; write \(choices)")
    }
    if form == .sqlite, compression != nil {
      throw CommandError(
        "\(option) \(path): databases are not compressed; write .sqlite, and compress the file")
    }
    self.init(form, compression)
  }

  private static let forms: [String: OutputForm] = [
    "ndjson": .ndjson, "jsonl": .ndjson, "json": .ndjson, "csv": .csv, "sqlite": .sqlite,
    "sqlite3": .sqlite, "db": .sqlite,
  ]

  /// Suffixes of compressed or packed files, where plain text would be unexpected.
  private static let packed: Set = ["zstd", "zip", "bz2", "xz", "lz4", "br", "7z", "tgz"]

  private static func choices(_ allowed: [OutputForm]) -> String {
    let texts = ".ndjson, .jsonl, .json" + (allowed.contains(.csv) ? ", .csv" : "")
    let endings = Compression.allCases.map { "." + $0.ending }.joined(separator: " or ")
    return "\(texts) (each also with \(endings))"
      + (allowed.contains(.sqlite) ? ", .sqlite or .db" : "")
  }

  /// Advice for the suffix of an unsupported format; nil for all other suffixes.
  private static func advice(_ ending: String, _ path: String, _ allowed: [OutputForm]) -> String? {
    if unwritten.contains(ending) { return "write \(choices(allowed))" }
    guard let conversion = conversions[ending] else { return nil }
    let stem = String(Compression.withoutEnding(path).dropLast(ending.utf8.count + 1))
    let written = stem + (allowed.contains(.csv) ? ".csv" : ".ndjson")
    return "write \(written), and convert it: "
      + conversion.replacing("<in>", with: written).replacing("<out>", with: stem + "." + ending)
  }

  /// Data formats that are neither written nor available through a one-line command.
  private static let unwritten: Set = ["avro", "xls", "xml"]

  /// Data formats that are not written, and commands that convert CSV or NDJSON to them.
  private static let conversions: [String: String] = {
    func arrow(_ write: String) -> String {
      #"python3 -c "import duckdb as d, pyarrow.\#(write)(d.sql('FROM \'<in>\'').to_arrow_table(), '<out>')""#
    }
    return [
      "parquet": #"duckdb -c "COPY (FROM '<in>') TO '<out>'""#,
      "tsv": #"duckdb -c "COPY (FROM '<in>') TO '<out>' (FORMAT csv, DELIMITER '\t')""#,
      "xlsx":
        #"duckdb -c "INSTALL excel; LOAD excel; COPY (FROM '<in>') TO '<out>' (FORMAT xlsx)""#,
      "duckdb": #"duckdb '<out>' -c "CREATE TABLE outcomes AS FROM '<in>'""#,
      "arrow": arrow("feather as f; f.write_feather"),
      "feather": arrow("feather as f; f.write_feather"),
      "orc": arrow("orc as f; f.write_table"),
    ]
  }()

  /// The suffixes of a file's name in lower case, in order.
  private static func endings(_ path: String) -> [String] {
    let name = FilePlace.parts(path).name
    return name.lowercased().split(separator: ".", omittingEmptySubsequences: false).dropFirst()
      .map(String.init)
  }
}
