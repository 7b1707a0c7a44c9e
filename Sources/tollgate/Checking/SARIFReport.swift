internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import SDK

/// Findings as a SARIF 2.1.0 document, which code scanning services read.
struct SARIFReport {
  private var results: [Value] = []
  private var codes: [String] = []
  /// Why files could not be checked.
  private var failures: [Value] = []

  /// A file that findings are about.
  private struct Source {
    var path: String
    var place: (Diagnostic) -> DiagnosticPlaces.Place?
    var edits: (Diagnostic) -> [DiagnosticPlaces.Edit]
  }

  mutating func add(_ file: ConfigFile) {
    let source = Source(
      path: file.path, place: { file.place(of: $0) }, edits: { file.edits($0) })
    for diagnostic in file.diagnostics { results.append(result(diagnostic, source)) }
  }

  mutating func add(_ file: DescribedFile, _ diagnostics: [Diagnostic]) {
    let places = DiagnosticPlaces(diagnostics, in: file.bytes)
    let source = Source(
      path: file.path, place: { places.place(of: $0) }, edits: { places.edits(of: $0) })
    for diagnostic in diagnostics { results.append(result(diagnostic, source)) }
  }

  /// Notes that a file could not be checked, because a missing result would look like a clean file.
  mutating func add(_ failure: String, _ path: String) {
    let place: Value = .object(["physicalLocation": .object(["artifactLocation": artifact(path)])])
    failures.append(
      .object(["level": "error", "message": text(failure), "locations": .list([place])]))
  }

  private var invocation: Value {
    var entries: [(String, Value)] = [("executionSuccessful", .bool(failures.isEmpty))]
    if !failures.isEmpty { entries.append(("toolExecutionNotifications", .list(failures))) }
    return .map(entries.map { Value.Entry(key: .string($0.0), value: $0.1) })
  }

  var json: String {
    let driver: Value = .object([
      "name": "tollgate", "version": .string(SDKVersion.current),
      "rules": .list(codes.map(rule)),
    ])
    let run: Value = .object([
      "tool": .object(["driver": driver]), "columnKind": "unicodeCodePoints",
      "invocations": .list([invocation]), "results": .list(results),
    ])
    return Value.object([
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": .list([run]),
    ]).json
  }

  private func rule(_ code: String) -> Value {
    guard let page = CodePage.all[Diagnostic.Code(rawValue: code)] else {
      return .object(["id": .string(code)])
    }
    return .object([
      "id": .string(code), "shortDescription": text(page.what), "fullDescription": text(page.why),
      "help": text(page.advice),
      "defaultConfiguration": .object(["level": .string(page.severity.rawValue)]),
    ])
  }

  private func text(_ text: String) -> Value { .object(["text": .string(text)]) }

  private mutating func result(_ diagnostic: Diagnostic, _ file: Source) -> Value {
    let code = diagnostic.code.rawValue
    let index = codes.firstIndex(of: code) ?? codes.count
    if index == codes.count { codes.append(code) }
    let message = diagnostic.message + (diagnostic.suggestion.map { "; \($0)" } ?? "")
    var entries: [(String, Value)] = [
      ("ruleId", .string(code)), ("ruleIndex", .int(Int64(index))),
      ("level", .string(diagnostic.severity.rawValue)), ("message", text(message)),
      ("locations", .list([location(file.place(diagnostic), diagnostic.path, file)])),
    ]
    let edits = file.edits(diagnostic)
    if !edits.isEmpty { entries.append(("fixes", .list([fix(edits, diagnostic, file)]))) }
    return .map(entries.map { Value.Entry(key: .string($0.0), value: $0.1) })
  }

  private func location(_ place: DiagnosticPlaces.Place?, _ path: String, _ file: Source)
    -> Value
  {
    var physical: [(String, Value)] = [("artifactLocation", artifact(file.path))]
    if let place {
      physical.append(
        (
          "region",
          .object([
            "startLine": .int(Int64(place.position.line)),
            "startColumn": .int(Int64(place.position.column)),
            "endLine": .int(Int64(place.end.line)), "endColumn": .int(Int64(place.end.column)),
          ])
        ))
    }
    var entries: [(String, Value)] = [
      ("physicalLocation", .map(physical.map { Value.Entry(key: .string($0.0), value: $0.1) }))
    ]
    if !path.isEmpty {
      let logical: Value = .object(["fullyQualifiedName": .string(path)])
      entries.append(("logicalLocations", .list([logical])))
    }
    return .map(entries.map { Value.Entry(key: .string($0.0), value: $0.1) })
  }

  private func artifact(_ path: String) -> Value {
    .object(["uri": .string(SARIFReport.uri(RepositoryPath.of(path)))])
  }

  private func fix(
    _ edits: [DiagnosticPlaces.Edit], _ diagnostic: Diagnostic, _ file: Source
  ) -> Value {
    let replacements = edits.map { edit in
      Value.object([
        "deletedRegion": .object([
          "byteOffset": .int(Int64(edit.range.from)),
          "byteLength": .int(Int64(edit.range.to - edit.range.from)),
        ]),
        "insertedContent": text(String(decoding: edit.text, as: UTF8.self)),
      ])
    }
    let change: Value = .object([
      "artifactLocation": artifact(file.path), "replacements": .list(replacements),
    ])
    return .object([
      "description": text(diagnostic.suggestion ?? diagnostic.message),
      "artifactChanges": .list([change]),
    ])
  }

  /// A path as a URI. A relative path stays unchanged, and an absolute path gets a scheme.
  static func uri(_ path: String) -> String {
    if path == "-" { return "stdin" }
    let digits = Array("0123456789ABCDEF")
    var result = path.hasPrefix("/") ? "file://" : ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return result
  }
}
