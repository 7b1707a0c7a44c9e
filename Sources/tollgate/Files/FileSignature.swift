internal import Expressions

/// The meaning of a file's first bytes.
enum FileSignature: Equatable {
  /// Text in UTF-8, after a byte-order mark of this length.
  case text(markLength: Int)
  case compressed(Compression)
  /// Text in another encoding, by its name in iconv.
  case encoding(String)
  case format(Format)

  /// A known format that is not supported.
  struct Format: Equatable {
    /// The name of the format, such as the end of "users.parquet is a Parquet file".
    var name: String
    /// A command that converts the format to text, with `<in>` and `<out>` for the names of files.
    var conversion: String
    /// Whether the format only packs other files, and has no rows of its own.
    var isPacking = false
    /// Whether the command writes JSON with a null for every member that a row lacks.
    var hasNulls: Bool { conversion.contains("(FORMAT json)") }
  }

  /// The number of bytes needed for detection.
  static let length = 16

  init(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(FileSignature.length))
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      self = .text(markLength: 3)
    } else if let compression = Compression(beginning: bytes) {
      self = .compressed(compression)
    } else if let format = FileSignature.format(bytes) {
      self = .format(format)
    } else if let encoding = FileSignature.encoding(bytes) {
      self = .encoding(encoding)
    } else {
      self = .text(markLength: 0)
    }
  }

  /// Encodings with several bytes per character. Without a mark, the zeros of ASCII characters reveal the encoding,
  /// because supported texts begin with ASCII.
  private static func encoding(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return "UTF-32"
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    guard bytes.count >= 4 else { return nil }
    return switch bytes[0..<4].map({ $0 == 0 }) {
    case [false, true, true, true]: "UTF-32LE"
    case [true, true, true, false]: "UTF-32BE"
    case [false, true, false, true]: "UTF-16LE"
    case [true, false, true, false]: "UTF-16BE"
    default: nil
    }
  }

  private static func format(_ bytes: [UInt8]) -> Format? {
    if bytes.count >= 12, bytes[8..<12].elementsEqual("DUCK".utf8) {
      return Format(
        name: "a DuckDB database",
        conversion:
          #"duckdb '<in>' -c "COPY (FROM users) TO '<out>.ndjson' (FORMAT json)""#)
    }
    return formats.first { bytes.starts(with: $0.bytes) }?.format
  }

  /// The command for a format that DuckDB can read directly.
  private static func read(
    _ prepare: String = "", _ table: String = "'<in>'", ending: String = "json"
  ) -> String {
    let target = ending == "json" ? "'<out>.ndjson' (FORMAT json)" : "'<out>.\(ending)'"
    return #"duckdb -c "\#(prepare)COPY (FROM \#(table)) TO \#(target)""#
  }

  /// The command for a format that pyarrow reads and DuckDB converts.
  private static func arrow(_ module: String, _ read: String) -> String {
    #"python3 -c "import duckdb as d, pyarrow.\#(module) as f; t = f.\#(read); "#
      + #"d.sql('COPY t TO \'<out>.ndjson\' (FORMAT json)')""#
  }

  private static func packed(_ name: String, _ command: String) -> Format {
    Format(name: name, conversion: "\(command) '<in>' > '<out>.ndjson'", isPacking: true)
  }

  private static let spreadsheet = Format(
    name: "an Excel file", conversion: "save it as CSV in UTF-8, in the program that made it")

  private static let workbook = Format(
    name: "an Excel file", conversion: read("INSTALL excel; LOAD excel; ", ending: "csv"))

  private static let formats: [(bytes: [UInt8], format: Format)] = {
    func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    return [
      (text("PAR1"), Format(name: "a Parquet file", conversion: read())),
      (
        text("ARROW1"),
        Format(name: "an Arrow file", conversion: arrow("feather", "read_table('<in>')"))
      ),
      (
        [0xFF, 0xFF, 0xFF, 0xFF],
        Format(
          name: "an Arrow stream", conversion: arrow("ipc", "open_stream('<in>').read_all()"))
      ),
      (
        text("FEA1"),
        Format(name: "a Feather file", conversion: arrow("feather", "read_table('<in>')"))
      ),
      (text("ORC"), Format(name: "an ORC file", conversion: arrow("orc", "read_table('<in>')"))),
      (
        text("Obj") + [1],
        Format(
          name: "an Avro file",
          conversion: read("INSTALL avro; LOAD avro; ", "read_avro('<in>')"))
      ),
      (
        text("SQLite format 3") + [0],
        Format(
          name: "an SQLite database",
          conversion: #"sqlite3 -header -csv '<in>' "SELECT * FROM users" > '<out>.csv'"#)
      ),
      (text("BZh"), packed("compressed by bzip2", "bzip2 -dc")),
      ([0xFD] + text("7zXZ") + [0], packed("compressed by xz", "xz -dc")),
      ([0x04, 0x22, 0x4D, 0x18], packed("compressed by lz4", "lz4 -dc")),
      (text("7z") + [0xBC, 0xAF, 0x27, 0x1C], packed("a 7z archive", "7z x -so")),
      (text("PK") + [3, 4], packed("a zip archive", "unzip -p")),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], spreadsheet),
    ]
  }()

  // MARK: Refusing

  /// The error for a file that is not text in UTF-8; nil for text in UTF-8 and for compressed files.
  ///
  /// - Parameter holdsUsers: whether rows are expected, so that a hint for converting them helps.
  func refusal(_ path: String, holdsUsers: Bool) -> CommandError? {
    let name = path == "-" ? "standard input" : path
    let (stem, ending) = FileSignature.parts(path == "-" ? "users.ndjson" : path)
    func filled(_ command: String) -> String {
      return command.replacing("<in>", with: path == "-" ? "FILE" : path)
        .replacing("<out>", with: stem).replacing("<ending>", with: ending)
    }
    switch self {
    case .text, .compressed: return nil
    case .encoding(let encoding):
      let command = filled("iconv -f \(encoding) -t UTF-8 '<in>' > '<out>-utf8<ending>'")
      return CommandError(
        "\(name) is \(encoding), and must be UTF-8: "
          + (holdsUsers ? command : "convert it with iconv -f \(encoding) -t UTF-8"))
    case .format(var format):
      // Such a file is a zip archive, but users would not call it that.
      if path.lowercased().hasSuffix(".xlsx") { format = FileSignature.workbook }
      guard holdsUsers || format.isPacking else {
        return CommandError("\(name) is \(format.name), not text")
      }
      return CommandError(
        "\(name) is \(format.name), which is not supported; convert it"
          + (format.hasNulls ? " (docs/users.md says what to do about NULLs): " : ": ")
          + filled(format.conversion))
    }
  }

  /// The name of a file without its suffixes, and the suffixes.
  private static func parts(_ path: String) -> (stem: String, ending: String) {
    let name = FilePlace.parts(path).name
    let stem = name.prefix { $0 != "." }
    return stem.isEmpty ? ("users", ".ndjson") : (String(stem), String(name.dropFirst(stem.count)))
  }
}
