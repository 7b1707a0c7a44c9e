/// A way of writing templates, as a table of choices. There is one parser, one compiler and one
/// evaluator for all of them.
///
/// ```swift
/// TemplateDialect(named: "shopify") == .shopify  // true
/// TemplateEnvironment(dialect: .agentwallie).dialect.name  // "agentwallie"
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

  /// `superwall`, `shopify` or `agentwallie`.
  public var name: String {
    // Computed, so that copying a dialect counts no references.
    switch syntax {
    case .ruby: "shopify"
    case .javaScript: "superwall"
    case .paths: "agentwallie"
    }
  }
  let syntax: Syntax
  let style: LiquidStyle
  /// Whether a filter that gets too few or too many arguments is an error.
  var countsArguments: Bool
  /// Whether a block that holds nothing but white space and assignments writes nothing.
  var dropsBlankBlocks: Bool
  /// Whether the filters of Superwall's editor, and `money` and `plural`, are there.
  var hasOwnFilters: Bool

  /// Liquid as liquidjs renders it, with the filters of Superwall's editor. The default.
  public static let superwall = TemplateDialect(
    syntax: .javaScript, style: .javaScript, countsArguments: false,
    dropsBlankBlocks: false, hasOwnFilters: true)
  /// Liquid as Shopify's implementation renders it.
  public static let shopify = TemplateDialect(
    syntax: .ruby, style: .ruby, countsArguments: true, dropsBlankBlocks: true,
    hasOwnFilters: true)
  /// Paths only; what does not resolve stays in the text as it is written.
  public static let agentwallie = TemplateDialect(
    syntax: .paths, style: .ruby, countsArguments: false,
    dropsBlankBlocks: false, hasOwnFilters: false)

  public static let all = [superwall, shopify, agentwallie]

  /// The dialect with a name, or nil.
  public init?(named name: String) {
    guard let dialect = TemplateDialect.all.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  private init(
    syntax: Syntax, style: LiquidStyle, countsArguments: Bool,
    dropsBlankBlocks: Bool, hasOwnFilters: Bool
  ) {
    self.syntax = syntax
    self.style = style
    self.countsArguments = countsArguments
    self.dropsBlankBlocks = dropsBlankBlocks
    self.hasOwnFilters = hasOwnFilters
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
    dialect: TemplateDialect = .superwall, isHTML: Bool = false, templates: [String: String] = [:],
    limits: TemplateLimits = TemplateLimits()
  ) {
    self.init(
      dialect: dialect, delimiters: .both, mode: .lax, isHTML: isHTML, templates: templates,
      limits: limits)
  }

  package init(
    dialect: TemplateDialect = .superwall, delimiters: TemplateDelimiters = .both,
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
