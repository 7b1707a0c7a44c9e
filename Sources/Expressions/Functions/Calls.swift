/// One entrance to all functions that are calls of the program.
enum Calls {
  static func call(_ function: Function, _ operands: Operands, _ arena: inout Arena) -> Cell {
    switch function.row.family {
    case .collections: CollectionFunctions.size(operands[0])
    case .conversions: Conversions.call(function, operands, &arena)
    case .time: TimeFunctions.call(function, operands)
    case .optionals: OptionalFunctions.call(function, operands, &arena)
    case .strings: StringExtension.call(function, operands, &arena)
    case .math: MathExtension.call(function, operands, &arena)
    case .lists: ListExtension.call(function, operands, &arena)
    case .sets: SetExtension.call(function, operands, &arena)
    case .encoders: Encoders.call(function, operands, &arena)
    case .network: Network.call(function, operands, &arena)
    case .versions: Versions.call(function, operands, &arena)
    case .dates: DateFunctions.call(function, operands)
    case .superscript, .requirements: Superscript.call(function, operands, &arena)
    // Instructions of their own, and calls that need more of the frame than its arena.
    case .textTests, .superscriptTests, .regex, .custom: operands.noOverload
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
