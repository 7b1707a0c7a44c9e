import Foundation
import Testing

@testable import tollgate

/// The repository's root, from where this file lies.
private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

@Suite("Corpus")
struct CorpusTests {
  /// Every case file, through the code of `tollgate test`.
  @Test(arguments: try CaseFile.paths(under: root + "/corpus"))
  func passes(file: String) {
    var results = CaseResults()
    results.run(file: file)
    #expect(results.unusable.isEmpty)
    #expect(results.failed == 0, "\(results.closingLine) in \(file)")
  }

  @Test func coversWhatItClaims() throws {
    var results = CaseResults()
    for file in try CaseFile.paths(under: root + "/corpus") { results.run(file: file) }
    #expect(results.passed > 250)
  }
}
