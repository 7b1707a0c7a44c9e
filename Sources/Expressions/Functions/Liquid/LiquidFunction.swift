/// The functions that templates call, including filters. This folder contains the bodies of the functions, and
/// ``LiquidFilters`` their syntax.
enum LiquidFunction: UInt8 {
  // Numbers.
  case abs, atLeast, atMost, ceil, dividedBy, floor, minus, modulo, plus, round, times

  // Strings.
  case append, capitalize, downcase, escape, escapeOnce, unescape, lstrip, newlineToBreak, prepend
  case remove, removeFirst, removeLast, replace, replaceFirst, replaceLast, rstrip, slice, split
  case strip, stripHTML, stripNewlines, truncate, truncateWords, upcase, urlDecode, urlEncode
  case base64Encode, base64Decode, base64URLEncode, base64URLDecode, json, text

  // Lists.
  case compact, concat, find, findIndex, first, has, join, last, map, reject, reverse, size, sort
  case sortNatural, sum, uniq, `where`, push, unshift, pop, shift

  // Other functions.
  case defaultValue, date, dateAdd, dateSubtract, countdownFrom, countdownUnit, locale, money
  case plural, toNumber

  // Functions that tags need.
  /// A member after a dot, and a member in brackets.
  case member, element
  case range
  /// The items of a loop: items, offset, limit, whether reversed.
  case loopItems
  case tableItems
  case itemCount
  case tableColumn, tableRow
  /// The position of a cycle, and the register after its next step: register, key, count.
  case cyclePlace, cycleStep
  case listItem
  case asInteger
  case counter
  /// A value, or another value if the first value is nil.
  case orElse
  case firstArgument
  /// Three ways to convert a value to a list: unless it is a list already, in any case, and as the items of `render`.
  case wrappedUnlessList, wrapped, loopable
  /// A string, a number or a bool. Any other value becomes nil.
  case scalar
  /// A function that always fails, and a function that always reaches a limit.
  case fail, failLimit
}

enum NumberFilter { case abs, toNumber }
enum RoundingFilter { case ceil, floor, round }
enum ExtremeFilter { case atLeast, atMost }
enum ArithmeticFilter { case dividedBy, minus, modulo, plus, times }

enum TextFilter {
  case append, base64Decode, base64Encode, base64URLDecode, base64URLEncode, escape, escapeOnce
  case json, newlineToBreak, prepend, stripHTML, stripNewlines, text, unescape, urlDecode, urlEncode
}

enum LetterFilter { case capitalize, downcase, upcase }
enum TextPartFilter { case lstrip, rstrip, split, strip, truncate, truncateWords }
enum ReplacingFilter { case remove, removeFirst, removeLast, replace, replaceFirst, replaceLast }
enum EndFilter { case first, last, size }
enum ListFilter { case compact, concat, join, map, pop, push, reverse, shift, sum, uniq, unshift }
enum SelectingFilter { case find, findIndex, has, reject, `where` }

enum TagFunction {
  case asInteger, counter, cyclePlace, cycleStep, fail, failLimit, firstArgument, itemCount
  case listItem, loopItems, loopable, orElse, range, scalar, tableColumn, tableItems, tableRow
  case wrapped, wrappedUnlessList
}

extension LiquidFunction {
  /// The code that evaluates a function. Each group of functions has its own type, so that this code does not compile
  /// if a function is missing.
  enum Family {
    case number(NumberFilter)
    case rounding(RoundingFilter)
    case extreme(ExtremeFilter)
    case arithmetic(ArithmeticFilter)
    case text(TextFilter)
    case letters(LetterFilter)
    case textPart(TextPartFilter)
    case replacing(ReplacingFilter)
    case end(EndFilter)
    case list(ListFilter)
    case selecting(SelectingFilter)
    case sort(isNatural: Bool)
    case dateShift(isBack: Bool)
    case countdown(isUnit: Bool)
    case member(isNamed: Bool)
    case tag(TagFunction)
    case date, defaultValue, locale, money, plural, slice
  }

  /// The kinds of value that a filter can be applied to.
  enum Input: UInt8 {
    case anything, number, scalar, items, list
  }

  /// The properties of a function, except its body.
  struct Row {
    var family: Family
    var input: Input
    /// The cost of a call in sixteenths of a step, so that a step is about a tenth of a microsecond everywhere.
    var work: Int
    /// Whether the function reads characters, which takes much longer than reading bytes.
    var readsCharacters: Bool
    /// Whether the function generates HTML, which must not be escaped again.
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

