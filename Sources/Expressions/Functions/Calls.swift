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
    default:
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
