import Expressions
import Foundation
import Scenarios
import Testing

@testable import conformance

@Suite("Companions of case files")
struct CompanionTests {
  @Test func areLookedForInOrder() throws {
    let folder = try CaseFolder()
    let support = try CaseFolder()
    func value(_ name: String) throws -> Value {
      try Companions(beside: folder.path("cases.jsonl"), support: support.path).value(name)
    }
    #expect(try value("pricing-fixtures.json")["@android-fixture"] != nil)
    try support.write("pricing-fixtures.json", "1")
    #expect(try value("pricing-fixtures.json") == 1)
    try folder.write("pricing-fixtures.json", "2")
    #expect(try value("pricing-fixtures.json") == 2)
    #expect(throws: CaseFileError.self) { try value("other.json") }
    try folder.write("other.json", "{")
    #expect(throws: CaseFileError.self) { try value("other.json") }
  }

  /// A file whose companion is nowhere ends with 2, and counts nothing as skipped.
  @Test func missingOnesAreErrors() {
    let line =
      #"{"suite":"pricing","id":"x","kind":"attributes","system":"superwall-android-play","fixture":"fixtures.json#/@nowhere","product":{"offers":"@nowhere"},"expect":{"price":"1"}}"#
    let result = Conformance.run("-", input: line)
    #expect(result.code == 2)
    #expect(result.errors.contains("pricing-fixtures.json has no '@nowhere'"))
  }
}
