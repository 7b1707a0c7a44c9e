/// The parts of a template by their places: strings, tests and computations.
///
/// ```swift
/// let analysis = TemplateEnvironment().analyze("Only {{ price | upcase }}")
/// analysis.parts.texts.count  // 1
/// analysis.parts.outputs[0].source.filters  // ["upcase"]
/// ```
package struct TemplateParts: Sendable {
  /// A read of a variable that the template itself has written, or of a loop's variable.
  package struct VariableRead: Sendable {
    package var name: String
    /// The names after the variable's name, with nil for computed names.
    package var members: [String?]
  }

  /// The origin of a value.
  package struct Source: Sendable {
    package var reads: [TemplateAnalysis.Read] = []
    package var variables: [VariableRead] = []
    /// The names of the value's filters, in the order in which they run.
    package var filters: [String] = []
    /// Whether the value is a path, before its filters.
    package var isPath = false
  }

  /// A string that is written unchanged.
  package struct Text: Sendable {
    package var range: SourceRange
    /// Paths that conditions around the string test.
    package var guards: [String]
  }

  /// A value that is written.
  package struct Output: Sendable {
    /// The range of the whole tag.
    package var range: SourceRange
    package var source: Source
  }

  /// A condition without `and` and `or`, or the subject of a case.
  package struct Test: Sendable {
    package var range: SourceRange
    package var source: Source
    /// The values of a case as written, or nil for a condition.
    package var cases: [String]?

    init(range: SourceRange, source: Source, cases: [String]? = nil) {
      self.range = range
      self.source = source
      self.cases = cases
    }
  }

  /// One side of a comparison.
  package enum Operand: Sendable {
    case read(TemplateAnalysis.Read)
    /// A number as written.
    case number(String)
    case string
    case other
  }

  /// Two values that are compared.
  package struct Comparison: Sendable {
    package var left: Operand
    package var right: Operand
    /// Whether the relation compares the order of the values.
    package var isOrder: Bool
    package var range: SourceRange
  }

  /// A path that is a number operand of a filter.
  package struct Calculation: Sendable {
    package var filter: String
    package var read: TemplateAnalysis.Read
  }

  package var texts: [Text] = []
  package var outputs: [Output] = []
  package var tests: [Test] = []
  package var comparisons: [Comparison] = []
  package var calculations: [Calculation] = []
  /// All values that the template assigns to each variable.
  package var assigned: [String: [Source]] = [:]
}
