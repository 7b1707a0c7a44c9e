/// How functions are called: their names, and the ways of writing a call.
struct FunctionTable {
  /// One way of calling a function.
  struct Signature {
    var function: Function
    /// Numbers of operands, the receiver included.
    var operands: ClosedRange<Int>
    /// `a.name(b)`
    var asMethod: Bool
    /// `name(a, b)`
    var asFunction: Bool
  }

  private static func method(_ function: Function, _ operands: ClosedRange<Int>) -> Signature {
    Signature(function: function, operands: operands, asMethod: true, asFunction: false)
  }

  private static func function(_ function: Function, _ operands: ClosedRange<Int>) -> Signature {
    Signature(function: function, operands: operands, asMethod: false, asFunction: true)
  }

  private static func both(_ function: Function, _ operands: ClosedRange<Int>) -> Signature {
    Signature(function: function, operands: operands, asMethod: true, asFunction: true)
  }

  /// The signature under a name. Names of extension libraries contain their name space.
  static let signatures: [String: [Signature]] = {
    var table: [String: [Signature]] = [:]
    for (name, signature) in core + strings + math + lists + others + network {
      table[name, default: []].append(signature)
    }
    return table
  }()

  private static let core: [(String, Signature)] = [
    ("size", both(.size, 1...1)), ("contains", method(.contains, 2...2)),
    ("startsWith", method(.startsWith, 2...2)), ("endsWith", method(.endsWith, 2...2)),
    ("matches", both(.matches, 2...2)), ("int", function(.toInt, 1...1)),
    ("uint", function(.toUint, 1...1)), ("double", function(.toDouble, 1...1)),
    ("string", function(.toText, 1...1)), ("bytes", function(.toBytes, 1...1)),
    ("bool", function(.toBool, 1...1)), ("dyn", function(.dyn, 1...1)),
    ("type", function(.typeOf, 1...1)), ("duration", function(.toDuration, 1...1)),
    ("timestamp", function(.toTimestamp, 1...1)),
    ("getFullYear", method(.getFullYear, 1...2)), ("getMonth", method(.getMonth, 1...2)),
    ("getDayOfMonth", method(.getDayOfMonth, 1...2)), ("getDate", method(.getDate, 1...2)),
    ("getDayOfWeek", method(.getDayOfWeek, 1...2)),
    ("getDayOfYear", method(.getDayOfYear, 1...2)), ("getHours", method(.getHours, 1...2)),
    ("getMinutes", method(.getMinutes, 1...2)), ("getSeconds", method(.getSeconds, 1...2)),
    ("getMilliseconds", method(.getMilliseconds, 1...2)),
    ("optional.of", function(.optionalOf, 1...1)),
    ("optional.ofNonZeroValue", function(.optionalOfNonZeroValue, 1...1)),
    ("optional.none", function(.optionalNone, 0...0)), ("hasValue", method(.hasValue, 1...1)),
    ("value", method(.value, 1...1)), ("or", method(.or, 2...2)),
    ("orValue", method(.orValue, 2...2)), ("optional.unwrap", function(.optionalUnwrap, 1...1)),
    ("unwrapOpt", method(.optionalUnwrap, 1...1)), ("first", method(.first, 1...1)),
    ("last", method(.last, 1...1)),
  ]

  private static let strings: [(String, Signature)] = [
    ("charAt", method(.charAt, 2...2)), ("indexOf", method(.indexOf, 2...3)),
    ("lastIndexOf", method(.lastIndexOf, 2...3)), ("lowerAscii", method(.lowerAscii, 1...1)),
    ("upperAscii", method(.upperAscii, 1...1)), ("replace", method(.replace, 3...4)),
    ("split", method(.split, 2...3)), ("substring", method(.substring, 2...3)),
    ("trim", method(.trim, 1...1)), ("join", method(.join, 1...2)),
    ("strings.quote", function(.quote, 1...1)), ("reverse", method(.reverse, 1...1)),
    ("format", method(.format, 2...2)),
  ]

