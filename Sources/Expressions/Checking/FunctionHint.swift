/// Suggests a function for a name that other languages have.
enum FunctionHint {
  /// - Parameters:
  ///   - name: the name of the call.
  ///   - known: names of existing functions.
  static func text(_ name: String, known: [String]) -> String? {
    let meant = meanings[name.lowercased()]?.first { meaning in
      meaning.function.map(known.contains) ?? true
    }
    if let meant { return "write \(meant.usage)" }
    return Suggestion.question(about: name, among: known)
      ?? SyntaxHint.operator(called: name)
  }

  /// The replacement, and the function that it needs. The function is nil if every language has the replacement.
  private typealias Meaning = (function: String?, usage: String)

  /// The meanings by name, in lower case. The first meaning whose function exists is suggested.
  private static let meanings: [String: [Meaning]] = {
    let families: [(names: [String], meanings: [Meaning])] = [
      (
        ["tolower", "tolowercase", "lower", "lowercase", "lowercased", "downcase"],
        [("lowerAscii", "a.lowerAscii()"), ("matches", "a.matches(\"(?i)^text$\") for any case")]
      ),
      (
        ["toupper", "touppercase", "upper", "uppercase", "uppercased", "upcase"],
        [("upperAscii", "a.upperAscii()"), ("matches", "a.matches(\"(?i)^text$\") for any case")]
      ),
      (
        ["includes", "include", "containsstring", "has_substring"], [("contains", "a.contains(b)")]
      ),
      (
        ["hasprefix", "startswith", "starts_with", "beginswith"],
        [("startsWith", "a.startsWith(b)")]
      ),
      (["hassuffix", "endswith", "ends_with"], [("endsWith", "a.endsWith(b)")]),
      (
        ["match", "test", "regex", "regexp", "like", "rlike"],
        [("matches", "a.matches(pattern)")]
      ),
      (["length", "len", "count", "strlen", "char_length"], [("size", "size(a)")]),
      (["isempty", "is_empty", "empty", "isblank"], [("size", "size(a) == 0")]),
      (
        ["indexof", "find", "position"],
        [("indexOf", "a.indexOf(b)"), ("contains", "a.contains(b)")]
      ),
      (["substr", "mid"], [("substring", "a.substring(from, to)")]),
      (["strip", "trimmed"], [("trim", "a.trim()")]),
      (["parseint", "toint", "integer", "number", "tonumber"], [("int", "int(a)")]),
      (["parsefloat", "tofloat", "float", "todouble"], [("double", "double(a)")]),
      (["tostring", "str", "text"], [("string", "string(a)")]),
      (["any", "some", "anymatch"], [("exists", "list.exists(x, condition)")]),
      (["every", "allmatch"], [("all", "list.all(x, condition)")]),
      (
        [
          "isnull", "isnil", "isnone", "ifnull", "nvl", "coalesce", "isset", "defined", "isdefined",
          "containskey", "haskey", "notnull", "isnotnull",
        ], [("has", "has(user.plan) to test whether the attribute exists")]
      ),
      (["max"], [("math.greatest", "math.greatest(a, b)")]),
      (["min"], [("math.least", "math.least(a, b)")]),
      (["abs"], [("math.abs", "math.abs(a)")]),
      (["round"], [("math.round", "math.round(a)")]),
      (["floor"], [("math.floor", "math.floor(a)")]),
      (["ceil", "ceiling"], [("math.ceil", "math.ceil(a)")]),
      (["sqrt"], [("math.sqrt", "math.sqrt(a)")]),
      (["oneof", "anyof", "isin", "in"], [(nil, "a in [\"x\", \"y\"]")]),
      (["if", "iff", "iif", "cond"], [(nil, "condition ? a : b")]),
      (["concat"], [(nil, "a + b")]),
    ]
    var meanings: [String: [Meaning]] = [:]
    for family in families {
      for name in family.names { meanings[name] = family.meanings }
    }
    return meanings
  }()
}
