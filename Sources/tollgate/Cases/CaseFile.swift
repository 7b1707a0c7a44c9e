internal import Expressions
internal import Foundation

/// Finds case files and reads their lines.
enum CaseFile {
  /// The case files of a path: itself, or every `.jsonl` below a folder, in order of name. `-` is
  /// standard input.
  static func paths(under path: String) throws(CaseFileError) -> [String] {
    if path == "-" { return [path] }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CaseFileError(message: "there is no file or folder \(path)")
    }
    guard isFolder.boolValue else { return [path] }
    let below = (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }) ?? []
    let folder = path.hasSuffix("/") ? path : path + "/"
    let files = below.filter { $0.hasSuffix(".jsonl") }.sorted().map { folder + $0 }
    guard !files.isEmpty else {
      throw CaseFileError(message: "there are no case files (.jsonl) in \(path)")
    }
    return files
  }

  /// The cases of a file. Blank lines are passed over.
  ///
  /// - Throws: for the first line that is not a case.
  static func read(_ path: String, support: String? = nil) throws(CaseFileError) -> [Case] {
    var cases: [Case] = []
    for line in try lines(path, support: support) { cases.append(try line.get()) }
    return cases
  }

  /// The lines of a file, each as a case or with the reason why it is none. Blank lines are passed
  /// over.
  static func lines(
    _ path: String, support: String? = nil
  ) throws(CaseFileError) -> [Result<Case, CaseFileError>] {
    let companions = Companions(beside: path, support: support)
    let bytes: [UInt8]
    do {
      bytes = try FileText.read(path)
    } catch {
      throw CaseFileError(message: "\(error)")
    }
    if let problem = Refusals.problem(inLinesOf: bytes) {
      throw CaseFileError(message: "\(path): \(problem)")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    var lines: [Result<Case, CaseFileError>] = []
    for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated() where !line.allSatisfy({ $0 <= 0x20 })
    {
      do throws(CaseFileError) {
        let (suite, id, content) = try head(line)
        lines.append(
          .success(
            Case(
              suite: suite, id: id, line: number + 1, content: content, companions: companions,
              folder: folder)))
      } catch {
        lines.append(
          .failure(CaseFileError(message: "\(path):\(number + 1): \(error.message)")))
      }
    }
    return lines
  }

  private static func head(_ line: ArraySlice<UInt8>) throws(CaseFileError) -> (
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
    guard case .string(let suite)? = content["suite"] else {
      let keys = entries.compactMap { if case .string(let key) = $0.key { key } else { nil } }
      let close = Suggestion.closest(to: "suite", among: keys)
      throw CaseFileError(
        message: "the line names no 'suite'"
          + (close.map { "; is '\($0)' a misspelling of it?" } ?? ""))
    }
    guard case .string(let id)? = content["id"], !id.isEmpty else {
      throw CaseFileError(message: "the line has no 'id'")
    }
    return (suite, id, content)
  }
}