  /// The table of functions. The property is inlined, so that reading one column costs no more than a switch.
  @inline(__always)
  var row: Row {
    switch self {
    case .abs: Row(.number(.abs), .number)
    case .atLeast: Row(.extreme(.atLeast), .number)
    case .atMost: Row(.extreme(.atMost), .number)
    case .ceil: Row(.rounding(.ceil), .number)
    case .dividedBy: Row(.arithmetic(.dividedBy), .number, work: 48)
    case .floor: Row(.rounding(.floor), .number)
    case .minus: Row(.arithmetic(.minus), .number)
    case .modulo: Row(.arithmetic(.modulo), .number, work: 48)
    case .plus: Row(.arithmetic(.plus), .number)
    case .round: Row(.rounding(.round), .number, work: 48)
    case .times: Row(.arithmetic(.times), .number, work: 48)
    case .append: Row(.text(.append), .scalar)
    case .capitalize: Row(.letters(.capitalize), .scalar, readsCharacters: true)
    case .downcase: Row(.letters(.downcase), .scalar, readsCharacters: true)
    case .escape: Row(.text(.escape), .scalar, makesMarkup: true)
    case .escapeOnce: Row(.text(.escapeOnce), .scalar, makesMarkup: true)
    case .unescape: Row(.text(.unescape))
    case .lstrip: Row(.textPart(.lstrip), .scalar)
    case .newlineToBreak: Row(.text(.newlineToBreak), .scalar)
    case .prepend: Row(.text(.prepend), .scalar)
    case .remove: Row(.replacing(.remove), .scalar)
    case .removeFirst: Row(.replacing(.removeFirst))
    case .removeLast: Row(.replacing(.removeLast))
    case .replace: Row(.replacing(.replace), .scalar)
    case .replaceFirst: Row(.replacing(.replaceFirst))
    case .replaceLast: Row(.replacing(.replaceLast))
    case .rstrip: Row(.textPart(.rstrip), .scalar)
    case .slice: Row(.slice, readsCharacters: true)
    case .split: Row(.textPart(.split), .scalar)
    case .strip: Row(.textPart(.strip), .scalar)
    case .stripHTML: Row(.text(.stripHTML), .scalar, readsCharacters: true)
    case .stripNewlines: Row(.text(.stripNewlines))
    case .truncate: Row(.textPart(.truncate), .scalar, readsCharacters: true)
    case .truncateWords: Row(.textPart(.truncateWords), .scalar, readsCharacters: true)
    case .upcase: Row(.letters(.upcase), .scalar, readsCharacters: true)
    case .urlDecode: Row(.text(.urlDecode), .scalar)
    case .urlEncode: Row(.text(.urlEncode), .scalar)
    case .base64Encode: Row(.text(.base64Encode))
    case .base64Decode: Row(.text(.base64Decode))
    case .base64URLEncode: Row(.text(.base64URLEncode))
    case .base64URLDecode: Row(.text(.base64URLDecode))
    case .json: Row(.text(.json))
    case .text: Row(.text(.text))
    case .compact: Row(.list(.compact), .items)
    case .concat: Row(.list(.concat), .items)
    case .find: Row(.selecting(.find), .items)
    case .findIndex: Row(.selecting(.findIndex), .items)
    case .first: Row(.end(.first), readsCharacters: true)
    case .has: Row(.selecting(.has), .items)
    case .join: Row(.list(.join), .list)
    case .last: Row(.end(.last), readsCharacters: true)
    case .map: Row(.list(.map), .items)
    case .reject: Row(.selecting(.reject), .items)
    case .reverse: Row(.list(.reverse), .items)
    case .size: Row(.end(.size))
    case .sort: Row(.sort(isNatural: false), .items)
    case .sortNatural: Row(.sort(isNatural: true), .items)
    case .sum: Row(.list(.sum), .items)
    case .uniq: Row(.list(.uniq), .items)
    case .where: Row(.selecting(.where), .items)
    case .push: Row(.list(.push))
    case .unshift: Row(.list(.unshift))
    case .pop: Row(.list(.pop))
    case .shift: Row(.list(.shift))
    case .defaultValue: Row(.defaultValue)
    case .date: Row(.date, .scalar, work: 480)
    case .dateAdd: Row(.dateShift(isBack: false), .scalar, work: 1_280)
    case .dateSubtract: Row(.dateShift(isBack: true), .scalar, work: 1_280)
    case .countdownFrom: Row(.countdown(isUnit: false), .scalar, work: 1_280)
    case .countdownUnit: Row(.countdown(isUnit: true), .scalar, work: 480)
    case .locale: Row(.locale)
    case .money: Row(.money, .number, work: 96)
    case .plural: Row(.plural, .number, work: 128)
    case .toNumber: Row(.number(.toNumber), .number)
    case .member: Row(.member(isNamed: true))
    case .element: Row(.member(isNamed: false))
    case .range: Row(.tag(.range))
    case .loopItems: Row(.tag(.loopItems))
    case .tableItems: Row(.tag(.tableItems))
    case .itemCount: Row(.tag(.itemCount))
    case .tableColumn: Row(.tag(.tableColumn))
    case .tableRow: Row(.tag(.tableRow))
    case .cyclePlace: Row(.tag(.cyclePlace))
    case .cycleStep: Row(.tag(.cycleStep))
    case .listItem: Row(.tag(.listItem))
    case .asInteger: Row(.tag(.asInteger))
    case .counter: Row(.tag(.counter))
    case .orElse: Row(.tag(.orElse))
    case .firstArgument: Row(.tag(.firstArgument), makesMarkup: true)
    case .wrappedUnlessList: Row(.tag(.wrappedUnlessList))
    case .wrapped: Row(.tag(.wrapped))
    case .loopable: Row(.tag(.loopable))
    case .scalar: Row(.tag(.scalar))
    case .fail: Row(.tag(.fail))
    case .failLimit: Row(.tag(.failLimit))
    }
  }
}

enum LiquidFunctions {
  static func call(
    _ function: LiquidFunction, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let isBinary = state.style.numbers == .binary
    return switch function.row.family {
    case .number(let it):
      isBinary ? BinaryNumberFilters.call(it, operands) : DecimalNumberFilters.call(it, operands)
    case .rounding(let it):
      isBinary ? BinaryNumberFilters.call(it, operands) : DecimalNumberFilters.call(it, operands)
    case .extreme(let it):
      isBinary ? BinaryNumberFilters.call(it, operands) : DecimalNumberFilters.call(it, operands)
    case .arithmetic(let it):
      isBinary ? BinaryNumberFilters.call(it, operands) : DecimalNumberFilters.call(it, operands)
    case .text(let it): TextFilters.call(it, operands, &state, &arena)
    case .letters(let it): TextFilters.call(it, operands, &state, &arena)
    case .textPart(let it): TextPartFilters.call(it, operands, &state, &arena, &work)
    case .replacing(let it): TextPartFilters.call(it, operands, &state, &arena, &work)
    case .slice: TextPartFilters.slice(operands, &state, &arena)
    case .end(let it): ListFilters.call(it, operands, state.style, &arena)
    case .list(let it): ListFilters.call(it, operands, &state, &arena, &work)
    case .sort(let isNatural):
      SortFilters.call(operands, isNatural: isNatural, &state, &arena, &work)
    case .selecting(let it): SelectingFilters.call(it, operands, &state, &arena, &work)
    case .date: DateFilter.call(operands, &state, &arena)
    case .dateShift(let isBack): DateShifts.call(operands, isBack: isBack, &state, &arena)
    case .countdown(let isUnit): Countdowns.call(operands, isUnit: isUnit, &state, &arena)
    case .money: MoreFilters.money(operands, &state, &arena, &work)
    case .plural: Plurals.call(operands, &state, &arena)
    case .defaultValue: MoreFilters.defaultValue(operands, state.style)
    case .locale: operands[0].pointee.isValue ? operands[0].pointee : .null
    case .member(let isNamed):
      LiquidMembers.member(operands[0], operands[1], isNamed: isNamed, &state, &arena, &work)
    case .tag(let it): TagFunctions.call(it, operands, &state, &arena, &work)
    }
  }
}

// SAFETY: The number is compared with the count, so an operand that is missing is nil.
// Tests: AnyArgumentsTests, corpus.
extension Operands {
  /// An operand, or nil if the call has fewer operands.
  func optional(_ i: Int) -> UnsafePointer<Cell>? { i < count ? self[i] : nil }
}
