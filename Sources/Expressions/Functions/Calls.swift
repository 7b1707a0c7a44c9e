/// The single entry to all functions that a program calls.
enum Calls {
  // SAFETY: Operands are passed on as pointers to cells of the caller, and not stored. Functions
  // check that they are values first. Tests: AnyOperandsTests.neverTraps, DateFunctionsTests.

  /// Calls a function. The switch lists all functions, so that a new function does not compile without a body.
  static func call(_ function: Function, _ operands: Operands, _ arena: inout Arena) -> Cell {
    switch function {
    case .size: CollectionFunctions.size(operands[0])

    case .toInt: whenThere(operands) { Conversions.int($0) }
    case .toUint: whenThere(operands) { Conversions.uint($0) }
    case .toDouble: whenThere(operands) { Conversions.double($0) }
    case .toText: whenThere(operands) { Conversions.text($0, &arena) }
    case .toBytes: whenThere(operands) { Conversions.bytes($0, &arena) }
    case .toBool: whenThere(operands) { Conversions.bool($0) }
    case .dyn: whenThere(operands) { $0.pointee }
    case .typeOf: whenThere(operands) { Cell(TypeName(of: $0.pointee)) }
    case .toDuration: whenThere(operands) { Conversions.duration($0) }
    case .toTimestamp: whenThere(operands) { Conversions.timestamp($0) }

    case .getFullYear: TimeFunctions.get(.year, operands)
    case .getMonth: TimeFunctions.get(.month, operands)
    case .getDayOfMonth: TimeFunctions.get(.dayOfMonth, operands)
    case .getDate: TimeFunctions.get(.date, operands)
    case .getDayOfWeek: TimeFunctions.get(.dayOfWeek, operands)
    case .getDayOfYear: TimeFunctions.get(.dayOfYear, operands)
    case .getHours: TimeFunctions.get(.hours, operands)
    case .getMinutes: TimeFunctions.get(.minutes, operands)
    case .getSeconds: TimeFunctions.get(.seconds, operands)
    case .getMilliseconds: TimeFunctions.get(.milliseconds, operands)

    case .optionalNone: OptionalFunctions.none
    case .optionalOf: whenThere(operands) { OptionalFunctions.some($0.pointee, in: &arena) }
    case .optionalOfNonZeroValue:
      whenThere(operands) { OptionalFunctions.ofNonZero($0, in: &arena) }
    case .optionalSelect, .optionalIndex:
      whenThere(operands) { OptionalFunctions.select($0, operands[1], in: &arena) }
    case .optionalUnwrap: whenThere(operands) { _ in OptionalFunctions.unwrap(operands, &arena) }
    case .first: OptionalFunctions.end(operands, isFirst: true, &arena)
    case .last: OptionalFunctions.end(operands, isFirst: false, &arena)
    case .hasValue: OptionalFunctions.onOptional(operands) { Cell($1 != nil) }
    case .value: OptionalFunctions.onOptional(operands) { $1 ?? Cell(fault: .noSuchAttribute) }
    case .or: OptionalFunctions.or(operands)
    case .orValue:
      whenThere(operands) { _ in
        OptionalFunctions.onOptional(operands) { $1 ?? operands[1].pointee }
      }

    case .charAt: StringExtension.charAt(operands)
    case .indexOf: StringExtension.indexOf(operands)
    case .lastIndexOf: StringExtension.lastIndexOf(operands)
    case .lowerAscii:
      StringExtension.changeCase(operands, of: UInt8(ascii: "A")...UInt8(ascii: "Z"), &arena)
    case .upperAscii:
      StringExtension.changeCase(operands, of: UInt8(ascii: "a")...UInt8(ascii: "z"), &arena)
    case .replace: StringExtension.replace(operands, &arena)
    case .split: StringExtension.split(operands, &arena)
    case .substring: StringExtension.substring(operands)
    case .trim: StringExtension.trim(operands)
    case .join: StringExtension.join(operands, &arena)
    case .quote: StringExtension.quote(operands, &arena)
    case .reverse: StringExtension.reverse(operands, &arena)
    case .format: StringFormat.format(operands, &arena)

    case .greatest: MathExtension.extreme(operands, .greater)
    case .least: MathExtension.extreme(operands, .less)
    case .ceil: MathExtension.onDouble(operands) { Cell($0.rounded(.up)) }
    case .floor: MathExtension.onDouble(operands) { Cell($0.rounded(.down)) }
    case .round: MathExtension.onDouble(operands) { Cell($0.rounded(.toNearestOrAwayFromZero)) }
    case .trunc: MathExtension.onDouble(operands) { Cell($0.rounded(.towardZero)) }
    case .isNaN: MathExtension.onDouble(operands) { Cell($0.isNaN) }
    case .isInf: MathExtension.onDouble(operands) { Cell($0.isInfinite) }
    case .isFinite: MathExtension.onDouble(operands) { Cell($0.isFinite) }
    case .abs: MathExtension.abs(operands)
    case .sign: MathExtension.sign(operands)
    case .sqrt: MathExtension.squareRoot(operands)
    case .bitAnd: MathExtension.onBits(operands) { $0 & $1 }
    case .bitOr: MathExtension.onBits(operands) { $0 | $1 }
    case .bitXor: MathExtension.onBits(operands) { $0 ^ $1 }
    case .bitNot: MathExtension.complement(operands)
    case .bitShiftLeft: MathExtension.shift(operands) { $0 << $1 }
    case .bitShiftRight: MathExtension.shift(operands) { $0 >> $1 }

    case .range: ListExtension.range(operands, &arena)
    case .slice: ListExtension.slice(operands)
    case .flatten: ListExtension.flatten(operands, &arena)
    case .sort: ListExtension.sort(operands, keys: 0, &arena)
    case .sortByKeys: ListExtension.sort(operands, keys: 1, &arena)
    case .distinct: ListExtension.distinct(operands, &arena)

    case .setContains: SetExtension.contains(operands, &arena)
    case .setEquivalent: SetExtension.areEquivalent(operands, &arena)
    case .setIntersects: SetExtension.intersect(operands, &arena)

    case .base64Encode: Encoders.encode(operands, &arena)
    case .base64Decode: Encoders.decode(operands, &arena)

    case .ip: Network.ip(operands, &arena)
    case .cidr: Network.cidr(operands, &arena)
    case .isIP: operands.text(0).map { Cell(NetworkAddress($0) != nil) } ?? operands.refused
    case .isCIDR: operands.text(0).map { Cell(NetworkRange($0) != nil) } ?? operands.refused
    case .isCanonicalIP: Network.isCanonical(operands)
    case .ipFamily: Network.onAddress(operands) { Cell(Int64($0.isIPv4 ? 4 : 6)) }
    case .isUnspecified: Network.onAddress(operands) { Cell($0.isUnspecified) }
    case .isLoopback: Network.onAddress(operands) { Cell($0.isLoopback) }
    case .isGlobalUnicast: Network.onAddress(operands) { Cell($0.isGlobalUnicast) }
    case .isLinkLocalMulticast: Network.onAddress(operands) { Cell($0.isLinkLocalMulticast) }
    case .isLinkLocalUnicast: Network.onAddress(operands) { Cell($0.isLinkLocalUnicast) }
    case .containsIP: Network.containsIP(operands)
    case .containsCIDR: Network.containsCIDR(operands)
    case .ipOfCIDR: Network.onRange(operands) { Network.cell($0.address, &arena) }
    case .masked: Network.onRange(operands) { Network.cell($0.masked, &arena) }
    case .prefixLength: Network.onRange(operands) { Cell(Int64($0.prefix)) }

    case .version: Versions.version(operands, &arena)
    case .days: DateFunctions.days(operands)
    case .date: DateFunctions.date(operands)
    case .startOfDay: DateFunctions.moved(operands, by: .days, isStart: true)
    case .addDays: DateFunctions.moved(operands, by: .days)
    case .addMonths: DateFunctions.moved(operands, by: .months)
    case .daysUntil: DateFunctions.daysUntil(operands)

    case .requireText: Superscript.require(operands) { $0.isText }
    case .requireList: Superscript.require(operands) { $0.tag == Tag.list }
    case .requireKey:
      Superscript.apply(operands) {
        Superscript.isKey($0.pointee) ? $0.pointee : Cell(fault: .badMapKey, $0.pointee.tag)
      }
    case .sameNumber: Superscript.require(operands) { Tag.int...Tag.double ~= $0.tag }
    case .negateWrapping: Superscript.apply(operands) { Superscript.negate($0.pointee) }
    case .byteSize: Superscript.apply(operands) { Superscript.byteSize($0) }
    case .toIntTruncating: Superscript.apply(operands) { Superscript.int($0) }
    case .toUintTruncating: Superscript.apply(operands) { Superscript.uint($0) }
    case .toDoubleParsing: Superscript.apply(operands) { Superscript.double($0) }
    case .toPlainText: Superscript.apply(operands) { Superscript.text($0, &arena) }
    case .textToBytes: Superscript.onText(operands) { Conversions.bytes($0, &arena) }
    case .textToDuration: Superscript.onText(operands) { Superscript.duration($0.textBytes) }
    case .textToTimestamp: Superscript.onText(operands) { Superscript.timestamp($0.textBytes) }
    case .intToText: Superscript.on(Tag.int, operands) { Superscript.text($0, &arena) }
    case .uintToText: Superscript.on(Tag.uint, operands) { Superscript.text($0, &arena) }
    case .doubleToText: Superscript.on(Tag.double, operands) { Superscript.text($0, &arena) }
    case .boolToText:
      Superscript.on(Tag.bool, operands) {
        Superscript.copy($0.pointee.boolValue ? "true" : "false", &arena)
      }
    case .greatestOf: Superscript.apply(operands) { _ in Superscript.greatest(operands) }
    case .indexOrNull: Superscript.apply(operands) { Superscript.index($0, operands[1]) }
    case .overlay:
      Superscript.apply(operands) {
        Superscript.overlay($0.pointee, operands[1].pointee, in: &arena)
      }
    case .readNumbers:
      Superscript.apply(operands) {
        Superscript.readNumbers($0.pointee, keeping: operands[1].pointee, in: &arena)
      }
    case .answerFor: Superscript.apply(operands) { _ in Superscript.answer(operands) }
    case .superscriptTruth:
      Superscript.apply(operands) { Cell(Superscript.isTrueInJavaScript($0.pointee)) }

    // Functions with instructions of their own, and calls that need more of the frame than its arena.
    case .contains, .startsWith, .endsWith, .matches, .isWithin, .containsAnything,
      .regexReplace, .regexExtract, .regexExtractAll, .custom:
      operands.noOverload
    }
  }

