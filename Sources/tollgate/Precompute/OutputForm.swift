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

/// How a file is written: its form, and whether gzip compresses it.
struct FileForm: Equatable {
  var form: OutputForm
  var isCompressed = false

  /// As settings have it: `csv`, `ndjson.gz`.
  var text: String { form.rawValue + (isCompressed ? ".gz" : "") }

  init(_ form: OutputForm, isCompressed: Bool = false) {
    self.form = form
    self.isCompressed = isCompressed
  }

  init?(text: String) {
    isCompressed = text.hasSuffix(".gz")
    guard let form = OutputForm(rawValue: isCompressed ? String(text.dropLast(3)) : text) else {
      return nil
    }
    self.form = form
  }

  /// What the name of a file says.
  ///
  /// - Parameters:
  ///   - form: the form that was chosen, whatever the name says of it. How the file is compressed is
  ///     said by the name alone.
  ///   - option: what named the file.
  ///   - allowed: the forms that there are for this file.
  init(
    path: String, form chosen: OutputForm? = nil, option: String,
    allowed: [OutputForm] = OutputForm.allCases
  ) throws {
    var endings = FileForm.endings(path)
    let isCompressed = endings.last == "gz"
    if isCompressed { endings.removeLast() }
    let ending = endings.last ?? ""
    let choices = FileForm.choices(allowed)
    if FileForm.packed.contains(ending) || isCompressed && ending == "gz" {
      throw CommandError(
        "\(option) \(path): .\(ending) is not written\(ending == "zst" ? " yet" : ""); "
          + "write \(choices), and compress that")
    }
    if chosen == nil, FileForm.others.contains(ending) {
      throw CommandError("\(option) \(path): .\(ending) is not written; write \(choices)")
    }
    let form = chosen ?? FileForm.forms[ending] ?? .ndjson
    guard allowed.contains(form) else {
      throw CommandError("\(option) \(path): it is written as NDJSON; write \(choices)")
    }
    if form == .sqlite, isCompressed {
      throw CommandError(
        "\(option) \(path): a database is not compressed; write .sqlite, and compress that")
    }
    self.init(form, isCompressed: isCompressed)
  }

  private static let forms: [String: OutputForm] = [
    "ndjson": .ndjson, "jsonl": .ndjson, "json": .ndjson, "csv": .csv, "sqlite": .sqlite,
    "sqlite3": .sqlite, "db": .sqlite,
  ]

  /// Formats of data that are not written.
  private static let others: Set = [
    "parquet", "arrow", "feather", "orc", "avro", "tsv", "xls", "xlsx", "xml", "duckdb",
  ]

  /// What compresses or packs a file, in which nobody would look for plain text.
  private static let packed: Set = [
    "zst", "zstd", "zip", "bz2", "xz", "lz4", "br", "7z", "tgz",
  ]

  private static func choices(_ allowed: [OutputForm]) -> String {
    let texts = ".ndjson, .jsonl, .json" + (allowed.contains(.csv) ? ", .csv" : "")
    return "\(texts) (each also with .gz)" + (allowed.contains(.sqlite) ? ", .sqlite or .db" : "")
  }

  /// The endings of a file's name in small letters, in their order.
  private static func endings(_ path: String) -> [String] {
    let name = FilePlace.parts(path).name
    return name.lowercased().split(separator: ".", omittingEmptySubsequences: false).dropFirst()
      .map(String.init)
  }
}
