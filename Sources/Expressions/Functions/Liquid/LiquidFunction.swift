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
  /// Where a function is worked out.
  enum Family: UInt8 {
    case numbers, texts, textParts, lists, sorting, selecting, dates, dateShifts, countdowns, money
    case others, members, tags
  }

  /// The kinds of value that make sense before a filter.
  enum Input: UInt8 {
    case anything, number, scalar, items, list
  }

  /// What is known of a function but for what it does.
  struct Row {
    var family: Family
    var input: Input
    /// What a call takes, in sixteenths of a step, so that a step is about a tenth of a microsecond
    /// everywhere.
    var work: Int
    /// Whether the function looks at characters, which takes much longer than looking at bytes.
    var readsCharacters: Bool
    /// Whether it makes HTML, which must not be escaped again.
    var makesMarkup: Bool

    @inline(__always)
    init(
      _ family: Family, _ input: Input = .anything, work: Int = 16, readsCharacters: Bool = false,
      makesMarkup: Bool = false
    ) {
      self.family = family
      self.input = input
      self.work = work
      self.readsCharacters = readsCharacters
      self.makesMarkup = makesMarkup
    }
  }

  /// The table of functions; those of which all is the same stand together. It is inlined, so that
  /// asking for one column costs no more than a switch.
  @inline(__always)
  var row: Row {
    switch self {
    case .abs, .atLeast, .atMost, .ceil, .floor, .minus, .plus, .toNumber: Row(.numbers, .number)
    case .dividedBy, .modulo, .round, .times: Row(.numbers, .number, work: 48)
    case .append, .newlineToBreak, .prepend, .urlDecode, .urlEncode: Row(.texts, .scalar)
    case .escape, .escapeOnce: Row(.texts, .scalar, makesMarkup: true)
    case .capitalize, .downcase, .stripHTML, .upcase: Row(.texts, .scalar, readsCharacters: true)
    case .base64Decode, .base64Encode, .base64URLDecode, .base64URLEncode, .json, .stripNewlines,
      .text, .unescape:
      Row(.texts)
    case .lstrip, .remove, .replace, .rstrip, .split, .strip: Row(.textParts, .scalar)
    case .truncate, .truncateWords: Row(.textParts, .scalar, readsCharacters: true)
    case .removeFirst, .removeLast, .replaceFirst, .replaceLast: Row(.textParts)
    case .slice: Row(.textParts, readsCharacters: true)
    case .compact, .concat, .map, .reverse, .sum, .uniq: Row(.lists, .items)
    case .join: Row(.lists, .list)
    case .first, .last: Row(.lists, readsCharacters: true)
    case .pop, .push, .shift, .size, .unshift: Row(.lists)
    case .sort, .sortNatural: Row(.sorting, .items)
    case .find, .findIndex, .has, .reject, .where: Row(.selecting, .items)
    case .date: Row(.dates, .scalar, work: 480)
    case .dateAdd, .dateSubtract: Row(.dateShifts, .scalar, work: 1_280)
    case .countdownFrom: Row(.countdowns, .scalar, work: 1_280)
    case .countdownUnit: Row(.countdowns, .scalar, work: 480)
    case .money: Row(.money, .number, work: 96)
    case .plural: Row(.others, .number, work: 128)
    case .defaultValue, .locale: Row(.others)
    case .element, .member: Row(.members)
    case .firstArgument: Row(.tags, makesMarkup: true)
    case .asInteger, .counter, .cyclePlace, .cycleStep, .fail, .failLimit, .itemCount, .listItem,
      .loopItems, .loopable, .orElse, .range, .scalar, .tableColumn, .tableItems, .tableRow,
      .wrapped, .wrappedUnlessList:
      Row(.tags)
    }
  }
}

enum LiquidFunctions {
  static func call(
    _ function: LiquidFunction, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    switch function.row.family {
    case .numbers:
      state.style.numbers == .binary
        ? BinaryNumberFilters.call(function, operands, &arena)
        : DecimalNumberFilters.call(function, operands)
    case .texts: TextFilters.call(function, operands, &state, &arena)
    case .textParts: TextPartFilters.call(function, operands, &state, &arena, &work)
    case .lists: ListFilters.call(function, operands, &state, &arena, &work)
    case .sorting: SortFilters.call(function, operands, &state, &arena, &work)
    case .selecting: SelectingFilters.call(function, operands, &state, &arena, &work)
    case .dates: DateFilter.call(operands, &state, &arena)
    case .dateShifts: DateShifts.call(function, operands, &state, &arena)
    case .countdowns: Countdowns.call(function, operands, &state, &arena)
    case .money: MoreFilters.money(operands, &state, &arena, &work)
    case .others: MoreFilters.call(function, operands, &state, &arena)
    case .members:
      LiquidMembers.member(
        operands[0], operands[1], isNamed: function == .member, &state, &arena, &work)
    case .tags: TagFunctions.call(function, operands, &state, &arena, &work)
    }
  }
}

extension Operands {
  /// An operand, or nil where the call has fewer.
  func optional(_ i: Int) -> UnsafePointer<Cell>? { i < count ? self[i] : nil }
}
