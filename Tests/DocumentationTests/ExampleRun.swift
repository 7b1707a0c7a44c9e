import Expressions
import Pricing
import RuleEngine
import Testing

/// What the generated tests assert with. It counts, so that a result in a branch that never runs is
/// a failure.
final class ExampleRun {
  private let results: Int
  private var reached = 0

  init(results: Int) { self.results = results }

  func same<Result: Equatable>(
    _ got: Result, _ wanted: Result, at location: SourceLocation = #_sourceLocation
  ) {
    reached += 1
    #expect(got == wanted, sourceLocation: location)
  }

  func prints(_ got: some Any, _ wanted: String, at location: SourceLocation = #_sourceLocation) {
    same("\(got)", wanted, at: location)
  }

  /// Expects an evaluation error of a kind.
  func fails(
    _ slug: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
  ) {
    reached += 1
    do {
      let got = try body()
      Issue.record("gives \(got), no error", sourceLocation: location)
    } catch {
      let kind = (error as? EvaluationError)?.kind.slug ?? "\(error)"
      #expect(kind == slug, sourceLocation: location)
    }
  }

  /// Expects an expression to compile, and to equal another without a context, or to err.
  func cel(
    _ source: String, _ result: String? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let program = try #require(
      ExpressionEnvironment().compile(source).output, sourceLocation: location)
    guard let result else {
      reached += 1
      return
    }
    if result.hasPrefix("error ") {
      fails(String(result.dropFirst(6)), at: location) { try program.evaluate([:]) }
      return
    }
    let wanted = try #require(
      ExpressionEnvironment().compile(result).output, sourceLocation: location)
    same(try program.evaluate([:]), try wanted.evaluate([:]), at: location)
  }

  /// What the templates of guides are rendered for.
  static let texts: Value = {
    let json = #"""
      [{"slot":"primary","identifier":"year","price":"59.99","currency":"USD","locale":"en_US","period":"P1Y",
        "intro":{"mode":"freeTrial","unit":"day","count":7,"cycles":1,"price":"0"}},
       {"slot":"secondary","identifier":"month","price":"9.99","currency":"USD","locale":"en_US","period":"P1M"}]
      """#
    let products = ProductList.decode(json: json.utf8).output?.products ?? []
    var producer = try? AttributeProducer(.iosStoreKit2, PricingContext(now: 1_772_366_400_000))
    let attributes = products.compactMap { try? producer?.attributes(of: $0).value }
    guard attributes.count == 2 else { return .null }
    return [
      "products": [
        "primary": attributes[0], "secondary": attributes[1], "selected": attributes[0],
      ],
      "primary": attributes[0],
      "user": ["firstName": "Mara", "streak": 3, "features": ["plans", "coach"], "html": "<b>"],
    ]
  }()

  /// Expects a template to compile, and to say this.
  func liquid(
    _ template: String, _ text: String? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = TemplateEnvironment().compile(template)
    #expect(compiled.diagnostics.isEmpty, sourceLocation: location)
    let output = try #require(compiled.output, sourceLocation: location)
    let options = RenderOptions(now: 1_772_366_400_000, money: .prices)
    let rendered = try output.render(ExampleRun.texts, options)
    same(rendered.text, text ?? rendered.text, at: location)
  }

  func end(at location: SourceLocation = #_sourceLocation) {
    #expect(reached >= results, "a result was not reached", sourceLocation: location)
  }
}