  /// Applies the body to the first operand, if the first two operands exist.
  private static func whenThere(_ operands: Operands, _ body: (UnsafePointer<Cell>) -> Cell) -> Cell
  {
    for i in 0..<min(operands.count, 2) where !operands[i].pointee.isValue {
      return operands.noOverload
    }
    return body(operands[0])
  }

  /// The body of a test of strings, or nil for patterns, which need memory of the frame.
  static func body(of test: Function.TextTest) -> ((ByteView, ByteView) -> Bool)? {
    switch test {
    case .contains: TextFunctions.contains
    case .startsWith: TextFunctions.startsWith
    case .endsWith: TextFunctions.endsWith
    case .matches: nil
    }
  }
}

extension Superscript {
  /// Applies the body to the first operand, if all operands exist.
  fileprivate static func apply(
    _ operands: Operands, _ body: (UnsafePointer<Cell>) -> Cell
  ) -> Cell {
    for i in 0..<operands.count where !operands[i].pointee.isValue {
      return Arithmetic.absent(operands[i].pointee)
    }
    return body(operands[0])
  }

  /// Applies the body to the first operand, which must be a string.
  fileprivate static func onText(
    _ operands: Operands, _ body: (UnsafePointer<Cell>) -> Cell
  ) -> Cell {
    apply(operands) { $0.pointee.isText ? body($0) : Arithmetic.noOverload($0.pointee) }
  }

  /// Applies the body to the first operand, which must have this tag.
  fileprivate static func on(
    _ tag: UInt8, _ operands: Operands, _ body: (UnsafePointer<Cell>) -> Cell
  ) -> Cell {
    apply(operands) { $0.pointee.tag == tag ? body($0) : Arithmetic.noOverload($0.pointee) }
  }

  /// Returns the first operand unchanged, if the function accepts it.
  fileprivate static func require(_ operands: Operands, _ isTaken: (Cell) -> Bool) -> Cell {
    apply(operands) { isTaken($0.pointee) ? $0.pointee : Arithmetic.noOverload($0.pointee) }
  }
}
