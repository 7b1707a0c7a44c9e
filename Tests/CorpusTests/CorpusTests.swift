import Foundation
import Testing

@testable import conformance

@Suite("Corpus")
struct CorpusTests {
  /// Every case file, through the code of `conformance`. How many cases there are is compared by
  /// `make test`, which runs the command with `--counts`.
  @Test(arguments: try CaseFile.paths(under: Conformance.corpus))
  func passes(file: String) {
    let result = Conformance.run(file, "--quiet")
    #expect(result.code == 0, "\(result.output)\(result.errors)")
  }
}
