internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import Scenarios

/// Files that results are written to.
enum ResultsFile {
  /// Refuses a file that holds anything but results: after `--json` a file of cases may stand by
  /// mistake.
  static func check(_ path: String) throws(CaseFileError) {
    var isFolder: ObjCBool = false
    guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return
    }
    guard !isFolder.boolValue else {
      throw CaseFileError(message: "\(path) is a folder; put --json last to print the results")
    }
    let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard kind == .typeRegular else { return }
    let line = try CaseFile.bytes(path).prefix { $0 != 0x0A }
    let isResult = (try? Value.parse(json: line))?["verdict"] != nil
    guard isResult || line.isEmpty else {
      throw CaseFileError(
        message:
          "\(path) holds something else than results and is not overwritten; put --json last "
          + "to print the results")
    }
  }

  static func write(_ lines: [String], to path: String, _ console: Console) throws {
    do {
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path))
    } catch {
      console.printError("error: cannot write \(path): \(error.localizedDescription)")
      throw ExitCode(Ending.unwritten)
    }
  }
}
