/// Texts that grow without end in one direction each.
enum NestingShapes {
  /// What every shape is made of: `open` and `close` are repeated around the middle.
  private static let pairs: [(open: String, middle: String, close: String)] = [
    ("(", "1", ")"), ("!", "true", ""), ("! ", "true", ""), ("-", "1", ""), ("- ", "1", ""),
    ("!(", "true", ")"), ("[", "1", "]"), ("{1:", "1", "}"), ("size(", "'a'", ")"),
    ("[1].map(x,", "1", ")"), ("has(", "user.a", ")"), ("a{b:", "1", "}"), ("user[", "1", "]"),
    ("true?1:", "1", ""), ("true?", "1", ":1"), ("true?(", "1", "):1"), ("(true?1:", "1", ")"),
    ("1+(", "1", ")"), ("1==", "1", ""), ("1 in [", "1", "]"), ("[?", "1", "]"),
    ("not ", "true", ""),
    ("f(a,", "b", ")"), ("{'a':[", "1", "]}"), ("cel.bind(x,1,", "x", ")"),
    ("cel.bind(x,", "1", ",x)"), ("cel.block([", "1", "],1)"), ("cel.block([1],", "1", ")"),
    ("user.?a.orValue(", "1", ")"), ("user.?a.or(", "user.?a", ")"),
  ]

  /// Shapes that repeat one piece after a beginning.
  private static let chains: [(first: String, piece: String)] = [
    ("true", "&&true"), ("true", "||true"), ("user.b", " && user.b"), ("1", "+1"), ("1", "-1"),
    ("user.i", "+user.i"), ("1", "==1"), ("user", ".a"), ("user", "[0]"), ("user", "['a']"),
    ("user", ".a()"), ("user", ".?a"), ("true", " and true"), ("a", " a"), ("", "@"), ("", "."),
    ("", ")"), ("", "]"), ("", ","), ("", ":"), ("", "?"), ("", "="), ("", "=="), ("", "`"),
    ("", "'"),
    ("", "\""), ("", "\\"), ("", "\u{201C}"), ("", "(."), ("", "[,"), ("", "{:"), ("", "a."),
    ("", "1."),
    ("", "//"), ("", "\n"), ("", "not "), ("", "in "), ("true", "?true:true"), ("[", "1,"),
    ("{", "1:1,"),
    ("size(", "1,"), ("", "and "), ("1", "?"), ("", "!="), ("", "r'"), ("", "b"), ("", "0x"),
    ("", "1e"),
    ("cel.block([", "1,"), ("[1]", ".sortBy(x,x)"), ("user.?a", ".or(user.?a)"),
  ]

  /// Every shape with this many repetitions, complete and broken off in the middle.
  static func texts(_ count: Int) -> [String] {
    pairs.flatMap { pair in
      let open = String(repeating: pair.open, count: count)
      return [open + pair.middle + String(repeating: pair.close, count: count), open]
    } + chains.map { $0.first + String(repeating: $0.piece, count: count) }
  }
}
