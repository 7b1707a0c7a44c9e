extension Function {
  /// What a function belongs to.
  enum Family: Hashable {
    /// Tests of a text with an instruction of their own.
    case textTests(TextTest)
    case collections, conversions, time, optionals, strings, math, lists, sets, encoders, regex
    case network, versions, dates
    /// superscript: its functions, what gives its operand or fails, and tests.
    case superscript, requirements, superscriptTests
    /// The app's.
    case custom
  }

  enum TextTest { case contains, startsWith, endsWith, matches }

  /// How a function goes through its operands.
  enum Work {
    /// Each element and each byte once.
    case once
    /// Each element of one may be compared with each of another.
    case pairs
  }

  /// What is known of a function but for what it does.
  struct Row {
    var family: Family
    /// The name in `name(a, b)`; nil when it cannot be called like this. Names of extension libraries
    /// contain their name space.
    var function: StaticString?
    /// The name in `a.name(b)`.
    var method: StaticString?
    /// Numbers of operands, the receiver included.
    var operands: ClosedRange<Int>
    /// What it takes from the steps of an evaluation, beside what patterns take.
    var work: Work
    /// Whether a call on constants is worked out beforehand, if ``Calls`` can do so.
    var folds: Bool
    /// Whether superscript's `hasFn` knows it.
    var isAnnounced: Bool

    @inline(__always)
    init(
      _ family: Family, function: StaticString? = nil, method: StaticString? = nil,
      operands: ClosedRange<Int> = 1...1, work: Work = .once, folds: Bool = true,
      isAnnounced: Bool = false
    ) {
      self.family = family
      self.function = function
      self.method = method
      self.operands = operands
      self.work = work
      self.folds = folds
      self.isAnnounced = isAnnounced
    }
  }

  /// The table of functions. It is inlined, so that asking for one column costs no more than a
  /// switch.
  @inline(__always)
  var row: Row {
    switch self {
    case .size: Row(.collections, function: "size", method: "size")
    case .contains: Row(.textTests(.contains), method: "contains", operands: 2...2)
    case .startsWith: Row(.textTests(.startsWith), method: "startsWith", operands: 2...2)
    case .endsWith: Row(.textTests(.endsWith), method: "endsWith", operands: 2...2)
    case .matches:
      Row(.textTests(.matches), function: "matches", method: "matches", operands: 2...2)
    case .toInt: Row(.conversions, function: "int")
    case .toUint: Row(.conversions, function: "uint")
    case .toDouble: Row(.conversions, function: "double")
    case .toText: Row(.conversions, function: "string")
    case .toBytes: Row(.conversions, function: "bytes")
    case .toBool: Row(.conversions, function: "bool")
    case .dyn: Row(.conversions, function: "dyn")
    case .typeOf: Row(.conversions, function: "type")
    case .toDuration: Row(.conversions, function: "duration")
    case .toTimestamp: Row(.conversions, function: "timestamp")
    case .getFullYear: Row(.time, method: "getFullYear", operands: 1...2)
    case .getMonth: Row(.time, method: "getMonth", operands: 1...2)
    case .getDayOfMonth: Row(.time, method: "getDayOfMonth", operands: 1...2)
    case .getDate: Row(.time, method: "getDate", operands: 1...2)
    case .getDayOfWeek: Row(.time, method: "getDayOfWeek", operands: 1...2)
    case .getDayOfYear: Row(.time, method: "getDayOfYear", operands: 1...2)
    case .getHours: Row(.time, method: "getHours", operands: 1...2)
    case .getMinutes: Row(.time, method: "getMinutes", operands: 1...2)
    case .getSeconds: Row(.time, method: "getSeconds", operands: 1...2)
    case .getMilliseconds: Row(.time, method: "getMilliseconds", operands: 1...2)
    case .optionalOf: Row(.optionals, function: "optional.of", folds: false)
    case .optionalOfNonZeroValue: Row(.optionals, function: "optional.ofNonZeroValue", folds: false)
    case .optionalNone: Row(.optionals, function: "optional.none", operands: 0...0, folds: false)
    case .hasValue: Row(.optionals, method: "hasValue")
    case .value: Row(.optionals, method: "value")
    case .or: Row(.optionals, method: "or", operands: 2...2)
    case .orValue: Row(.optionals, method: "orValue", operands: 2...2)
    case .optionalSelect: Row(.optionals, operands: 2...2)
    case .optionalIndex: Row(.optionals, operands: 2...2)
    case .optionalUnwrap: Row(.optionals, function: "optional.unwrap", method: "unwrapOpt")
    case .first: Row(.optionals, method: "first")
    case .last: Row(.optionals, method: "last")
    case .charAt: Row(.strings, method: "charAt", operands: 2...2)
    case .indexOf: Row(.strings, method: "indexOf", operands: 2...3)
    case .lastIndexOf: Row(.strings, method: "lastIndexOf", operands: 2...3)
    case .lowerAscii: Row(.strings, method: "lowerAscii")
    case .upperAscii: Row(.strings, method: "upperAscii")
    case .replace: Row(.strings, method: "replace", operands: 3...4)
    case .split: Row(.strings, method: "split", operands: 2...3)
    case .substring: Row(.strings, method: "substring", operands: 2...3)
    case .trim: Row(.strings, method: "trim")
    case .join: Row(.strings, method: "join", operands: 1...2)
    case .quote: Row(.strings, function: "strings.quote")
    case .reverse: Row(.strings, method: "reverse")
    case .format: Row(.strings, method: "format", operands: 2...2)
    case .greatest: Row(.math, function: "math.greatest", operands: 1...255)
    case .least: Row(.math, function: "math.least", operands: 1...255)
    case .ceil: Row(.math, function: "math.ceil")
    case .floor: Row(.math, function: "math.floor")
    case .round: Row(.math, function: "math.round")
    case .trunc: Row(.math, function: "math.trunc")
    case .abs: Row(.math, function: "math.abs")
    case .sign: Row(.math, function: "math.sign")
    case .isNaN: Row(.math, function: "math.isNaN")
    case .isInf: Row(.math, function: "math.isInf")
    case .isFinite: Row(.math, function: "math.isFinite")
    case .sqrt: Row(.math, function: "math.sqrt")
    case .bitAnd: Row(.math, function: "math.bitAnd", operands: 2...2)
    case .bitOr: Row(.math, function: "math.bitOr", operands: 2...2)
    case .bitXor: Row(.math, function: "math.bitXor", operands: 2...2)
    case .bitNot: Row(.math, function: "math.bitNot")
    case .bitShiftLeft: Row(.math, function: "math.bitShiftLeft", operands: 2...2)
    case .bitShiftRight: Row(.math, function: "math.bitShiftRight", operands: 2...2)
    case .range: Row(.lists, function: "lists.range")
    case .slice: Row(.lists, method: "slice", operands: 3...3)
    case .flatten: Row(.lists, method: "flatten", operands: 1...2)
    case .sort: Row(.lists, method: "sort")
    case .distinct: Row(.lists, method: "distinct")
    case .sortByKeys: Row(.lists, operands: 2...2)
    case .setContains: Row(.sets, function: "sets.contains", operands: 2...2)
    case .setEquivalent: Row(.sets, function: "sets.equivalent", operands: 2...2)
    case .setIntersects: Row(.sets, function: "sets.intersects", operands: 2...2)
    case .base64Encode: Row(.encoders, function: "base64.encode")
    case .base64Decode: Row(.encoders, function: "base64.decode")
    case .regexReplace: Row(.regex, function: "regex.replace", operands: 3...4)
    case .regexExtract: Row(.regex, function: "regex.extract", operands: 2...2)
    case .regexExtractAll: Row(.regex, function: "regex.extractAll", operands: 2...2)
    case .ip: Row(.network, function: "ip")
    case .cidr: Row(.network, function: "cidr")
    case .isIP: Row(.network, function: "isIP")
    case .isCIDR: Row(.network, function: "isCIDR")
    case .isCanonicalIP: Row(.network, function: "ip.isCanonical")
    case .ipFamily: Row(.network, method: "family")
    case .isUnspecified: Row(.network, method: "isUnspecified")
    case .isLoopback: Row(.network, method: "isLoopback")
    case .isGlobalUnicast: Row(.network, method: "isGlobalUnicast")
    case .isLinkLocalMulticast: Row(.network, method: "isLinkLocalMulticast")
    case .isLinkLocalUnicast: Row(.network, method: "isLinkLocalUnicast")
    case .containsIP: Row(.network, method: "containsIP", operands: 2...2)
    case .containsCIDR: Row(.network, method: "containsCIDR", operands: 2...2)
    case .ipOfCIDR: Row(.network, method: "ip")
    case .masked: Row(.network, method: "masked")
    case .prefixLength: Row(.network, method: "prefixLength")
    case .version: Row(.versions, function: "version")
    case .date: Row(.dates, function: "date", operands: 1...2)
    case .days: Row(.dates, function: "days")
    case .startOfDay: Row(.dates, method: "startOfDay", operands: 1...2)
    case .addDays: Row(.dates, method: "addDays", operands: 2...3)
    case .addMonths: Row(.dates, method: "addMonths", operands: 2...3)
    case .daysUntil: Row(.dates, method: "daysUntil", operands: 2...3)
    case .isWithin: Row(.superscriptTests, operands: 2...2, work: .pairs)
    case .containsAnything: Row(.superscriptTests, operands: 2...2, work: .pairs)
    case .requireText: Row(.requirements)
    case .requireList: Row(.requirements)
    case .requireKey: Row(.requirements)
    case .sameNumber: Row(.requirements)
    case .negateWrapping: Row(.superscript)
    case .byteSize: Row(.superscript, function: "size")
    case .toIntTruncating: Row(.superscript, function: "int", method: "int")
    case .toUintTruncating: Row(.superscript, function: "uint", method: "uint")
    case .toDoubleParsing: Row(.superscript, function: "double", method: "double")
    case .toPlainText: Row(.superscript, function: "string", method: "string")
    case .textToBytes: Row(.superscript, function: "bytes")
    case .textToDuration: Row(.superscript, function: "duration")
    case .textToTimestamp: Row(.superscript, function: "timestamp")
    case .intToText:
      Row(.superscript, function: "intToString", method: "intToString", isAnnounced: true)
    case .uintToText:
      Row(.superscript, function: "uintToString", method: "uintToString", isAnnounced: true)
    case .doubleToText:
      Row(.superscript, function: "floatToString", method: "floatToString", isAnnounced: true)
    case .boolToText:
      Row(.superscript, function: "boolToString", method: "boolToString", isAnnounced: true)
    case .greatestOf: Row(.superscript, function: "max", operands: 0...255)
    case .indexOrNull: Row(.superscript, operands: 2...2)
    case .overlay: Row(.superscript, operands: 2...2)
    case .answerFor: Row(.superscript, operands: 3...3)
    case .superscriptTruth: Row(.superscript)
    case .custom: Row(.custom, operands: 1...255)
    }
  }

  /// The test of a text that it is, if it is one.
  var textTest: TextTest? {
    guard case .textTests(let test) = row.family else { return nil }
    return test
  }

  /// How a call is written in texts that the program makes; nil for what expressions cannot call.
  var notation: (name: String, isMethod: Bool)? {
    let row = row
    guard let name = (row.function ?? row.method)?.description else { return nil }
    return (name, row.method?.description == name)
  }
}
