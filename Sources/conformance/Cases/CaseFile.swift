internal import Expressions
internal import Foundation
internal import Scenarios

/// Finds case files and reads their lines.
enum CaseFile {
  /// The case files of a path: the file itself, or every `.jsonl` and `.jsonl.gz` file below a folder, sorted by name.
  /// `-` means standard input.
  static func paths(under path: String) throws(CaseFileError) -> [String] {
    if path == "-" { return [path] }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CaseFileError(message: "there is no file or folder \(path)")
    }
    guard isFolder.boolValue else { return [path] }
    let below = (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }) ?? []
    let folder = path.hasSuffix("/") ? path : path + "/"
    let files = below.filter { $0.hasSuffix(".jsonl") || $0.hasSuffix(".jsonl.gz") }.sorted().map {
      folder + $0
    }
    guard !files.isEmpty else {
      throw CaseFileError(message: "there are no case files (.jsonl, .jsonl.gz) in \(path)")
    }
    return files
  }

  /// The content of a file. Gzip files are decompressed.
  static func bytes(_ path: String) throws(CaseFileError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw CaseFileError(message: "cannot read \(path): \(error.localizedDescription)")
    }
    guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
    guard let content = Gzip.content(of: bytes) else {
      throw CaseFileError(message: "\(path) is damaged: it is not a complete gzip file")
    }
    return content
  }

  /// Reads the cases of a file. Blank lines are skipped.
  ///
  /// - Throws: an error for the first line that is not a case.
  static func read(_ path: String, support: String? = nil) throws(CaseFileError) -> [Case] {
    var cases: [Case] = []
    for line in try lines(try bytes(path), of: path, support: support) {
      cases.append(try line.get())
    }
    return cases
  }

  /// Reads the lines of a file. Each line becomes a case, or the reason why it is not a case. Blank lines are skipped.
  static func lines(
    _ bytes: [UInt8], of path: String, support: String? = nil
  ) throws(CaseFileError) -> [Result<Case, CaseFileError>] {
    let companions = Companions(beside: path, support: support)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    return try CaseLine.read(bytes, of: path).map { line in
      line.map { Case($0, companions: companions, folder: folder) }
    }
  }
}
