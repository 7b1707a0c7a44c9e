internal import Expressions
internal import Foundation

/// Finds case files and reads their lines.
enum CaseFile {
  /// The case files of a path: itself, or every `.jsonl` below a folder, in order of name.
  static func paths(under path: String) throws(CaseFileError) -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CaseFileError(message: "there is no file or folder \(path)")
    }
    guard isFolder.boolValue else { return [path] }
    let below = (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }) ?? []
    let folder = path.hasSuffix("/") ? path : path + "/"
    return below.filter { $0.hasSuffix(".jsonl") }.sorted().map { folder + $0 }
  }

  /// The cases of a file. Blank lines are passed over.
  static func read(_ path: String, support: String? = nil) throws(CaseFileError) -> [Case] {
    let bytes: [UInt8]
    do {
      bytes = try FileText.read(path)
    } catch {
      throw CaseFileError(message: "\(error)")
    }
    let companions = CaseCompanions(caseFile: path, support: support)
    var cases: [Case] = []
    for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 <= 0x20 }) { continue }
      let place = "\(path):\(number + 1)"
      let content: Value
      do throws(JSONFault) {
        content = try Value.parse(json: line)
      } catch {
        throw CaseFileError(message: "\(place): \(error.message) at byte \(error.offset)")
      }
      guard case .string(let suite)? = content["suite"] else {
        throw CaseFileError(message: "\(place): the line names no 'suite'")
      }
      guard case .string(let id)? = content["id"] else {
        throw CaseFileError(message: "\(place): the line has no 'id'")
      }
      cases.append(
        Case(
          suite: suite, id: id, line: number + 1, content: content, companions: companions))
    }
    return cases
  }
}
