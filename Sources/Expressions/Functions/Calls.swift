/// One entrance to all functions that are calls of the program.
enum Calls {
  static func call(_ function: Function, _ operands: Operands, _ arena: inout Arena) -> Cell {
    switch function {
    case .size: CollectionFunctions.size(operands[0])
    case .toInt, .toUint, .toDouble, .toText, .toBytes, .toBool, .dyn, .typeOf, .toDuration,
      .toTimestamp:
      Conversions.call(function, operands, &arena)
    case .getFullYear, .getMonth, .getDayOfMonth, .getDate, .getDayOfWeek, .getDayOfYear,
      .getHours, .getMinutes, .getSeconds, .getMilliseconds:
      TimeFunctions.call(function, operands)
    case .optionalOf, .optionalOfNonZeroValue, .optionalNone, .hasValue, .value, .or, .orValue,
      .optionalSelect, .optionalIndex, .optionalUnwrap, .first, .last:
      OptionalFunctions.call(function, operands, &arena)
    case .charAt, .indexOf, .lastIndexOf, .lowerAscii, .upperAscii, .replace, .split, .substring,
      .trim, .join, .quote, .reverse, .format:
      StringExtension.call(function, operands, &arena)
    case .greatest, .least, .ceil, .floor, .round, .trunc, .abs, .sign, .isNaN, .isInf, .isFinite,
      .sqrt, .bitAnd, .bitOr, .bitXor, .bitNot, .bitShiftLeft, .bitShiftRight:
      MathExtension.call(function, operands, &arena)
    case .range, .slice, .flatten, .sort, .distinct, .sortByKeys:
      ListExtension.call(function, operands, &arena)
    case .setContains, .setEquivalent, .setIntersects:
      SetExtension.call(function, operands, &arena)
    case .base64Encode, .base64Decode: Encoders.call(function, operands, &arena)
    case .ip, .cidr, .isIP, .isCIDR, .isCanonicalIP, .ipFamily, .isUnspecified, .isLoopback,
      .isGlobalUnicast, .isLinkLocalMulticast, .isLinkLocalUnicast, .containsIP, .containsCIDR,
      .ipOfCIDR, .masked, .prefixLength:
      Network.call(function, operands, &arena)
    case .version: Versions.call(function, operands, &arena)
    case .date, .days, .startOfDay, .addDays, .addMonths, .daysUntil:
      DateFunctions.call(function, operands)
    case .requireText, .requireList, .requireKey, .sameNumber, .negateWrapping, .byteSize,
      .toIntTruncating, .toUintTruncating, .toDoubleParsing, .toPlainText, .textToBytes,
      .textToDuration, .textToTimestamp, .intToText, .uintToText, .doubleToText, .boolToText,
      .greatestOf, .indexOrNull, .overlay, .answerFor, .scriptTruth:
      Lenient.call(function, operands, &arena)
    case .contains, .startsWith, .endsWith, .matches, .isWithin, .containsAnything,
      .regexReplace, .regexExtract, .regexExtractAll:
      // Instructions of their own, and calls that need the frame's scratch memory.
      operands.noOverload
    }
  }

  /// The test of texts behind a function, if it is one.
  static func textTest(_ function: Function) -> ((ByteView, ByteView) -> Bool)? {
    switch function {
    case .contains: TextFunctions.contains
    case .startsWith: TextFunctions.startsWith
    case .endsWith: TextFunctions.endsWith
    default: nil
    }
  }
}
