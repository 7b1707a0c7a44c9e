internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// Everything that the texts of a run depend on, except its config, its users and its time.
struct TextSettings: Equatable {
  /// A file, and the hash of its bytes.
  struct File: Equatable {
    var path: String
    var hash: String

    /// - Throws: when the file is unreadable, or is standard input, which cannot be read again.
    init(reading path: String, for option: String) throws {
      guard path != "-" else {
        throw CommandError("\(option) takes a file: standard input cannot be read again")
      }
      self.path = path
      hash = XXH64.text(of: try FileText.read(path))
    }

    init(_ recorded: RecordedValue) throws(RecordedValue.Fault) {
      path = try recorded.text("path")
      hash = try recorded.text("hash")
    }

    var value: Value { .object(["path": .string(path), "hash": .string(hash)]) }

    /// Throws when the file has changed.
    func check(_ path: String) throws {
      let found = XXH64.text(of: try FileText.read(path))
      guard found == hash else {
        throw CommandError(
          "\(path) is another file: its hash is \(found), and the run's was \(hash)",
          exitCode: Ending.findings)
      }
    }
  }

  var texts: File
  var products: File?
  var profile: String?
  var locale: String?
  var zone: String?
  var select: String?
  var dialect: String?
  var html: Bool

  var value: Value {
    func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    return .object([
      "render": texts.value, "products": products?.value ?? .null, "profile": text(profile),
      "locale": text(locale), "zone": text(zone), "select": text(select),
      "textDialect": text(dialect), "html": .bool(html),
    ])
  }

  init(
    texts: File, products: File?, profile: String?, locale: String?, zone: String?,
    select: String?, dialect: String?, html: Bool
  ) {
    self.texts = texts
    self.products = products
    self.profile = profile
    self.locale = locale
    self.zone = zone
    self.select = select
    self.dialect = dialect
    self.html = html
  }

  init(_ recorded: RecordedValue) throws(RecordedValue.Fault) {
    texts = try File(recorded.required("render"))
    products = try recorded.member("products").map {
      (file) throws(RecordedValue.Fault) in try File(file)
    }
    profile = try recorded.optionalText("profile")
    locale = try recorded.optionalText("locale")
    zone = try recorded.optionalText("zone")
    select = try recorded.optionalText("select")
    dialect = try recorded.optionalText("textDialect")
    html = try recorded.required("html").truth()
  }

  /// The options for rendering the same texts again.
  ///
  /// - Parameter find: the current location of a path.
  /// - Throws: when one of the files is missing, or has changed.
  func options(_ find: (String) -> String) throws -> RenderingOptions.Recorded {
    var arguments: [String] = []
    for (name, file) in [("render", texts), ("products", products)] {
      guard let file else { continue }
      let path = find(file.path)
      try file.check(path)
      arguments.append("--\(name)=\(path)")
    }
    let others = [
      ("profile", profile), ("locale", locale), ("time-zone", zone), ("select", select),
      ("text-dialect", dialect),
    ]
    for (name, value) in others {
      if let value { arguments.append("--\(name)=\(value)") }
    }
    if html { arguments.append("--html") }
    return try RenderingOptions.Recorded.parse(arguments)
  }
}

extension RenderingOptions {
  /// The inputs of the texts other than the config, the users and the time; nil without `--render`.
  func settings(_ products: TextProductOptions, in zone: String?) throws -> TextSettings? {
    guard let render else { return nil }
    return TextSettings(
      texts: try TextSettings.File(reading: render, for: "--render"),
      products: try products.products.map {
        try TextSettings.File(reading: $0, for: "--products")
      },
      profile: products.profile?.rawValue, locale: products.locale, zone: zone,
      select: products.select, dialect: textDialect?.rawValue, html: html)
  }
}
