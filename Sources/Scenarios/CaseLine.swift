package import Expressions

/// One line of a file of cases or scenarios.
package struct CaseLine: Sendable {
  package var suite: String
  package var id: String
  /// The number of the line in the file, from 1.
  package var number: Int
  /// The complete object.
  package var content: Value

  /// The reason why the line is skipped, or nil if the line is run.
  package func skipReason() throws(CaseFileError) -> String? {
    try CaseLine.skipReason(of: content)
  }

  /// The reason in the `skip` member of a case. The reason must be a string.
  static func skipReason(of content: Value) throws(CaseFileError) -> String? {
    guard let skip = content["skip"] else { return nil }
    if let reason = skip.text, !reason.isEmpty { return reason }
    throw CaseFileError(
      message: "skip: expected a reason as a string, got \(skip.json)")
  }

  /// Reads the lines of a file. Each line becomes a case, or the reason why it is not a case. Blank lines are skipped.
  ///
  /// - Parameters:
  ///   - path: the name of the file in messages.
  ///   - suite: the suite of lines that name no suite. Nil if every line must name its suite.
  package static func read(
    _ bytes: [UInt8], of path: String, suite: String? = nil
  ) throws(CaseFileError) -> [Result<CaseLine, CaseFileError>] {
    if let problem = Refusals.problem(inLinesOf: bytes) {
      throw CaseFileError(message: "\(path): \(problem)")
    }
    var lines: [Result<CaseLine, CaseFileError>] = []
    for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated() where !line.allSatisfy({ $0 <= 0x20 })
    {
      do throws(CaseFileError) {
        let (suite, id, content) = try head(line, suite)
        lines.append(
          .success(CaseLine(suite: suite, id: id, number: number + 1, content: content)))
      } catch {
        lines.append(
          .failure(CaseFileError(message: "\(path):\(number + 1): \(error.message)")))
      }
    }
    return lines
  }

  /// Members that identify a suite. Lines with such a member need not name their suite.
  private static let suiteOfMember: KeyValuePairs = [
    "outcomes": "superscript-versions", "ranges": "sdk-version-cases",
  ]

  private static func impliedSuite(of content: Value) -> String? {
    guard content["suite"] == nil else { return nil }
    return suiteOfMember.first { content[$0.key] != nil }?.value
  }

  private static func head(_ line: ArraySlice<UInt8>, _ usual: String?) throws(CaseFileError) -> (
    suite: String, id: String, content: Value
  ) {
    let content: Value
    do throws(JSONFault) {
      content = try Value.parse(json: line)
    } catch {
      let hint = error.hint(in: Array(line)).map { "; \($0)" } ?? ""
      throw CaseFileError(message: "\(error.message) at byte \(error.offset)\(hint)")
    }
    guard case .map(let entries) = content else {
      throw CaseFileError(message: "a case must be a JSON object")
    }
    guard let suite = content["suite"]?.text ?? usual ?? impliedSuite(of: content) else {
      let keys = entries.compactMap(\.key.text)
      let close = Suggestion.closest(to: "suite", among: keys)
      throw CaseFileError(
        message: "the line has no 'suite'"
          + (close.map { "; rename '\($0)' to 'suite' if that was meant" } ?? ""))
    }
    guard let id = content["id"]?.text, !id.isEmpty else {
      let found = content["id"].map { $0.text == nil ? $0.kindInJSON : "empty" }
      throw CaseFileError(
        message: found.map { "'id' must be a string, not \($0)" } ?? "the line has no 'id'")
    }
    return (suite, id, content)
  }
}

/// An error in a file or line that cannot be run.
package struct CaseFileError: Error, CustomStringConvertible {
  package var message: String
  package var description: String { message }

  package init(message: String) { self.message = message }
}
