/// The functions that templates call, filters among them. What they do is in this folder; how they
/// are written is in ``LiquidFilters``.
enum LiquidFunction: UInt8 {
  // Numbers.
  case abs, atLeast, atMost, ceil, dividedBy, floor, minus, modulo, plus, round, times

  // Texts.
  case append, capitalize, downcase, escape, escapeOnce, unescape, lstrip, newlineToBreak, prepend
  case remove, removeFirst, removeLast, replace, replaceFirst, replaceLast, rstrip, slice, split
  case strip, stripHTML, stripNewlines, truncate, truncateWords, upcase, urlDecode, urlEncode
  case base64Encode, base64Decode, base64URLEncode, base64URLDecode, json, text

  // Lists.
  case compact, concat, find, findIndex, first, has, join, last, map, reject, reverse, size, sort
  case sortNatural, sum, uniq, `where`, push, unshift, pop, shift

  // What has no kind.
  case defaultValue, date, dateAdd, dateSubtract, countdownFrom, countdownUnit, locale, money
  case plural, toNumber

  // What tags need.
  /// A member behind a dot, and one in brackets.
  case member, element
  case range
  /// The items that a loop goes through: items, offset, limit, whether reversed.
  case loopItems
  case tableItems
  case itemCount
  case tableColumn, tableRow
  /// Where a cycle stands, and the register after its next step: register, key, count.
  case cyclePlace, cycleStep
  case listItem
  case asInteger
  case counter
  /// A value, or another when it is nothing.
  case orElse
  case firstArgument
  /// A list of a value, unless it is one; a list of it in any case; what `render` goes through.
  case wrappedUnlessList, wrapped, loopable
  /// A text, a number or a bool; nothing for everything else.
  case scalar
  /// Always an error, and always one of a limit.
  case fail, failLimit
}

extension LiquidFunction {
  /// What a call takes, in sixteenths of a step, so that a step is about a tenth of a microsecond
  /// everywhere.
  @inline(__always)
  var work: Int {
    switch self {
    case .countdownFrom, .dateAdd, .dateSubtract: 1_280
    case .date, .countdownUnit: 480
    case .plural: 128
    case .money: 96
    case .dividedBy, .modulo, .round, .times: 48
    default: 16
    }
  }

  /// Whether the function looks at characters, which takes much longer than looking at bytes.
  @inline(__always)
  var readsCharacters: Bool {
    switch self {
    case .upcase, .downcase, .capitalize, .truncate, .truncateWords, .slice, .first, .last,
      .stripHTML:
      true
    default: false
    }
  }
}

enum LiquidFunctions {
  static func call(
    _ function: LiquidFunction, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    switch function {
    case .abs, .atLeast, .atMost, .ceil, .dividedBy, .floor, .minus, .modulo, .plus, .round,
      .times, .toNumber:
      state.style.numbers == .binary
        ? BinaryNumberFilters.call(function, operands, &arena)
        : DecimalNumberFilters.call(function, operands)
    case .append, .capitalize, .downcase, .escape, .escapeOnce, .unescape, .newlineToBreak,
      .prepend, .stripHTML, .stripNewlines, .upcase, .urlDecode, .urlEncode, .base64Encode,
      .base64Decode, .base64URLEncode, .base64URLDecode, .json, .text:
      TextFilters.call(function, operands, &state, &arena)
    case .lstrip, .rstrip, .strip, .remove, .removeFirst, .removeLast, .replace, .replaceFirst,
      .replaceLast, .slice, .split, .truncate, .truncateWords:
      TextPartFilters.call(function, operands, &state, &arena, &work)
    case .compact, .concat, .first, .join, .last, .map, .reverse, .size, .uniq, .push, .unshift,
      .pop, .shift, .sum:
      ListFilters.call(function, operands, &state, &arena, &work)
    case .sort, .sortNatural: SortFilters.call(function, operands, &state, &arena, &work)
    case .find, .findIndex, .has, .reject, .where:
      SelectingFilters.call(function, operands, &state, &arena, &work)
    case .date: DateFilter.call(operands, &state, &arena)
    case .dateAdd, .dateSubtract: DateShifts.call(function, operands, &state, &arena)
    case .countdownFrom, .countdownUnit: Countdowns.call(function, operands, &state, &arena)
    case .money:
      MoreFilters.money(operands, &state, &arena, &work)
    case .defaultValue, .locale, .plural: MoreFilters.call(function, operands, &state, &arena)
    case .member, .element:
      LiquidMembers.member(
        operands[0], operands[1], isNamed: function == .member, &state, &arena, &work)
    default: TagFunctions.call(function, operands, &state, &arena, &work)
    }
  }
}

extension Operands {
  /// An operand, or nil where the call has fewer.
  func optional(_ i: Int) -> UnsafePointer<Cell>? { i < count ? self[i] : nil }
}
