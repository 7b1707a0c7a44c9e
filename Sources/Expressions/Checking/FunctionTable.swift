/// The functions of the language by number. ``Calls`` has the bodies of the functions, and ``row`` has everything else.
package enum Function: UInt16, CaseIterable {
  // Tests with separate instructions.
  case size, contains, startsWith, endsWith, matches

  // Conversions.
  case toInt, toUint, toDouble, toText, toBytes, toBool, dyn, typeOf, toDuration, toTimestamp

  // Time.
  case getFullYear, getMonth, getDayOfMonth, getDate, getDayOfWeek, getDayOfYear
  case getHours, getMinutes, getSeconds, getMilliseconds

  // Optional values.
  case optionalOf, optionalOfNonZeroValue, optionalNone, hasValue, value, or, orValue
  case optionalSelect, optionalIndex, optionalUnwrap, first, last

  // Strings extension.
  case charAt, indexOf, lastIndexOf, lowerAscii, upperAscii, replace, split, substring, trim
  case join, quote, reverse, format

  // Math extension.
  case greatest, least, ceil, floor, round, trunc, abs, sign, isNaN, isInf, isFinite, sqrt
  case bitAnd, bitOr, bitXor, bitNot, bitShiftLeft, bitShiftRight

  // Lists extension.
  case range, slice, flatten, sort, distinct, sortByKeys

  // Sets extension.
  case setContains, setEquivalent, setIntersects

  // Encoders extension.
  case base64Encode, base64Decode

  // Regex extension.
  case regexReplace, regexExtract, regexExtractAll

  // Network extension.
  case ip, cidr, isIP, isCIDR, isCanonicalIP, ipFamily, isUnspecified, isLoopback
  case isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, containsIP, containsCIDR
  case ipOfCIDR, masked, prefixLength

  // Tollgate's own functions.
  case version
  case date, days, startOfDay, addDays, addMonths, daysUntil

  // superscript: tests, requirements of operands, conversions, members, answers of the host.
  case isWithin, containsAnything
  case requireText, requireList, requireKey, sameNumber, negateWrapping
  case byteSize, toIntTruncating, toUintTruncating, toDoubleParsing, toPlainText, textToBytes
  case textToDuration, textToTimestamp, intToText, uintToText, doubleToText, boolToText
  case greatestOf, indexOrNull, overlay, readNumbers, answerFor, superscriptTruth

  // The app's functions: the first operand is the number of the function.
  case custom
}

