internal import Expressions
internal import RuleEngine

/// A text file that was read as a whole, with messages about its problems. Each place has the form
/// `FILE:LINE:COLUMN`.
struct DescribedFile {
  let path: String
  let bytes: [UInt8]

  init(_ path: String) throws {
    self.path = path
    bytes = try FileText.read(path)
  }

  /// Creates a file from a text that was read elsewhere.
  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  init(_ content: FileContent) {
    path = content.path
    bytes = content.bytes
  }

  /// The display name of the file.
  var name: String { path == "-" ? "standard input" : path }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Diagnostics in readable form.
  ///
  /// - Parameter sources: the texts that ranges refer to, by path in the file. Ranges without a path refer to the file.
  func render(_ diagnostics: [Diagnostic], sources: [String: String] = [:]) -> [String] {
    let places = DiagnosticPlaces(diagnostics, in: bytes)
    let text = text
    return diagnostics.map { diagnostic in
      let position = places.place(of: diagnostic)?.position
      return DiagnosticText.render(
        diagnostic,
        source: diagnostic.range.flatMap { _ in
          diagnostic.path.isEmpty ? text : sources[diagnostic.path]
        },
        place: name + (position.map { ":\($0.line):\($0.column)" } ?? ""), isExact: true)
    }
  }

  /// Diagnostics as JSON objects, with the file and the place.
  func json(_ diagnostics: [Diagnostic]) -> [Value] {
    let places = DiagnosticPlaces(diagnostics, in: bytes)
    return diagnostics.map { places.json($0, file: path) }
  }

  /// Diagnostics as annotations.
  func annotations(_ diagnostics: [Diagnostic]) -> [String] {
    let places = DiagnosticPlaces(diagnostics, in: bytes)
    return diagnostics.map {
      Annotations.line($0, file: path, places.place(of: $0)?.position)
    }
  }

  /// The error for an unusable file.
  func unusable(_ diagnostics: [Diagnostic]) -> CommandError {
    CommandError(render(diagnostics).joined(separator: "\n"))
  }
}

extension ConfigFile {
  /// The config, for commands that do not need its rules.
  ///
  /// - Throws: when the file is something else.
  func requireConfig() throws -> Config {
    let errors = diagnostics.filter { $0.severity == .error && $0.code == .decodeFailure }
    guard let config else {
      throw CommandError(errors.map { render($0) }.joined(separator: "\n"))
    }
    if let first = errors.first, config.placements.isEmpty, config.paywalls.isEmpty {
      throw CommandError("\(name) is not a config: \(first.message)")
    }
    return config
  }
}
