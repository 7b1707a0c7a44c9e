package import Expressions

/// The places of diagnostics in a JSON file.
package struct DiagnosticPlaces: Sendable {
  package struct Place: Sendable {
    /// The bytes of the file that the diagnostic is about.
    package var range: SourceRange
    /// The position of the start.
    package var position: SourcePosition
    /// The position after the end.
    package var end: SourcePosition
  }

  private struct Key: Hashable {
    var path: String
    var range: SourceRange?
  }

  /// A change to the file.
  package struct Edit: Hashable {
    /// The bytes of the file to replace.
    package var range: SourceRange
    /// The replacement.
    package var text: [UInt8]
  }

  private var places: [Key: Place] = [:]
  private var elements: [String: Range<Int>]
  private let json: [UInt8]

  package init(_ diagnostics: [Diagnostic], in json: [UInt8]) {
    self.json = json
    var keys: Set<Key> = []
    for diagnostic in diagnostics {
      keys.insert(Key(path: diagnostic.path, range: diagnostic.range))
      for range in diagnostic.elsewhere { keys.insert(Key(path: diagnostic.path, range: range)) }
    }
    elements = JSONLocation.places(of: keys.map { $0.path }, in: json)
    var ranges: [Key: SourceRange] = [:]
    for key in keys { ranges[key] = Self.range(key, elements[key.path], in: json) }
    let positions = SourcePosition.all(ranges.values.flatMap { [$0.from, $0.to] }, in: json)
    for (key, range) in ranges {
      guard let position = positions[range.from], let end = positions[range.to] else { continue }
      places[key] = Place(range: range, position: position, end: end)
    }
  }

  /// Without a path, a range refers to the file. With a path, the range refers to the string at the path.
  private static func range(_ key: Key, _ element: Range<Int>?, in json: [UInt8]) -> SourceRange {
    guard let element else { return key.range ?? SourceRange(from: 0, to: 0) }
    guard let range = key.range else {
      return SourceRange(from: element.lowerBound, to: element.upperBound)
    }
    if key.path.isEmpty { return range }
    guard !element.isEmpty, json[element.lowerBound] == UInt8(ascii: "\"") else {
      return SourceRange(from: element.lowerBound, to: element.upperBound)
    }
    return JSONLocation.range(range, ofStringAt: element, in: json)
  }

  package func place(of diagnostic: Diagnostic) -> Place? {
    places[Key(path: diagnostic.path, range: diagnostic.range)]
  }

  /// The edits that a diagnostic's fix makes in the file. Empty if the diagnostic has no fix, or if the file does not
  /// contain the string in the same form.
  package func edits(of diagnostic: Diagnostic) -> [Edit] {
    guard let fix = diagnostic.fix else { return [] }
    if diagnostic.path.isEmpty {
      return fix.edits.map { Edit(range: $0.range, text: Array($0.text.utf8)) }
    }
    guard let element = elements[diagnostic.path], element.count > 1,
      json[element.lowerBound] == UInt8(ascii: "\"")
    else { return [] }
    return fix.edits.map { edit in
      var text: [UInt8] = []
      JSONWriter.append(quoted: edit.text, to: &text)
      return Edit(
        range: JSONLocation.range(edit.range, ofStringAt: element, in: json),
        text: Array(text.dropFirst().dropLast()))
    }
  }

  /// The diagnostic as a JSON object.
  package func json(_ diagnostic: Diagnostic, file: String) -> Value {
    let others = diagnostic.elsewhere.compactMap {
      places[Key(path: diagnostic.path, range: $0)]?.range
    }
    return diagnostic.json(
      file: file, place(of: diagnostic), others: others, edits(of: diagnostic))
  }

  /// Sorts diagnostics: errors, then warnings, then notes, each in the order of the file.
  package func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let ordered = diagnostics.enumerated().sorted {
      let (a, b) = (place(of: $0.element)?.range.from ?? 0, place(of: $1.element)?.range.from ?? 0)
      return (a, $0.offset) < (b, $1.offset)
    }.map { $0.element }
    return Diagnostic.Severity.allCases.flatMap { severity in
      ordered.filter { $0.severity == severity }
    }
  }
}

extension Diagnostic {
  /// The diagnostic as a JSON object, with its place in a file and the edits of its fix.
  fileprivate func json(
    file: String, _ place: DiagnosticPlaces.Place?, others: [SourceRange],
    _ edits: [DiagnosticPlaces.Edit]
  ) -> Value {
    func range(_ range: SourceRange) -> Value {
      .object(["from": .int(Int64(range.from)), "to": .int(Int64(range.to))])
    }
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value?) {
      if let value { entries.append(Value.Entry(key: .string(key), value: value)) }
    }
    add("code", .string(code.rawValue))
    add("severity", .string(severity.rawValue))
    add("file", .string(file))
    add("line", place.map { .int(Int64($0.position.line)) })
    add("column", place.map { .int(Int64($0.position.column)) })
    add("path", .string(path))
    add("range", place.map { range($0.range) })
    if !path.isEmpty { add("expressionRange", self.range.map(range)) }
    if !others.isEmpty { add("otherRanges", .list(others.map(range))) }
    entries += told
    if let fix, !edits.isEmpty {
      let list = edits.map { edit in
        Value.object([
          "from": .int(Int64(edit.range.from)), "to": .int(Int64(edit.range.to)),
          "text": .string(String(decoding: edit.text, as: UTF8.self)),
        ])
      }
      add("fix", .object(["edits": .list(list), "safe": .bool(fix.isSafe)]))
    }
    return .map(entries)
  }

  /// The diagnostic as a JSON object, about a text that is not in a file.
  package var json: Value {
    var entries = [
      Value.Entry(key: "code", value: .string(code.rawValue)),
      Value.Entry(key: "severity", value: .string(severity.rawValue)),
      Value.Entry(key: "path", value: .string(path)),
    ]
    if let range {
      let value = Value.object(["from": .int(Int64(range.from)), "to": .int(Int64(range.to))])
      entries.append(Value.Entry(key: "range", value: value))
    }
    return .map(entries + told)
  }

  /// The message and its details, without the place.
  private var told: [Value.Entry] {
    var entries = [Value.Entry(key: "message", value: .string(message))]
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    if let suggestion { add("suggestion", .string(suggestion)) }
    if !related.isEmpty {
      add(
        "related",
        .list(
          related.map { .object(["path": .string($0.path), "message": .string($0.message)]) }))
    }
    if !peers.isEmpty { add("elsewhere", .list(peers.map({ $0.json }))) }
    if !notes.isEmpty { add("notes", .list(notes.map { .string($0) })) }
    return entries
  }
}

extension Diagnostic.PeerEffect {
  fileprivate var json: Value {
    var entries = [
      Value.Entry(key: "sdks", value: .list(peers.map { .string($0.id) })),
      Value.Entry(key: "severity", value: .string(severity.rawValue)),
      Value.Entry(key: "consequence", value: .string(consequence.rawValue)),
    ]
    if let detail { entries.append(Value.Entry(key: "detail", value: .string(detail))) }
    return .map(entries)
  }
}
