/// Runs instructions on a frame. Every run ends: targets are always lower than the instruction
/// that names them, but for the way back of loops, whose rounds are limited.
enum Machine {
  /// The result of the expression that starts here: a value, or a fault with its instruction.
  static func run<T: Trace>(
    _ program: Program.Storage, from start: UInt32, in frame: inout Frame, _ trace: inout T
  ) -> Cell {
    frame.run &+= 1
    let pending = UInt64(Tag.fault) | frame.run << 8
    return program.code.withUnsafeBufferPointer { code in
      guard let base = code.baseAddress, Int(start) < code.count else {
        return Cell(fault: .noSuchOverload)
      }
      return run(base, program, from: Int(start), pending: pending, in: &frame, &trace)
    }
  }

  @inline(__always)
  private static func run<T: Trace>(
    _ code: UnsafePointer<Instruction>, _ program: Program.Storage, from start: Int,
    pending: UInt64, in frame: inout Frame, _ trace: inout T
  ) -> Cell {
    let cells = frame.cells
    let kept = frame.pending
    var at = start
    var fault: UInt64 = 0
    var steps = frame.storage.limits.steps

    var work = 0
    /// Takes what an operation looked at from the budget; false when the budget is used up.
    @inline(__always)
    func isWithinBudget() -> Bool {
      if work < 64 { return true }
      steps &-= work >> 4
      work = 0
      return steps > 0
    }
    /// What going through a value once costs; only collections and long texts count.
    @inline(__always)
    func spend(_ operand: Instruction.Operand) {
      let cell = cells[Int(operand)]
      switch cell.tag {
      case Tag.longText, Tag.bytes: work &+= cell.outsideCount >> 2
      case Tag.list, Tag.map: work &+= cell.outsideCount
      default: break
      }
    }

    @inline(__always)
    func choose(_ outcome: Bool, _ targets: Targets) {
      trace.tested(at, outcome ? .yes : .no)
      at = Int(outcome ? targets.yes : targets.no)
    }
    @inline(__always)
    func fail(_ cell: Cell, _ target: UInt32) {
      fault = cell.low | UInt64(at) << 32
      at = Int(target)
    }
    @inline(__always)
    func failTest(_ cell: Cell, _ targets: Targets) {
      trace.tested(at, .fault)
      fail(cell, targets.fault)
    }
    /// A bool decides; anything else is a fault.
    @inline(__always)
    func decide(_ cell: Cell, _ targets: Targets) {
      if cell.tag == Tag.bool {
        choose(cell.boolValue, targets)
      } else {
        failTest(cell, targets)
      }
    }
    @inline(__always)
    func store(_ cell: Cell, _ to: UInt32, _ target: UInt32) {
      if cell.isValue {
        cells[Int(to)] = cell
        at &-= 1
      } else {
        fail(cell, target)
      }
    }

    while true {
      switch code[at] {
      case .isTrue(let a, let targets):
        let cell = cells[Int(a)]
        decide(cell.tag == Tag.bool ? cell : Arithmetic.noOverload(cell), targets)
      case .equalBits(let a, let constant, let targets):
        let cell = cells[Int(a)]
        if cell == cells[Int(constant)] {
          choose(true, targets)
        } else if cell.isValue {
          choose(false, targets)
        } else {
          failTest(Arithmetic.absent(cell), targets)
        }
      case .equalInt(let a, let constant, let targets):
        let cell = cells[Int(a)]
        if cell.tag == Tag.int {
          choose(cell.high == cells[Int(constant)].high, targets)
        } else if cell.isValue {
          choose(Comparing.areEqual(cells + Int(a), cells + Int(constant)), targets)
        } else {
          failTest(Arithmetic.absent(cell), targets)
        }
      case .equal(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.isValue, right.isValue {
          let isEqual = Comparing.areEqual(cells + Int(a), cells + Int(b), &work)
          if isWithinBudget() {
            choose(isEqual, targets)
          } else {
            failTest(Cell(fault: .limitExceeded), targets)
          }
        } else {
          failTest(Arithmetic.noOverload(left, right), targets)
        }
      case .less(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.tag == Tag.int, right.tag == Tag.int {
          choose(left.intValue < right.intValue, targets)
        } else {
          decide(ordered(cells + Int(a), cells + Int(b), orEqual: false), targets)
        }
      case .lessOrEqual(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.tag == Tag.int, right.tag == Tag.int {
          choose(left.intValue <= right.intValue, targets)
        } else {
          decide(ordered(cells + Int(a), cells + Int(b), orEqual: true), targets)
        }
      case .present(let slot, let targets):
        let cell = cells[Int(slot)]
        if cell.isValue || cell.tag == Tag.missing {
          choose(cell.isValue, targets)
        } else {
          failTest(Arithmetic.absent(cell), targets)
        }
      case .hasField(let a, let name, let targets):
        decide(CollectionFunctions.hasField(cells + Int(a), cells + Int(name)), targets)
      case .inBits(let a, let list, let targets):
        let cell = cells[Int(a)]
        if cell.isValue {
          choose(isElement(cell, of: cells[Int(list)]), targets)
        } else {
          failTest(Arithmetic.absent(cell), targets)
        }
      case .inSet(let a, let set, let targets):
        if cells[Int(a)].isValue {
          choose(program.sets[Int(set)].contains(cells + Int(a)), targets)
        } else {
          failTest(Arithmetic.absent(cells[Int(a)]), targets)
        }
      case .isIn(let a, let b, let targets):
        let isIn = CollectionFunctions.contains(cells + Int(b), cells + Int(a), &work)
        decide(isWithinBudget() ? isIn : Cell(fault: .limitExceeded), targets)
      case .contains(let a, let b, let targets):
        spend(a)
        decide(
          isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.contains)
            : Cell(fault: .limitExceeded), targets)
      case .startsWith(let a, let b, let targets):
        spend(b)
        decide(
          isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.startsWith)
            : Cell(fault: .limitExceeded), targets)
      case .endsWith(let a, let b, let targets):
        spend(b)
        decide(
          isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.endsWith)
            : Cell(fault: .limitExceeded), targets)
      case .matches(let a, let pattern, let targets):
        spend(a)
        let verdict =
          isWithinBudget()
          ? match(cells + Int(a), program.patterns[Int(pattern)], &frame)
          : Cell(fault: .limitExceeded)
        decide(verdict, targets)
      case .matchesText(let a, let b, let targets):
        spend(a)
        spend(b)
        let verdict =
          isWithinBudget()
          ? matchText(cells + Int(a), cells + Int(b), &frame) : Cell(fault: .limitExceeded)
        decide(verdict, targets)
      case .pend(let chain, let next):
        // The first fault of a chain is the one that is reported.
        if kept[Int(chain)].low != pending { kept[Int(chain)] = Cell(low: pending, high: fault) }
        at = Int(next)
      case .check(let chain, let target):
        if kept[Int(chain)].low == pending {
          fault = kept[Int(chain)].high
          at = Int(target)
        } else {
          at &-= 1
        }
      case .jump(let target):
        at = Int(target)
      case .finish(let place):
        let cell = cells[Int(place)]
        if cell.isValue { return cell }
        return Cell(low: Arithmetic.absent(cell).low | UInt64(at) << 32, high: 0)
      case .finishFault:
        return Cell(low: fault, high: 0)
      case .copy(let a, let to, let target):
        let cell = cells[Int(a)]
        store(cell.isValue ? cell : Arithmetic.absent(cell), to, target)
      case .add(let a, let b, let to, let target):
        store(Arithmetic.add(cells + Int(a), cells + Int(b), in: &frame.arena), to, target)
      case .subtract(let a, let b, let to, let target):
        store(Arithmetic.subtract(cells[Int(a)], cells[Int(b)]), to, target)
      case .multiply(let a, let b, let to, let target):
        store(Arithmetic.multiply(cells[Int(a)], cells[Int(b)]), to, target)
      case .divide(let a, let b, let to, let target):
        store(Arithmetic.divide(cells[Int(a)], cells[Int(b)]), to, target)
      case .modulo(let a, let b, let to, let target):
        store(Arithmetic.modulo(cells[Int(a)], cells[Int(b)]), to, target)
      case .negate(let a, let to, let target):
        store(Arithmetic.negate(cells[Int(a)]), to, target)
      case .size(let a, let to, let target):
        if cells[Int(a)].isText { spend(a) }
        store(
          isWithinBudget() ? CollectionFunctions.size(cells + Int(a)) : Cell(fault: .limitExceeded),
          to, target)
      case .select(let a, let name, let to, let target):
        spend(a)
        let field = CollectionFunctions.select(
          cells + Int(a), cells + Int(name), in: &frame.arena)
        store(isWithinBudget() ? field : Cell(fault: .limitExceeded), to, target)
      case .index(let a, let b, let to, let target):
        let element =
          cells[Int(a)].tag == Tag.optional
          ? OptionalFunctions.select(cells + Int(a), cells + Int(b), in: &frame.arena)
          : CollectionFunctions.index(cells + Int(a), cells + Int(b))
        if cells[Int(a)].tag == Tag.map { spend(a) }
        store(isWithinBudget() ? element : Cell(fault: .limitExceeded), to, target)
      case .makeList(let first, let count, let to, let target):
        store(list(cells + Int(first), Int(count), &frame.arena), to, target)
      case .makeMap(let first, let count, let to, let target):
        let map = CollectionFunctions.makeMap(cells + Int(first), Int(count), in: &frame.arena)
        store(map, to, target)
      case .call(let function, let count, let a, let b, let to, let target):
        if count > 0 { spend(a) }
        if count > 1 { spend(b) }
        let operands = Operands(cells + Int(a), cells + Int(b), count: Int(count))
        store(
          isWithinBudget() ? call(function, operands, &frame) : Cell(fault: .limitExceeded), to,
          target)
      case .callMany(let function, let count, let first, let to, let target):
        for i in 0..<UInt32(count) { spend(first + i) }
        let operands = Operands(cells + Int(first), count: Int(count))
        store(
          isWithinBudget() ? call(function, operands, &frame) : Cell(fault: .limitExceeded), to,
          target)
      case .beginLoop(let a, let iterator, let target):
        let range = cells[Int(a)]
        let isRange = range.tag == Tag.list || range.tag == Tag.map
        store(isRange ? Cell(Int64(0)) : Arithmetic.noOverload(range), iterator, target)
      case .next(let range, let iterator, let two, let done, let target):
        let place = cells + Int(iterator)
        if Int(truncatingIfNeeded: place.pointee.high) >= cells[Int(range)].outsideCount {
          at = Int(done)
        } else if steps <= 0 {
          fail(Cell(fault: .limitExceeded), target)
        } else {
          steps &-= 1
          Loops.advance(cells[Int(range)], place, two)
          at &-= 1
        }
      case .forget(let chain):
        kept[Int(chain)] = .missing
        at &-= 1
      case .newList(let to):
        cells[Int(to)] = Cell(tag: Tag.list, count: 0, at: nil)
        at &-= 1
      case .newMap(let to):
        cells[Int(to)] = Cell(tag: Tag.map, count: 0, at: nil)
        at &-= 1
      case .append(let a, let to, let target):
        let value = cells[Int(a)]
        store(Loops.append(value, to: cells[Int(to)], &frame.arena), to, target)
      case .appendOptional(let a, let to, let target):
        let value = cells[Int(a)]
        store(Loops.appendOptional(value, to: cells[Int(to)], &frame.arena), to, target)
      case .insert(let key, let a, let to, let target):
        spend(to)
        let map = Loops.insert(
          cells + Int(key), cells[Int(a)], into: cells[Int(to)], &frame.arena)
        store(isWithinBudget() ? map : Cell(fault: .limitExceeded), to, target)
      case .insertOptional(let key, let a, let to, let target):
        let map = Loops.insertOptional(
          cells + Int(key), cells[Int(a)], into: cells[Int(to)], &frame.arena)
        store(map, to, target)
      case .insertAll(let a, let to, let target):
        work &+= cells[Int(to)].outsideCount &* max(cells[Int(a)].outsideCount, 1)
        let map = Loops.insertAll(cells[Int(a)], into: cells[Int(to)], &frame.arena)
        store(isWithinBudget() ? map : Cell(fault: .limitExceeded), to, target)
      }
    }
  }

