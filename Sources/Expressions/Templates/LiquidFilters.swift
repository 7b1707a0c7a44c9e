/// The filters by name, with their arguments.
struct LiquidFilters: Sendable {
  // SAFETY: Views of names are hashed and compared inside the closure or call that they are passed
  // to. Tests: RenderingTests.

  struct Filter: Sendable {
    var name: String
    var function: LiquidFunction
    /// The numbers of arguments that Ruby's implementation accepts.
    var arguments: ClosedRange<Int>
    /// The names of the named arguments, which follow the unnamed arguments.
    var keywords: [String] = []
    var availability = Availability.everywhere
    /// An additional operand of the function: the unit of `date_add_hours`.
    var unit: LiquidTimeUnit?
  }

  enum Availability {
    case everywhere, ruby, javaScript, own
  }

  let filters: [Filter]
  private let table: InternTable

  static let all = LiquidFilters()

  private init() {
    filters =
      LiquidFilters.numbers + LiquidFilters.texts + LiquidFilters.lists + LiquidFilters.others
      + LiquidFilters.own
    var table = InternTable()
    for filter in filters {
      var name = filter.name
      _ = table.insert(name.withUTF8 { InternTable.combine(0, $0) })
    }
    self.table = table
  }

  /// The place of a filter, or nil if the dialect does not have it.
  func place(of name: ByteView, in dialect: TemplateDialect) -> Int? {
    let hash = InternTable.combine(0, name)
    guard let place = table.find(hash, isSame: { SlotTable.isSame(filters[$0].name, name) }) else {
      return nil
    }
    switch filters[place].availability {
    case .everywhere: return place
    case .ruby: return dialect.style.isJavaScript ? nil : place
    case .javaScript: return dialect.style.isJavaScript ? place : nil
    case .own: return dialect.hasOwnFilters ? place : nil
    }
  }

  /// Whether a filter accepts this number of arguments, and passes them to its function unchanged.
  func takesArguments(_ place: Int, count: Int) -> Bool {
    guard filters[place].arguments.contains(count), filters[place].keywords.isEmpty,
      filters[place].unit == nil
    else { return false }
    return true
  }

  /// The names of a dialect's filters.
  func names(in dialect: TemplateDialect) -> [String] {
    filters.map { $0.name }.filter { name in
      var name = name
      return name.withUTF8 { place(of: $0, in: dialect) } != nil
    }
  }

  private static func filter(
    _ name: String, _ function: LiquidFunction, _ arguments: ClosedRange<Int>,
    _ availability: Availability = .everywhere, keywords: [String] = []
  ) -> Filter {
    Filter(
      name: name, function: function, arguments: arguments, keywords: keywords,
      availability: availability)
  }

  private static let numbers = [
    filter("abs", .abs, 0...0), filter("at_least", .atLeast, 1...1),
    filter("at_most", .atMost, 1...1), filter("ceil", .ceil, 0...0),
    filter("divided_by", .dividedBy, 1...1), filter("floor", .floor, 0...0),
    filter("minus", .minus, 1...1), filter("modulo", .modulo, 1...1), filter("plus", .plus, 1...1),
    filter("round", .round, 0...1), filter("times", .times, 1...1),
    filter("to_integer", .toNumber, 0...0, .javaScript),
  ]

  private static let texts = [
    filter("append", .append, 1...1), filter("capitalize", .capitalize, 0...0),
    filter("downcase", .downcase, 0...0), filter("escape", .escape, 0...0),
    filter("h", .escape, 0...0, .ruby), filter("xml_escape", .escape, 0...0, .javaScript),
    filter("escape_once", .escapeOnce, 0...0), filter("unescape", .unescape, 0...0, .javaScript),
    filter("lstrip", .lstrip, 0...0), filter("newline_to_br", .newlineToBreak, 0...0),
    filter("prepend", .prepend, 1...1), filter("remove", .remove, 1...1),
    filter("remove_first", .removeFirst, 1...1), filter("remove_last", .removeLast, 1...1),
    filter("replace", .replace, 1...2), filter("replace_first", .replaceFirst, 1...2),
    filter("replace_last", .replaceLast, 2...2), filter("rstrip", .rstrip, 0...0),
    filter("slice", .slice, 1...2), filter("split", .split, 1...1), filter("strip", .strip, 0...0),
    filter("strip_html", .stripHTML, 0...0), filter("strip_newlines", .stripNewlines, 0...0),
    filter("truncate", .truncate, 0...2), filter("truncatewords", .truncateWords, 0...2),
    filter("upcase", .upcase, 0...0), filter("url_decode", .urlDecode, 0...0),
    filter("url_encode", .urlEncode, 0...0), filter("base64_encode", .base64Encode, 0...0),
    filter("base64_decode", .base64Decode, 0...0),
    filter("base64_url_safe_encode", .base64URLEncode, 0...0, .ruby),
    filter("base64_url_safe_decode", .base64URLDecode, 0...0, .ruby),
    filter("json", .json, 0...1, .javaScript), filter("jsonify", .json, 0...0, .javaScript),
  ]

  private static let lists = [
    filter("compact", .compact, 0...1), filter("concat", .concat, 1...1),
    filter("find", .find, 1...2), filter("find_index", .findIndex, 1...2),
    filter("first", .first, 0...0), filter("has", .has, 1...2), filter("join", .join, 0...1),
    filter("last", .last, 0...0), filter("map", .map, 1...1), filter("reject", .reject, 1...2),
    filter("reverse", .reverse, 0...0), filter("size", .size, 0...0), filter("sort", .sort, 0...1),
    filter("sort_natural", .sortNatural, 0...1), filter("sum", .sum, 0...1),
    filter("uniq", .uniq, 0...1), filter("where", .where, 1...2),
    filter("push", .push, 1...1, .javaScript), filter("unshift", .unshift, 1...1, .javaScript),
    filter("pop", .pop, 0...0, .javaScript), filter("shift", .shift, 0...0, .javaScript),
  ]

  private static let others = [
    filter("date", .date, 1...1),
    filter("default", .defaultValue, 0...1, keywords: ["allow_false"]),
    filter("raw", .firstArgument, 0...0, .javaScript),
  ]

  private static let own: [Filter] = {
    var filters = [
      filter("date_add", .dateAdd, 1...2, .own),
      filter("date_subtract", .dateSubtract, 1...2, .own),
      filter("countdown_from", .countdownFrom, 1...4, .own),
      filter("locale", .locale, 1...1, .own),
      filter("money", .money, 0...2, .own, keywords: ["currency", "locale"]),
      filter(
        "plural", .plural, 0...2, .own,
        keywords: ["zero", "one", "two", "few", "many", "other", "locale"]),
    ]
    for unit in LiquidTimeUnit.allCases {
      var add = filter("date_add_\(unit)", .dateAdd, 1...1, .own)
      var subtract = filter("date_subtract_\(unit)", .dateSubtract, 1...1, .own)
      add.unit = unit
      subtract.unit = unit
      filters += [add, subtract]
      for kind in ["partial", "total"] {
        var countdown = filter("countdown_\(unit)_\(kind)", .countdownUnit, 1...1, .own)
        countdown.unit = unit
        filters.append(countdown)
      }
    }
    return filters
  }()
}

/// The kinds of values that checking distinguishes.
///
/// ```swift
/// let analysis = TemplateEnvironment().analyze("{% for f in user.features %}{{ f }}{% endfor %}")
/// analysis.reads.first?.wanted.contains(TemplateType.list)  // true
/// ```
package enum TemplateType: String, Hashable, Sendable {
  case any, string, number, bool, list, object
}