  private static let math: [(String, Signature)] = [
    ("math.greatest", function(.greatest, 1...255)), ("math.least", function(.least, 1...255)),
    ("math.ceil", function(.ceil, 1...1)), ("math.floor", function(.floor, 1...1)),
    ("math.round", function(.round, 1...1)), ("math.trunc", function(.trunc, 1...1)),
    ("math.abs", function(.abs, 1...1)), ("math.sign", function(.sign, 1...1)),
    ("math.isNaN", function(.isNaN, 1...1)), ("math.isInf", function(.isInf, 1...1)),
    ("math.isFinite", function(.isFinite, 1...1)), ("math.sqrt", function(.sqrt, 1...1)),
    ("math.bitAnd", function(.bitAnd, 2...2)), ("math.bitOr", function(.bitOr, 2...2)),
    ("math.bitXor", function(.bitXor, 2...2)), ("math.bitNot", function(.bitNot, 1...1)),
    ("math.bitShiftLeft", function(.bitShiftLeft, 2...2)),
    ("math.bitShiftRight", function(.bitShiftRight, 2...2)),
  ]

  private static let lists: [(String, Signature)] = [
    ("lists.range", function(.range, 1...1)), ("slice", method(.slice, 3...3)),
    ("flatten", method(.flatten, 1...2)), ("sort", method(.sort, 1...1)),
    ("distinct", method(.distinct, 1...1)),
    ("sets.contains", function(.setContains, 2...2)),
    ("sets.equivalent", function(.setEquivalent, 2...2)),
    ("sets.intersects", function(.setIntersects, 2...2)),
  ]

  private static let others: [(String, Signature)] = [
    ("base64.encode", function(.base64Encode, 1...1)),
    ("base64.decode", function(.base64Decode, 1...1)),
    ("regex.replace", function(.regexReplace, 3...4)),
    ("regex.extract", function(.regexExtract, 2...2)),
    ("regex.extractAll", function(.regexExtractAll, 2...2)),
    ("version", function(.version, 1...1)), ("date", function(.date, 1...2)),
    ("days", function(.days, 1...1)), ("startOfDay", method(.startOfDay, 1...2)),
    ("addDays", method(.addDays, 2...3)), ("addMonths", method(.addMonths, 2...3)),
    ("daysUntil", method(.daysUntil, 2...3)),
  ]

  private static let network: [(String, Signature)] = [
    ("ip", function(.ip, 1...1)), ("ip", method(.ipOfCIDR, 1...1)),
    ("cidr", function(.cidr, 1...1)), ("isIP", function(.isIP, 1...1)),
    ("isCIDR", function(.isCIDR, 1...1)), ("ip.isCanonical", function(.isCanonicalIP, 1...1)),
    ("family", method(.ipFamily, 1...1)), ("isUnspecified", method(.isUnspecified, 1...1)),
    ("isLoopback", method(.isLoopback, 1...1)),
    ("isGlobalUnicast", method(.isGlobalUnicast, 1...1)),
    ("isLinkLocalMulticast", method(.isLinkLocalMulticast, 1...1)),
    ("isLinkLocalUnicast", method(.isLinkLocalUnicast, 1...1)),
    ("containsIP", method(.containsIP, 2...2)), ("containsCIDR", method(.containsCIDR, 2...2)),
    ("masked", method(.masked, 1...1)), ("prefixLength", method(.prefixLength, 1...1)),
  ]

  /// How a call of a function with so many operands is written.
  static func name(of function: Function, operands: Int) -> (name: String, isMethod: Bool)? {
    let all = core + strings + math + lists + others + network
    let known = all.first {
      $0.1.function == function && $0.1.operands.contains(operands)
    }
    return known.map { ($0.0, $0.1.asMethod) }
  }

  /// How to write a call of a known name, for messages.
  static func usage(_ name: String) -> String {
    let letters = ["a", "b", "c", "d"]
    let ways = (signatures[name] ?? []).flatMap { signature -> [String] in
      let operands = letters.prefix(signature.operands.lowerBound)
      let method = "a.\(name)(\(operands.dropFirst().joined(separator: ", ")))"
      let function = "\(name)(\(operands.joined(separator: ", ")))"
      return (signature.asMethod ? [method] : []) + (signature.asFunction ? [function] : [])
    }
    return ways.joined(separator: " or ")
  }
}

extension FunctionTable {
  /// Questions about the history of events, as rules for Superwall's SDKs ask them.
  static let history: Set<String> = [
    "minutesSince", "hoursSince", "daysSince", "monthsSince", "yearsSince", "placementsInHour",
    "placementsInDay", "placementsInWeek", "placementsInMonth", "placementsSinceInstall",
    "reviewRequestsInHour", "reviewRequestsInDay", "reviewRequestsInWeek",
    "reviewRequestsInMonth", "reviewRequestsInYear", "reviewRequestsSinceInstall",
  ]
}