  @inline(never)
  private static func call(_ function: Function, _ operands: Operands, _ frame: inout Frame)
    -> Cell
  {
    switch function {
    case .regexReplace, .regexExtract, .regexExtractAll:
      RegexExtension.call(
        function, operands, frame.storage.limits, &frame.patternCache, &frame.regexScratch,
        &frame.arena)
    default: Calls.call(function, operands, &frame.arena)
    }
  }

  /// Whether a list holds these very bits.
  @inline(__always)
  private static func isElement(_ cell: Cell, of list: Cell) -> Bool {
    let elements = list.elements
    var i = 0
    while i < elements.count {
      if elements[i] == cell { return true }
      i &+= 1
    }
    return false
  }

  /// `<` or `<=` as a bool, or a fault. NaN has no order: false.
  @inline(never)
  private static func ordered(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, orEqual: Bool
  ) -> Cell {
    switch Comparing.order(a, b) {
    case .less: .true
    case .equal: Cell(orEqual)
    case .greater, .unordered: .false
    case .noOverload: Arithmetic.noOverload(a.pointee, b.pointee)
    }
  }

  @inline(__always)
  private static func textTest(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ test: (ByteView, ByteView) -> Bool
  ) -> Cell {
    guard a.pointee.isText, b.pointee.isText else {
      return Arithmetic.noOverload(a.pointee, b.pointee)
    }
    return Cell(test(a.textBytes, b.textBytes))
  }

