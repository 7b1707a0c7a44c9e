internal import Expressions
internal import Foundation
internal import Scenarios

/// The folder of the corpus: `corpus` in the current folder, or else in the repository that the program was built from.
enum CorpusFolder {
  static let path: String = {
    let here = "corpus"
    if FileManager.default.fileExists(atPath: here + "/cases") { return here }
    let repository = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return repository.appending(path: "corpus").path
  }()
}

extension Fixtures {
  /// The fixtures in `corpus/sdk`.
  static let standard = Result { () throws(CaseFileError) in
    try Fixtures(folder: CorpusFolder.path + "/sdk/fixtures")
  }

  /// Reads the fixtures in a folder, together with the contract's schema.
  init(folder: String) throws(CaseFileError) {
    func source(_ name: String) throws(CaseFileError) -> Source {
      Source(name: "\(folder)/\(name)", bytes: try CaseFile.bytes("\(folder)/\(name)"))
    }
    self = try Fixtures(config: source(Self.configName), products: source(Self.productsName))
    contract = try Self.schema.get()
  }

  private static let schema = Result { () throws(CaseFileError) in
    let path = CorpusFolder.path + "/sdk/sdk-contract.schema.json"
    guard
      let schema = (try? Value.parse(json: CaseFile.bytes(path))).flatMap({ ContractSchema($0) })
    else { throw CaseFileError(message: "cannot read the schema of events, \(path)") }
    return schema
  }
}