extension Function {
  /// The table of functions. The property is inlined, so that reading one column costs no more than a switch.
  @inline(__always)
  var row: Row {
    switch self {
    // MARK: Strings
    case .contains:
      Row(
        .strings, "string.contains(string) -> bool",
        "Tests whether a string contains another string.", "'teapot'.contains('pot') == true",
        use: .textTest(.contains))
    case .startsWith:
      Row(
        .strings, "string.startsWith(string) -> bool",
        "Tests whether a string starts with another string.", "'teapot'.startsWith('tea') == true",
        in: .both, use: .textTest(.startsWith))
    case .endsWith:
      Row(
        .strings, "string.endsWith(string) -> bool",
        "Tests whether a string ends with another string.", "'teapot'.endsWith('pot') == true",
        in: .both, use: .textTest(.endsWith))
    case .matches:
      Row(
        .strings, "string.matches(string) -> bool; matches(string, string) -> bool",
        "Tests whether a regular expression matches any part of a string.",
        "'user-42'.matches('[0-9]+$') == true", in: .both, use: .textTest(.matches))
    case .charAt:
      Row(
        .strings, "string.charAt(int) -> string",
        "Returns the character at a position. The first character has position 0.",
        "'tea'.charAt(1) == 'e'")
    case .indexOf:
      Row(
        .strings, "string.indexOf(string) -> int; string.indexOf(string, int) -> int",
        "Returns the first position of a substring, or -1. The search starts at the optional int.",
        "'banana'.indexOf('an', 2) == 3")
    case .lastIndexOf:
      Row(
        .strings, "string.lastIndexOf(string) -> int; string.lastIndexOf(string, int) -> int",
        "Returns the last position of a substring, or -1. The optional int is the highest position.",
        "'banana'.lastIndexOf('an') == 3")
    case .lowerAscii:
      Row(
        .strings, "string.lowerAscii() -> string",
        "Converts the letters A to Z to lower case.", "'Tea'.lowerAscii() == 'tea'")
    case .upperAscii:
      Row(
        .strings, "string.upperAscii() -> string",
        "Converts the letters a to z to upper case.", "'Tea'.upperAscii() == 'TEA'")
    case .replace:
      Row(
        .strings,
        "string.replace(string, string) -> string; string.replace(string, string, int) -> string",
        "Replaces all occurrences of a substring. The optional int limits their number.",
        "'banana'.replace('a', 'o', 2) == 'bonona'")
    case .split:
      Row(
        .strings, "string.split(string) -> list(string); string.split(string, int) -> list(string)",
        "Splits a string at a separator. The optional int limits the number of parts.",
        "'a,b,c'.split(',') == ['a', 'b', 'c']")
    case .substring:
      Row(
        .strings, "string.substring(int) -> string; string.substring(int, int) -> string",
        "Returns the characters from one position to the end, or up to another position.",
        "'teapot'.substring(3, 6) == 'pot'")
    case .trim:
      Row(
        .strings, "string.trim() -> string", "Removes white space from both ends.",
        "'  tea '.trim() == 'tea'")
    case .join:
      Row(
        .strings, "list(string).join() -> string; list(string).join(string) -> string",
        "Joins strings, with an optional separator between them.", "['a', 'b'].join('-') == 'a-b'")
    case .quote:
      Row(
        .strings, "strings.quote(string) -> string",
        "Puts a string in double quotes and escapes special characters.",
        #"strings.quote('a"b') == '"a\\"b"'"#)
    case .reverse:
      Row(
        .strings, "string.reverse() -> string; list(T).reverse() -> list(T)",
        "Reverses the characters of a string or the elements of a list.",
        "'tea'.reverse() == 'aet'")
    case .format:
      Row(
        .strings, "string.format(list(T)) -> string",
        "Formats a list of values with %s, %d, %f, %e, %b, %o, %x and %X.",
        "'%s: %.1f'.format(['tea', 2.5]) == 'tea: 2.5'")

    // MARK: Types and conversions
    case .toInt:
      Row(
        .conversions, "int(number|string|timestamp) -> int",
        "Converts to an int. Fractions are cut off. A timestamp becomes seconds since 1970.",
        "int('42') == 42")
    case .toUint:
      Row(
        .conversions, "uint(number|string) -> uint",
        "Converts to an unsigned int. Fractions are cut off.", "uint(2.7) == 2u")
    case .toDouble:
      Row(
        .conversions, "double(number|string) -> double", "Converts to a double.",
        "double('2.5') == 2.5")
    case .toText:
      Row(
        .conversions,
        "string(string|bytes|bool|number|timestamp|duration|IP|CIDR|version) -> string",
        "Converts to a string.", "string(2.5) == '2.5'")
    case .toBytes:
      Row(
        .conversions, "bytes(bytes|string) -> bytes", "Converts a string to its bytes in UTF-8.",
        "bytes('tea').size() == 3")
    case .toBool:
      Row(
        .conversions, "bool(bool|string) -> bool",
        "Converts a string such as 'true' or '0' to a bool.",
        "bool('true') == true")
    case .dyn:
      Row(
        .conversions, "dyn(T) -> T", "Returns its argument. Type checkers then allow any type.",
        "dyn(1) == 1")
    case .typeOf:
      Row(
        .conversions, "type(any) -> type", "Returns the type of a value.", "type(1) == int")
    case .toDuration:
      Row(
        .times, "duration(duration|string) -> duration",
        "Converts a string such as '1h30m' to a duration.",
        "duration('1h30m') == duration('90m')")
    case .toTimestamp:
      Row(
        .times, "timestamp(timestamp|int|string) -> timestamp",
        "Converts an RFC 3339 string, or seconds since 1970, to a timestamp.",
        "timestamp('2026-03-01T12:00:00Z') == timestamp(1772366400)")

    // MARK: Times
    case .getFullYear:
      Row(
        .times, "timestamp.getFullYear() -> int; timestamp.getFullYear(string) -> int",
        "Returns the year, in UTC or in a time zone.",
        "timestamp('2026-03-01T12:00:00Z').getFullYear() == 2026")
    case .getMonth:
      Row(
        .times, "timestamp.getMonth() -> int; timestamp.getMonth(string) -> int",
        "Returns the month, where January is 0.",
        "timestamp('2026-03-01T12:00:00Z').getMonth() == 2")
    case .getDayOfMonth:
      Row(
        .times, "timestamp.getDayOfMonth() -> int; timestamp.getDayOfMonth(string) -> int",
        "Returns the day of the month, counted from 0.",
        "timestamp('2026-03-01T12:00:00Z').getDayOfMonth() == 0")
    case .getDate:
      Row(
        .times, "timestamp.getDate() -> int; timestamp.getDate(string) -> int",
        "Returns the day of the month, counted from 1.",
        "timestamp('2026-03-01T12:00:00Z').getDate() == 1")
    case .getDayOfWeek:
      Row(
        .times, "timestamp.getDayOfWeek() -> int; timestamp.getDayOfWeek(string) -> int",
        "Returns the day of the week, where Sunday is 0.",
        "timestamp('2026-03-02T12:00:00Z').getDayOfWeek() == 1")
    case .getDayOfYear:
      Row(
        .times, "timestamp.getDayOfYear() -> int; timestamp.getDayOfYear(string) -> int",
        "Returns the day of the year, counted from 0.",
        "timestamp('2026-03-01T12:00:00Z').getDayOfYear() == 59")
    case .getHours:
      Row(
        .times,
        "timestamp.getHours() -> int; timestamp.getHours(string) -> int; duration.getHours() -> int",
        "Returns the hour of a timestamp, or the length of a duration in hours.",
        "timestamp('2026-03-01T12:00:00Z').getHours('Europe/Berlin') == 13")
    case .getMinutes:
      Row(
        .times,
        "timestamp.getMinutes() -> int; timestamp.getMinutes(string) -> int; duration.getMinutes() -> int",
        "Returns the minute of a timestamp, or the length of a duration in minutes.",
        "duration('2h5m').getMinutes() == 125")
    case .getSeconds:
      Row(
        .times,
        "timestamp.getSeconds() -> int; timestamp.getSeconds(string) -> int; duration.getSeconds() -> int",
        "Returns the second of a timestamp, or the length of a duration in seconds.",
        "duration('2m5s').getSeconds() == 125")
    case .getMilliseconds:
      Row(
        .times,
        "timestamp.getMilliseconds() -> int; timestamp.getMilliseconds(string) -> int; duration.getMilliseconds() -> int",
        "Returns the milliseconds within the second.",
        "duration('2.125s').getMilliseconds() == 125")

    // MARK: Missing values
    case .optionalOf:
      Row(
        .missing, "optional.of(T) -> optional(T)", "Wraps a value in an optional.",
        "optional.of(1).hasValue() == true", folds: false)
    case .optionalOfNonZeroValue:
      Row(
        .missing, "optional.ofNonZeroValue(T) -> optional(T)",
        "Wraps a value in an optional, which is empty for null, false, zero and empty values.",
        "optional.ofNonZeroValue('').hasValue() == false", folds: false)
    case .optionalNone:
      Row(
        .missing, "optional.none() -> optional(T)", "Returns an optional without a value.",
        "optional.none().hasValue() == false", folds: false)
    case .hasValue:
      Row(
        .missing, "optional(T).hasValue() -> bool", "Tests whether an optional has a value.",
        "{'a': 1}.?a.hasValue() == true")
    case .value:
      Row(
        .missing, "optional(T).value() -> T",
        "Returns the value of an optional. Fails if it is empty.",
        "{'a': 1}.?a.value() == 1")
    case .or:
      Row(
        .missing, "optional(T).or(optional(T)) -> optional(T)",
        "Returns the first optional if it has a value, otherwise the second optional.",
        "optional.none().or(optional.of(2)) == optional.of(2)")
    case .orValue:
      Row(
        .missing, "optional(T).orValue(T) -> T",
        "Returns the value of an optional, or another value if it is empty.",
        "{'a': 1}.?b.orValue(2) == 2")
    case .optionalSelect, .optionalIndex:
      Row(
        unnamed:
          "select(map|optional(T), any) -> optional(T); select(list(T), number) -> optional(T)")
    case .optionalUnwrap:
      Row(
        .missing,
        "optional.unwrap(list(optional(T))) -> list(T); list(optional(T)).unwrapOpt() -> list(T)",
        "Returns the values of all optionals that are not empty.",
        "[optional.of(1), optional.none()].unwrapOpt() == [1]")

    // MARK: Numbers
    case .greatest:
      Row(
        .numbers, "math.greatest(number, ...) -> number; math.greatest(list(number)) -> number",
        "Returns the greatest number.", "math.greatest(1, 2.5) == 2.5")
    case .least:
      Row(
        .numbers, "math.least(number, ...) -> number; math.least(list(number)) -> number",
        "Returns the least number.", "math.least([3, 1, 2]) == 1")
    case .ceil:
      Row(.numbers, "math.ceil(double) -> double", "Rounds up.", "math.ceil(1.2) == 2.0")
    case .floor:
      Row(.numbers, "math.floor(double) -> double", "Rounds down.", "math.floor(-1.2) == -2.0")
    case .round:
      Row(
        .numbers, "math.round(double) -> double",
        "Rounds to the nearest whole number, and halves away from zero.",
        "math.round(2.5) == 3.0")
    case .trunc:
      Row(
        .numbers, "math.trunc(double) -> double", "Cuts off the fraction.",
        "math.trunc(-1.7) == -1.0")
    case .abs:
      Row(
        .numbers, "math.abs(int) -> int; math.abs(uint) -> uint; math.abs(double) -> double",
        "Returns the number without its sign.", "math.abs(-3) == 3")
    case .sign:
      Row(
        .numbers, "math.sign(int) -> int; math.sign(uint) -> uint; math.sign(double) -> double",
        "Returns -1, 0 or 1.", "math.sign(-3) == -1")
    case .isNaN:
      Row(
        .numbers, "math.isNaN(double) -> bool", "Tests whether a double is not a number.",
        "math.isNaN(0.0 / 0.0) == true")
    case .isInf:
      Row(
        .numbers, "math.isInf(double) -> bool", "Tests whether a double is infinite.",
        "math.isInf(1.0 / 0.0) == true")
    case .isFinite:
      Row(
        .numbers, "math.isFinite(double) -> bool",
        "Tests whether a double is a finite number.",
        "math.isFinite(1.0) == true")
    case .sqrt:
      Row(
        .numbers, "math.sqrt(number) -> double", "Returns the square root.",
        "math.sqrt(81) == 9.0")
    case .bitAnd:
      Row(
        .numbers, "math.bitAnd(int, int) -> int; math.bitAnd(uint, uint) -> uint",
        "Returns the bits that are set in both numbers.", "math.bitAnd(6, 3) == 2")
    case .bitOr:
      Row(
        .numbers, "math.bitOr(int, int) -> int; math.bitOr(uint, uint) -> uint",
        "Returns the bits that are set in at least one of the numbers.", "math.bitOr(6, 3) == 7")
    case .bitXor:
      Row(
        .numbers, "math.bitXor(int, int) -> int; math.bitXor(uint, uint) -> uint",
        "Returns the bits that are set in exactly one of the numbers.", "math.bitXor(6, 3) == 5")
    case .bitNot:
      Row(
        .numbers, "math.bitNot(int) -> int; math.bitNot(uint) -> uint", "Inverts all bits.",
        "math.bitNot(0) == -1")
    case .bitShiftLeft:
      Row(
        .numbers, "math.bitShiftLeft(int, int) -> int; math.bitShiftLeft(uint, int) -> uint",
        "Shifts the bits to the left.", "math.bitShiftLeft(1, 4) == 16")
    case .bitShiftRight:
      Row(
        .numbers, "math.bitShiftRight(int, int) -> int; math.bitShiftRight(uint, int) -> uint",
        "Shifts the bits to the right and fills with zeros.", "math.bitShiftRight(16, 2) == 4")

    // MARK: Lists, sets and maps
    case .size:
      Row(
        .lists,
        "size(string|bytes|list(T)|map) -> int; (string|bytes|list(T)|map).size() -> int",
        "Returns the number of characters, bytes, elements or entries.", "size([1, 2, 3]) == 3")
    case .range:
      Row(
        .lists, "lists.range(int) -> list(int)",
        "Returns the ints from 0 up to, but not including, the argument.",
        "lists.range(3) == [0, 1, 2]")
    case .slice:
      Row(
        .lists, "list(T).slice(int, int) -> list(T)",
        "Returns the elements from one position up to, but not including, another.",
        "[1, 2, 3, 4].slice(1, 3) == [2, 3]")
    case .flatten:
      Row(
        .lists, "list(any).flatten() -> list(any); list(any).flatten(int) -> list(any)",
        "Replaces inner lists with their elements. The optional int is the depth, by default 1.",
        "[[1], [2, [3]]].flatten() == [1, 2, [3]]")
    case .sort:
      Row(
        .lists, "list(T).sort() -> list(T)", "Sorts a list whose elements all have the same type.",
        "[3, 1, 2].sort() == [1, 2, 3]")
    case .distinct:
      Row(
        .lists, "list(T).distinct() -> list(T)", "Removes repeated elements.",
        "[1, 2, 1].distinct() == [1, 2]")
    case .first:
      Row(
        .lists, "list(T).first() -> optional(T)", "Returns an optional with the first element.",
        "[1, 2].first() == optional.of(1)")
    case .last:
      Row(
        .lists, "list(T).last() -> optional(T)", "Returns an optional with the last element.",
        "[1, 2].last().value() == 2")
    case .sortByKeys: Row(unnamed: "sortByKeys(list(T), list(any)) -> list(T)")
    case .setContains:
      Row(
        .lists, "sets.contains(list(T), list(T)) -> bool",
        "Tests whether the first list contains every element of the second list.",
        "sets.contains([1, 2, 3], [3, 1]) == true")
    case .setEquivalent:
      Row(
        .lists, "sets.equivalent(list(T), list(T)) -> bool",
        "Tests whether two lists contain the same elements, ignoring order and duplicates.",
        "sets.equivalent([1, 2], [2, 1, 1]) == true")
    case .setIntersects:
      Row(
        .lists, "sets.intersects(list(T), list(T)) -> bool",
        "Tests whether two lists have an element in common.",
        "sets.intersects([1, 2], [2, 3]) == true")

    // MARK: Encodings and patterns
    case .base64Encode:
      Row(
        .encodings, "base64.encode(bytes) -> string", "Encodes bytes as base64.",
        "base64.encode(b'tea') == 'dGVh'")
    case .base64Decode:
      Row(
        .encodings, "base64.decode(string) -> bytes", "Decodes base64, with or without padding.",
        "base64.decode('dGVh') == b'tea'")
    case .regexReplace:
      Row(
        .patterns,
        "regex.replace(string, string, string) -> string; regex.replace(string, string, string, int) -> string",
        #"Replaces matches of a pattern, at most the optional int. \1 is the first group."#,
        #"regex.replace('a1b2', '([0-9])', '<\\1>') == 'a<1>b<2>'"#)
    case .regexExtract:
      Row(
        .patterns, "regex.extract(string, string) -> optional(string)",
        "Returns the first match of a pattern, or its group if the pattern has one.",
        "regex.extract('order 42', '[0-9]+') == optional.of('42')")
    case .regexExtractAll:
      Row(
        .patterns, "regex.extractAll(string, string) -> list(string)",
        "Returns all matches of a pattern, or their groups if the pattern has one.",
        "regex.extractAll('a1b2', '[0-9]') == ['1', '2']")

    // MARK: IP addresses
    case .ip:
      Row(
        .network, "ip(string) -> IP", "Parses an IPv4 or IPv6 address.",
        "ip('10.0.0.1').family() == 4")
    case .cidr:
      Row(
        .network, "cidr(string) -> CIDR", "Reads a range of addresses.",
        "cidr('10.0.0.0/8').prefixLength() == 8")
    case .isIP:
      Row(
        .network, "isIP(string) -> bool", "Tests whether a string is an IP address.",
        "isIP('10.0.0.256') == false")
    case .isCIDR:
      Row(
        .network, "isCIDR(string) -> bool", "Tests whether a string is a range of IP addresses.",
        "isCIDR('10.0.0.0/8') == true")
    case .isCanonicalIP:
      Row(
        .network, "ip.isCanonical(string) -> bool",
        "Tests whether an address is written in its shortest form.",
        "ip.isCanonical('2001:db8:0::1') == false")
    case .ipFamily:
      Row(
        .network, "IP.family() -> int", "Returns 4 or 6.", "ip('2001:db8::1').family() == 6")
    case .isUnspecified:
      Row(
        .network, "IP.isUnspecified() -> bool", "Tests whether an address is 0.0.0.0 or ::.",
        "ip('::').isUnspecified() == true")
    case .isLoopback:
      Row(
        .network, "IP.isLoopback() -> bool", "Tests whether an address is a loopback address.",
        "ip('127.0.0.1').isLoopback() == true")
    case .isGlobalUnicast:
      Row(
        .network, "IP.isGlobalUnicast() -> bool",
        "Tests whether an address is a global unicast address.",
        "ip('192.168.0.1').isGlobalUnicast() == true")
    case .isLinkLocalMulticast:
      Row(
        .network, "IP.isLinkLocalMulticast() -> bool",
        "Tests whether an address is a link-local multicast address.",
        "ip('224.0.0.1').isLinkLocalMulticast() == true")
    case .isLinkLocalUnicast:
      Row(
        .network, "IP.isLinkLocalUnicast() -> bool",
        "Tests whether an address is a link-local unicast address.",
        "ip('fe80::1').isLinkLocalUnicast() == true")
    case .containsIP:
      Row(
        .network, "CIDR.containsIP(IP|string) -> bool", "Tests whether an address is in a range.",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') == true")
    case .containsCIDR:
      Row(
        .network, "CIDR.containsCIDR(CIDR|string) -> bool",
        "Tests whether a range is within another range.",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') == true")
    case .ipOfCIDR:
      Row(
        .network, "CIDR.ip() -> IP", "Returns the address of a range.",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3')")
    case .masked:
      Row(
        .network, "CIDR.masked() -> CIDR", "Sets the bits after the prefix to zero.",
        "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')")
    case .prefixLength:
      Row(
        .network, "CIDR.prefixLength() -> int", "Returns the length of the prefix in bits.",
        "cidr('10.0.0.0/8').prefixLength() == 8")

    // MARK: Versions and days
    case .version:
      Row(
        .versions, "version(string|version) -> version",
        "Parses a version. Versions are compared as in Semantic Versioning.",
        "(version('1.10.2') > version('1.9')) == true")
    case .date:
      Row(
        .dates, "date(string) -> timestamp; date(string, string) -> timestamp",
        "Returns the start of a date, in UTC or in a time zone.",
        "date('2026-11-21') == timestamp('2026-11-21T00:00:00Z')")
    case .days:
      Row(
        .dates, "days(int) -> duration",
        "Returns a duration of a number of days with 24 hours each.",
        "days(3) == duration('72h')")
    case .startOfDay:
      Row(
        .dates, "timestamp.startOfDay() -> timestamp; timestamp.startOfDay(string) -> timestamp",
        "Returns the start of the day, in UTC or in a time zone.",
        "timestamp('2026-11-21T18:30:00Z').startOfDay() == date('2026-11-21')")
    case .addDays:
      Row(
        .dates, "timestamp.addDays(int) -> timestamp; timestamp.addDays(int, string) -> timestamp",
        "Adds a number of days, at the same time of day.",
        "date('2026-02-27').addDays(2) == date('2026-03-01')")
    case .addMonths:
      Row(
        .dates,
        "timestamp.addMonths(int) -> timestamp; timestamp.addMonths(int, string) -> timestamp",
        "Adds a number of months, at the same time of day.",
        "date('2026-01-31').addMonths(1) == date('2026-02-28')")
    case .daysUntil:
      Row(
        .dates,
        "timestamp.daysUntil(timestamp) -> int; timestamp.daysUntil(timestamp, string) -> int",
        "Returns the number of midnights between two times.",
        "date('2026-11-21').daysUntil(date('2026-12-24')) == 33")

    // MARK: Superscript
    case .containsAnything:
      Row(
        .strings, "(string|bytes|list(T)|map).contains(any) -> bool",
        "Tests whether a string contains a substring, a list an element, or a map a key.",
        "[1, 2].contains(2) == true", in: .superscript, work: .pairs)
    case .byteSize:
      Row(
        .lists, "size(string|bytes|list(T)|map) -> int",
        "Returns the number of bytes, elements or entries.", "size('tea') == 3", in: .superscript)
    case .toIntTruncating:
      Row(
        .conversions, "int(number|string) -> int; (number|string).int() -> int",
        "Converts to an int. Fractions are cut off.", "int('42') == 42", in: .superscript)
    case .toUintTruncating:
      Row(
        .conversions, "uint(number|string) -> uint; (number|string).uint() -> uint",
        "Converts to an unsigned int. Fractions are cut off.", "uint(2.7) == uint(2)",
        in: .superscript)
    case .toDoubleParsing:
      Row(
        .conversions, "double(number|string) -> double; (number|string).double() -> double",
        "Converts to a double.", "double('2.5') == 2.5", in: .superscript)
    case .toPlainText:
      Row(
        .conversions,
        "string(string|bytes|number|timestamp|duration) -> string; (string|bytes|number|timestamp|duration).string() -> string",
        "Converts to a string.", "string(2.5) == '2.5'", in: .superscript)
    case .textToBytes:
      Row(
        .conversions, "bytes(string) -> bytes", "Converts a string to its bytes in UTF-8.",
        "size(bytes('tea')) == 3", in: .superscript)
    case .textToDuration:
      Row(
        .times, "duration(string) -> duration", "Converts a string such as '1h30m' to a duration.",
        "duration('1h30m') == duration('90m')", in: .superscript)
    case .textToTimestamp:
      Row(
        .times, "timestamp(string) -> timestamp", "Converts a time with an offset to a timestamp.",
        "timestamp('2026-03-01T12:00:00Z') == timestamp('2026-03-01T13:00:00+01:00')",
        in: .superscript)
    case .intToText:
      Row(
        .conversions, "intToString(int) -> string; int.intToString() -> string",
        "Converts an int to a string.", "intToString(42) == '42'", in: .superscript,
        isAnnounced: true)
    case .uintToText:
      Row(
        .conversions, "uintToString(uint) -> string; uint.uintToString() -> string",
        "Converts an unsigned int to a string.", "uintToString(uint(42)) == '42'", in: .superscript,
        isAnnounced: true)
    case .doubleToText:
      Row(
        .conversions, "floatToString(double) -> string; double.floatToString() -> string",
        "Converts a double to a string.", "floatToString(2.5) == '2.5'", in: .superscript,
        isAnnounced: true)
    case .boolToText:
      Row(
        .conversions, "boolToString(bool) -> string; bool.boolToString() -> string",
        "Converts a bool to 'true' or 'false'.", "size(boolToString(true)) == 4",
        in: .superscript, isAnnounced: true)
    case .greatestOf:
      Row(
        .numbers, "max() -> null; max(any, ...) -> any",
        "Returns the greatest argument, or the greatest element of a list.",
        "max(1, 5, 3) == 5", in: .superscript)

    // MARK: Functions of operators
    case .isWithin: Row(unnamed: "isWithin(any, string|list(T)|map) -> bool", work: .pairs)
    case .requireText: Row(unnamed: "requireText(string) -> string", use: .requirement)
    case .requireList: Row(unnamed: "requireList(list(T)) -> list(T)", use: .requirement)
    case .requireKey:
      Row(
        unnamed: "requireKey(bool|int|uint|string) -> bool|int|uint|string", use: .requirement)
    case .sameNumber: Row(unnamed: "sameNumber(number) -> number", use: .requirement)
    case .negateWrapping: Row(unnamed: "negate(int|double) -> int|double")
    case .indexOrNull:
      Row(unnamed: "index(map, any) -> any; index(list(T), int) -> T; index(string, int) -> any")
    case .overlay: Row(unnamed: "overlay(any, any) -> any")
    case .readNumbers: Row(unnamed: "readNumbers(any, string) -> any")
    case .answerFor: Row(unnamed: "answer(any, any, any) -> any")
    case .superscriptTruth: Row(unnamed: "truth(any) -> bool")
    case .custom: Row(unnamed: "custom(int, any, ...) -> any; custom(int) -> any")
    }
  }
}