  private static func list(_ first: UnsafePointer<Cell>, _ count: Int, _ arena: inout Arena)
    -> Cell
  {
    guard let memory = arena.cells(max(count, 1)) else { return Cell(fault: .limitExceeded) }
    for i in 0..<count { memory[i] = first[i] }
    return Cell(tag: Tag.list, count: count, at: memory)
  }

  @inline(never)
  private static func match(
    _ text: UnsafePointer<Cell>, _ pattern: RegexPattern, _ frame: inout Frame
  ) -> Cell {
    guard text.pointee.isText else { return Arithmetic.noOverload(text.pointee) }
    // Texts are valid UTF-8 from whatever they are made: JSON is checked, bytes are converted.
    switch pattern.matches(text.textBytes, validated: true, scratch: &frame.regexScratch) {
    case .matched: return .true
    case .notMatched: return .false
    case .limitExceeded: return Cell(fault: .limitExceeded)
    case .invalidUTF8: return Cell(fault: .conversion)
    }
  }

  @inline(never)
  private static func matchText(
    _ text: UnsafePointer<Cell>, _ pattern: UnsafePointer<Cell>, _ frame: inout Frame
  ) -> Cell {
    guard text.pointee.isText, pattern.pointee.isText else {
      return Arithmetic.noOverload(text.pointee, pattern.pointee)
    }
    let limits = RegexLimits(frame.storage.limits)
    guard let compiled = frame.patternCache.pattern(pattern.textBytes, limits) else {
      return Cell(fault: .badRegex)
    }
    return match(text, compiled, &frame)
  }
}
