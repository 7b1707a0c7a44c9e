/// The syntax and the behavior of templates, as a set of choices. All dialects use the same parser, compiler and
/// evaluator. Other modules may define more dialects.
///
/// ```swift
/// let environment = TemplateEnvironment(dialect: .shopify)
/// environment.dialect == .liquidjs  // false
/// try environment.compile("{{ 6 | divided_by: 4.0 }}").get().render([:]).text  // "1.5"
/// ```
public struct TemplateDialect: Hashable, Sendable {
  /// The syntax of tags and outputs.
  enum Syntax: UInt8 {
    /// The syntax of Shopify's Ruby implementation.
    case ruby
    /// The syntax of liquidjs.
    case javaScript
    /// The dialect has only `{{ root.name }}`.
    case paths
  }

  /// A root of paths, and the number of names in its paths, including the root.
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
  /// Whether a wrong number of arguments for a filter is an error.
  var countsArguments = false
  /// Whether a block with only white space and assignments writes nothing.
  var dropsBlankBlocks = false
  /// Whether the dialect has filters that neither liquidjs nor Shopify has: `date_add`, countdowns, `money`, `plural`
  /// and similar ones.
  var hasOwnFilters = false
  /// The roots of the valid paths, in a dialect that only has paths.
  var roots: [Root] = []

  /// Liquid as liquidjs renders it. This is the default.
  public static let liquidjs = TemplateDialect(
    syntax: .javaScript, style: .javaScript, hasOwnFilters: true)
  /// Liquid as Shopify's implementation renders it.
  public static let shopify = TemplateDialect(
    syntax: .ruby, style: .ruby, countsArguments: true, dropsBlankBlocks: true,
    hasOwnFilters: true)

  /// A dialect that only has paths from these roots. A path that does not resolve is written unchanged.
  package static func paths(_ roots: [Root]) -> TemplateDialect {
    TemplateDialect(syntax: .paths, style: .ruby, roots: roots)
  }
}

/// How strictly templates of the dialect `shopify` are parsed. liquidjs has only one mode.
///
/// ```swift
/// let strict = TemplateEnvironment(dialect: .shopify, mode: .strict)
/// strict.mode.rawValue  // "strict"
/// ```
package enum TemplateMode: String, Hashable, Sendable, CaseIterable {
  /// Skips invalid code where Shopify's implementation skips it.
  case lax
  case strict
  case strict2
}

/// The delimiters of tags.
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

/// The resources that a template may use. Exceeding a limit is a diagnostic during compilation, and an error of kind
/// ``EvaluationError/Kind/limitExceeded`` during rendering.
///
/// ```swift
/// let small = TemplateEnvironment(limits: TemplateLimits(outputBytes: 10))
/// let rendered = try small.compile("{% for i in (1..9) %}abc{% endfor %}").get().render([:])
/// rendered.errors.map(\.kind)  // [.limitExceeded]
/// ```
public struct TemplateLimits: Hashable, Sendable {
  /// The maximum length of the source, in bytes.
  public var sourceBytes: Int
  /// The maximum nesting depth of blocks, brackets and conditions, and of templates that render others. The limit can
  /// be raised to 100.
  public var nesting: Int
  /// The maximum number of names in a path.
  public var pathNames: Int
  /// The maximum number of filters of one value.
  public var filters: Int
  /// The maximum number of variables that the tags of one template can set.
  public var variables: Int
  /// The maximum number of statements in all templates that one template includes.
  public var partialStatements: Int
  /// The maximum work of one rendering, in steps. A round of a loop takes one step, and each filter, output and
  /// reported error takes at least a part of a step. Reading lists and strings takes as many steps as in expressions.
  public var steps: Int
  /// The maximum number of bytes that one rendering writes, including captures.
  public var outputBytes: Int
  /// The maximum number of bytes in the strings and lists that one rendering creates.
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

/// The dialect, the limits and the other templates that a template is compiled with.
///
/// ```swift
/// let environment = TemplateEnvironment()
/// environment.compile("Only {{ products.primary.price }}").diagnostics.isEmpty  // true
/// ```
public struct TemplateEnvironment: Sendable {
  public var dialect: TemplateDialect
  package var delimiters: TemplateDelimiters
  package var mode: TemplateMode
  /// Whether the source is HTML. In HTML, `&lt;&lt; … &gt;&gt;` is a tag too.
  public var isHTML: Bool
  /// The other templates, by the names that `include` and `render` use.
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
