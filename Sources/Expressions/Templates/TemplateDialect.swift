/// A way of writing templates, as a table of choices. There is one parser, one compiler and one
/// evaluator for all of them; what uses the language may declare further dialects.
///
/// ```swift
/// let environment = TemplateEnvironment(dialect: .shopify)
/// environment.dialect == .liquidjs  // false
/// try environment.compile("{{ 6 | divided_by: 4.0 }}").get().render([:]).text  // "1.5"
/// ```
public struct TemplateDialect: Hashable, Sendable {
  /// How tags and outputs are written.
  enum Syntax: UInt8 {
    /// As Shopify's Ruby implementation reads them.
    case ruby
    /// As liquidjs reads them.
    case javaScript
    /// `{{ root.name }}` and nothing else.
    case paths
  }

  /// A root of paths, and how many names a path from there has, the root included.
  package struct Root: Hashable, Sendable {
    var name: String
    var names: Int

    package init(_ name: String, names: Int) {
      self.name = name
      self.names = names
    }
  }

  let syntax: Syntax
  let style: LiquidStyle
  /// Whether a filter that gets too few or too many arguments is an error.
  var countsArguments = false
  /// Whether a block that holds nothing but white space and assignments writes nothing.
  var dropsBlankBlocks = false
  /// Whether the filters that neither implementation has are there: `date_add`, countdowns, `money`,
  /// `plural` and their like.
  var hasOwnFilters = false
  /// The paths that there are, where there is nothing but paths.
  var roots: [Root] = []

  /// Liquid as liquidjs renders it. The default.
  public static let liquidjs = TemplateDialect(
    syntax: .javaScript, style: .javaScript, hasOwnFilters: true)
  /// Liquid as Shopify's implementation renders it.
  public static let shopify = TemplateDialect(
    syntax: .ruby, style: .ruby, countsArguments: true, dropsBlankBlocks: true,
    hasOwnFilters: true)

  /// Paths from these roots only; what does not resolve stays in the text as it is written.
  package static func paths(_ roots: [Root]) -> TemplateDialect {
    TemplateDialect(syntax: .paths, style: .ruby, roots: roots)
  }
}

/// How strictly templates of the dialect `shopify` are read. liquidjs has one way only.
///
/// ```swift
/// let strict = TemplateEnvironment(dialect: .shopify, mode: .strict)
/// strict.mode.rawValue  // "strict"
/// ```
package enum TemplateMode: String, Hashable, Sendable, CaseIterable {
  /// What cannot be understood is passed over where Shopify's implementation does so.
  case lax
  case strict
  case strict2
}

/// The delimiters that a text may have.
///
/// ```swift
/// let angles = TemplateEnvironment(delimiters: .angles)
/// try angles.compile("<< a >> {{ a }}").get().render(["a": 1]).text  // "1 {{ a }}"
/// ```
package enum TemplateDelimiters: String, Hashable, Sendable, CaseIterable {
  /// `{{ }}` and `{% %}`.
  case braces
  /// `<< >>` and `<% %>`.
  case angles
  case both
}

/// How much a template may take. Passing a limit is a diagnostic while compiling and an error of
/// kind ``EvaluationError/Kind/limitExceeded`` while rendering.
///
/// ```swift
/// let small = TemplateEnvironment(limits: TemplateLimits(outputBytes: 10))
/// let rendered = try small.compile("{% for i in (1..9) %}abc{% endfor %}").get().render([:])
/// rendered.errors.map(\.kind)  // [.limitExceeded]
/// ```
public struct TemplateLimits: Hashable, Sendable {
  /// Bytes of source text.
  public var sourceBytes: Int
  /// Depth of nested blocks, brackets and conditions, and of templates that render others; at most
  /// 100 is honoured.
  public var nesting: Int
  /// Names of a path.
  public var pathNames: Int
  /// Filters behind one value.
  public var filters: Int
  /// Names that tags of one template write.
  public var variables: Int
  /// Statements of other templates that are compiled into one.
  public var partialStatements: Int
  /// Work of one rendering: every round of a loop takes 1, every filter, output and report at least
  /// a part of 1, and going through lists and texts as much as with expressions.
  public var steps: Int
  /// Bytes that one rendering may write, captures included.
  public var outputBytes: Int
  /// Bytes of texts and lists that one rendering may make.
  public var memoryBytes: Int

  public init(
    sourceBytes: Int = 100_000, nesting: Int = 100, pathNames: Int = 100, filters: Int = 100,
    variables: Int = 1_000, partialStatements: Int = 20_000, steps: Int = 100_000,
    outputBytes: Int = 1 << 20,
    memoryBytes: Int = 4 << 20
  ) {
    self.sourceBytes = sourceBytes
    self.nesting = min(max(nesting, 1), 100)
    self.pathNames = pathNames
    self.filters = min(max(filters, 0), 200)
    self.variables = max(variables, 0)
    self.partialStatements = partialStatements
    self.steps = max(steps, 0)
    self.outputBytes = outputBytes
    self.memoryBytes = memoryBytes
  }
}

/// What a template is compiled for.
///
/// ```swift
/// let environment = TemplateEnvironment()
/// environment.compile("Only {{ products.primary.price }}").diagnostics.isEmpty  // true
/// ```
public struct TemplateEnvironment: Sendable {
  public var dialect: TemplateDialect
  package var delimiters: TemplateDelimiters
  package var mode: TemplateMode
  /// Whether the source is HTML, so that `&lt;&lt; … &gt;&gt;` is a tag as well.
  public var isHTML: Bool
  /// Templates by the names with which `include` and `render` find them.
  public var templates: [String: String]
  public var limits: TemplateLimits

  public init(
    dialect: TemplateDialect = .liquidjs, isHTML: Bool = false, templates: [String: String] = [:],
    limits: TemplateLimits = TemplateLimits()
  ) {
    self.init(
      dialect: dialect, delimiters: .both, mode: .lax, isHTML: isHTML, templates: templates,
      limits: limits)
  }

  package init(
    dialect: TemplateDialect = .liquidjs, delimiters: TemplateDelimiters = .both,
    mode: TemplateMode = .lax, isHTML: Bool = false, templates: [String: String] = [:],
    limits: TemplateLimits = TemplateLimits()
  ) {
    self.dialect = dialect
    self.delimiters = delimiters
    self.mode = mode
    self.isHTML = isHTML
    self.templates = templates
    self.limits = limits
  }
}
