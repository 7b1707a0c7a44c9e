internal import Expressions
internal import Scenarios

/// Files that the cases of a file refer to by name. A companion is searched for next to the case file, then in the
/// folder of `--support`, then in the corpus.
final class Companions {
  private let folders: [String]
  private var parsed: [String: Value] = [:]

  /// - Parameters:
  ///   - file: the case file.
  ///   - support: another folder to search, or nil.
  init(beside file: String, support: String? = nil) {
    let slash = file.lastIndex(of: "/")
    let folder = slash.map { String(file[...$0]) } ?? "./"
    folders =
      [folder] + (support.map { [$0.hasSuffix("/") ? $0 : $0 + "/"] } ?? [])
      + [CorpusFolder.path + "/cases/"]
  }

  /// The content of a companion, which is read once for each case file.
  func value(_ name: String) throws(CaseFileError) -> Value {
    if let known = parsed[name] { return known }
    let (place, bytes) = try find(name)
    do throws(JSONFault) {
      let value = try Value.parse(json: bytes)
      parsed[name] = value
      return value
    } catch {
      throw CaseFileError(message: "\(place): \(error.message) at byte \(error.offset)")
    }
  }

  private func find(_ name: String) throws(CaseFileError) -> (place: String, bytes: [UInt8]) {
    for folder in folders {
      if let bytes = try? CaseFile.bytes(folder + name) { return (folder + name, bytes) }
    }
    throw CaseFileError(
      message: "the companion \(name) is neither in \(folders.joined(separator: " nor in ")); "
        + "name its folder with --support")
  }
}
