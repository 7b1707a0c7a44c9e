import Expressions
import Foundation
import Pricing
import RuleEngine
import Testing

@testable import RuleInsight

/// The texts of `corpus/claims`: planted claims are found with their line and product, and in honest
/// texts nothing is.
@Suite struct ClaimCorpusTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus/claims")

  static func json(_ name: String) -> Value {
    let bytes = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
    return (try? Value.parse(json: bytes)) ?? .null
  }

  private struct Case: CustomTestStringConvertible, Sendable {
    var id: String
    var text: String
    var products: String
    var locale: String?
    var profile: PricingProfile?
    /// Whether users may have offers; nil for both.
    var isEligible: Bool?
    var isHTML: Bool
    /// `CODE LINE PRODUCT`
    var expected: [String]

    var testDescription: String { id }
  }

  private static let cases: [Case] = {
    guard case .list(let values) = json("texts.json") else { return [] }
    return values.map { value in
      var expected: [String] = []
      if case .list(let entries)? = value["expect"] {
        expected = entries.map {
          "\($0["code"]?.text ?? "") \($0["line"]?.json ?? "") \($0["product"]?.text ?? "")"
        }
      }
      return Case(
        id: value["id"]?.text ?? "", text: value["text"]?.text ?? "",
        products: value["products"]?.text ?? "", locale: value["locale"]?.text,
        profile: value["profile"]?.text.flatMap(PricingProfile.init(rawValue:)),
        isEligible: value["eligible"]?.text.map { $0 == "yes" },
        isHTML: value["html"] == .bool(true), expected: expected)
    }
  }()

  private static let products: [String: ProductList] = {
    var lists: [String: ProductList] = [:]
    for member in json("products.json").members ?? [] {
      lists[member.key] = ProductList.decode(json: member.value.json.utf8).output
    }
    return lists
  }()

  @Test func hasEnoughCases() {
    #expect(Self.cases.count { $0.expected.isEmpty } >= 60)
    #expect(Self.cases.count { !$0.expected.isEmpty } >= 60)
    #expect(Self.products.count > 10)
  }

  @Test(arguments: cases)
  private func claims(testCase: Case) throws {
    let products = try #require(Self.products[testCase.products]?.products)
    let environment = TemplateEnvironment(isHTML: testCase.isHTML)
    let analysis = environment.analyze(testCase.text)
    let check = ClaimCheck(
      products: products, profile: testCase.profile, locales: [testCase.locale],
      now: 1_772_366_400_000, environment: environment, isEligible: testCase.isEligible)
    let result = check.check([testCase.text])[0]
    let found =
      ClaimFindings.diagnostics(result, in: testCase.text)
      + TextTypes.diagnostics(analysis, profile: testCase.profile)
    let lines = found.filter { $0.severity != .note }.flatMap { diagnostic -> [String] in
      let line = SourcePosition(offset: diagnostic.range?.from ?? 0, in: testCase.text.utf8).line
      let text = diagnostic.message + diagnostic.notes.joined()
      let named = products.map { $0.fullIdentifier ?? $0.identifier }.filter(text.contains)
      return (named.isEmpty || diagnostic.code == .typeError ? [""] : named).map {
        "\(diagnostic.code.rawValue) \(line) \($0)"
      }
    }
    if testCase.expected.isEmpty {
      #expect(lines.isEmpty, "\(testCase.text)\n\(found.map(\.message))")
    } else {
      for expected in testCase.expected {
        #expect(lines.contains(expected), "\(testCase.text)\n\(lines) \(found.map(\.message))")
      }
    }
  }

  /// The tables are the file, letter by letter, so that ports can read it.
  @Test func tablesAreTheFile() throws {
    let file = try String(contentsOf: Self.folder.appending(path: "words.json"), encoding: .utf8)
    #expect(ClaimWordTable.json + "\n" == file)
    #expect(ClaimWords.known.codes.count == 12)
  }
}
