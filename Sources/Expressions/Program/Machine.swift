internal import Regex

/// Runs instructions on a frame. Every run ends: targets are always lower than the instruction with the target,
/// except for the jumps back of loops, whose rounds are limited.
enum Machine {
  // SAFETY: The compiler numbers cells and targets, and the frame has a cell for each. Targets are
  // lower than their instruction, except for loops, whose rounds are counted. Temporaries are
  // written before they are read. Tests: ReferenceTests, SharingTests, fuzz evaluator.

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
      defer { frame.vacateTemporaries() }
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
    var state = RunState(at: start, steps: frame.storage.limits.steps, trace: trace)
    defer { trace = state.trace }

    while true {
      state.trace.runs(state.at)
      switch code[state.at] {
      case .isTrue(let a, let targets):
        let cell = cells[Int(a)]
        state.decide(cell.tag == Tag.bool ? cell : Arithmetic.noOverload(cell), targets)
      case .equalBits(let a, let constant, let targets):
        let cell = cells[Int(a)]
        if cell == cells[Int(constant)] {
          state.choose(true, targets)
        } else if cell.isValue {
          state.choose(false, targets)
        } else {
          state.failTest(Arithmetic.absent(cell), targets)
        }
      case .equalInt(let a, let constant, let targets):
        let cell = cells[Int(a)]
        if cell.tag == Tag.int {
          state.choose(cell.high == cells[Int(constant)].high, targets)
        } else if cell.isValue {
          state.choose(Comparing.areEqual(cells + Int(a), cells + Int(constant)), targets)
        } else {
          state.failTest(Arithmetic.absent(cell), targets)
        }
      case .equal(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.isValue, right.isValue {
          let isEqual = Comparing.areEqual(cells + Int(a), cells + Int(b), &state.work)
          if state.isWithinBudget() {
            state.choose(isEqual, targets)
          } else {
            state.failTest(Cell(fault: .limitExceeded), targets)
          }
        } else {
          state.failTest(Arithmetic.noOverload(left, right), targets)
        }
      case .less(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.tag == Tag.int, right.tag == Tag.int {
          state.choose(left.intValue < right.intValue, targets)
        } else {
          state.spend(left)
          state.decide(
            state.isWithinBudget()
              ? ordered(cells + Int(a), cells + Int(b), orEqual: false)
              : Cell(fault: .limitExceeded), targets)
        }
      case .lessOrEqual(let a, let b, let targets):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.tag == Tag.int, right.tag == Tag.int {
          state.choose(left.intValue <= right.intValue, targets)
        } else {
          state.spend(left)
          state.decide(
            state.isWithinBudget()
              ? ordered(cells + Int(a), cells + Int(b), orEqual: true)
              : Cell(fault: .limitExceeded), targets)
        }
      case .present(let slot, let targets):
        let cell = cells[Int(slot)]
        if cell.isValue || cell.tag == Tag.missing {
          state.choose(cell.isValue, targets)
        } else {
          state.failTest(Arithmetic.absent(cell), targets)
        }
      case .hasField(let a, let name, let targets):
        state.spend(cells[Int(a)])
        state.decide(
          state.isWithinBudget()
            ? CollectionFunctions.hasField(cells + Int(a), cells + Int(name))
            : Cell(fault: .limitExceeded), targets)
      case .inBits(let a, let list, let targets):
        let cell = cells[Int(a)]
        if cell.isValue {
          state.choose(isElement(cell, of: cells[Int(list)]), targets)
        } else {
          state.failTest(Arithmetic.absent(cell), targets)
        }
      case .inSet(let a, let set, let targets):
        state.spend(cells[Int(a)])
        if !cells[Int(a)].isValue {
          state.failTest(Arithmetic.absent(cells[Int(a)]), targets)
        } else if state.isWithinBudget() {
          state.choose(program.sets[Int(set)].contains(cells + Int(a)), targets)
        } else {
          state.failTest(Cell(fault: .limitExceeded), targets)
        }
      case .isIn(let a, let b, let targets):
        let isIn = CollectionFunctions.contains(cells + Int(b), cells + Int(a), &state.work)
        state.decide(state.isWithinBudget() ? isIn : Cell(fault: .limitExceeded), targets)
      case .contains(let a, let b, let targets):
        state.spend(cells[Int(a)])
        state.decide(
          state.isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.contains)
            : Cell(fault: .limitExceeded), targets)
      case .startsWith(let a, let b, let targets):
        state.spend(cells[Int(b)])
        state.decide(
          state.isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.startsWith)
            : Cell(fault: .limitExceeded), targets)
      case .endsWith(let a, let b, let targets):
        state.spend(cells[Int(b)])
        state.decide(
          state.isWithinBudget()
            ? textTest(cells + Int(a), cells + Int(b), TextFunctions.endsWith)
            : Cell(fault: .limitExceeded), targets)
      case .matches(let a, let pattern, let targets):
        state.spend(cells[Int(a)])
        let verdict =
          state.isWithinBudget()
          ? match(cells + Int(a), frame.running.patterns[Int(pattern)], &frame, &state.work)
          : Cell(fault: .limitExceeded)
        state.decide(verdict, targets)
      case .matchesText(let a, let b, let targets):
        state.spend(cells[Int(a)])
        state.spend(cells[Int(b)])
        let verdict =
          state.isWithinBudget()
          ? matchText(cells + Int(a), cells + Int(b), &frame, &state.work)
          : Cell(fault: .limitExceeded)
        state.decide(verdict, targets)
      case .isTruthy(let a, let targets):
        let cell = cells[Int(a)]
        if cell.tag == Tag.undeclared {
          state.failTest(Arithmetic.absent(cell), targets)
        } else {
          state.choose(Superscript.isTruthy(cell), targets)
        }
      case .compare(let a, let b, let targets, let comparison):
        let (left, right) = (cells[Int(a)], cells[Int(b)])
        if left.tag == Tag.int, right.tag == Tag.int {
          state.choose(comparison.holds(left.intValue, right.intValue), targets)
        } else {
          state.decide(Superscript.compare(cells + Int(a), cells + Int(b), comparison), targets)
        }
      case .testCall(let a, let b, let targets, let function):
        let result = Superscript.test(function, cells + Int(a), cells + Int(b), &state.work)
        state.decide(state.isWithinBudget() ? result : Cell(fault: .limitExceeded), targets)
      case .skipIfMissing(let a, let next, let missing, let target):
        let cell = cells[Int(a)]
        if cell.isValue {
          state.at = Int(next)
        } else {
          let fault = Arithmetic.absent(cell)
          if FaultSet.missing.contains(fault: fault.low) {
            state.choose(false, Targets(yes: missing, no: missing, fault: target))
          } else {
            state.fail(fault, target)
          }
        }
      case .settle(let outcome, let target):
        state.choose(outcome, Targets(yes: target, no: target, fault: target))
      case .rescue(let kinds, let caught, let other):
        state.at = Int(kinds.contains(fault: state.fault) ? caught : other)
      case .raise(let kind, let target):
        state.fail(Cell(fault: kind), target)
      case .pend(let chain, let next):
        // Only the first fault of a chain is reported.
        if kept[Int(chain)].low != pending {
          kept[Int(chain)] = Cell(low: pending, high: state.fault)
        }
        state.at = Int(next)
      case .check(let chain, let target):
        if kept[Int(chain)].low == pending {
          state.fault = kept[Int(chain)].high
          state.at = Int(target)
        } else {
          state.at &-= 1
        }
      case .keep(let to, let next):
        cells[Int(to)] = Cell(low: state.fault, high: 0)
        state.at = Int(next)
      case .renew:
        state.renew(frame.storage.limits.steps)
        frame.arena.release(to: frame.runMark)
        state.at &-= 1
      case .jump(let target):
        state.at = Int(target)
      case .branch(let a, let yes, let no):
        state.at = Int(cells[Int(a)] == .true ? yes : no)
      case .finish(let place):
        let cell = cells[Int(place)]
        if cell.isValue { return cell }
        return Cell(low: state.placed(Arithmetic.absent(cell)), high: 0)
      case .finishFault:
        return Cell(low: state.fault, high: 0)
      case .copy(let a, let to, let target):
        let cell = cells[Int(a)]
        state.store(in: cells, cell.isValue ? cell : Arithmetic.absent(cell), to, target)
      case .orElse(let a, let b, let to, let target):
        let cell = cells[Int(a)]
        if cell.isValue {
          state.store(in: cells, cell, to, target)
        } else {
          let fault = Arithmetic.absent(cell)
          let isMissing = FaultSet.missing.contains(fault: fault.low)
          state.store(in: cells, isMissing ? cells[Int(b)] : fault, to, target)
        }
      case .orNull(let a, let to, let target):
        let cell = cells[Int(a)]
        let isNull = cell.tag == Tag.missing
        let isBehind = cell.tag == Tag.behindValue
        let other =
          isNull ? .null : isBehind ? Cell(fault: .noSuchOverload) : Arithmetic.absent(cell)
        state.store(in: cells, cell.isValue ? cell : other, to, target)
      case .add(let a, let b, let to, let target):
        state.store(
          in: cells, Arithmetic.add(cells + Int(a), cells + Int(b), in: &frame.arena), to, target)
      case .subtract(let a, let b, let to, let target):
        state.store(in: cells, Arithmetic.subtract(cells[Int(a)], cells[Int(b)]), to, target)
      case .multiply(let a, let b, let to, let target):
        state.store(in: cells, Arithmetic.multiply(cells[Int(a)], cells[Int(b)]), to, target)
      case .divide(let a, let b, let to, let target):
        state.store(in: cells, Arithmetic.divide(cells[Int(a)], cells[Int(b)]), to, target)
      case .modulo(let a, let b, let to, let target):
        state.store(in: cells, Arithmetic.modulo(cells[Int(a)], cells[Int(b)]), to, target)
      case .negate(let a, let to, let target):
        state.store(in: cells, Arithmetic.negate(cells[Int(a)]), to, target)
      case .size(let a, let to, let target):
        if cells[Int(a)].isText { state.spend(cells[Int(a)]) }
        state.store(
          in: cells,
          state.isWithinBudget()
            ? CollectionFunctions.size(cells + Int(a)) : Cell(fault: .limitExceeded),
          to, target)
      case .select(let a, let name, let to, let target):
        state.spend(cells[Int(a)])
        let field = CollectionFunctions.select(
          cells + Int(a), cells + Int(name), in: &frame.arena)
        state.store(
          in: cells, state.isWithinBudget() ? field : Cell(fault: .limitExceeded), to, target)
      case .index(let a, let b, let to, let target):
        let element =
          cells[Int(a)].tag == Tag.optional
          ? OptionalFunctions.select(cells + Int(a), cells + Int(b), in: &frame.arena)
          : CollectionFunctions.index(cells + Int(a), cells + Int(b))
        if cells[Int(a)].tag == Tag.map { state.spend(cells[Int(a)]) }
        state.store(
          in: cells, state.isWithinBudget() ? element : Cell(fault: .limitExceeded), to, target)
      case .member(let a, let name, let to, let target, let isFunction):
        let member = Superscript.member(
          cells + Int(a), cells + Int(name), isFunction: isFunction, &state.work, in: &frame.arena)
        state.store(
          in: cells, state.isWithinBudget() ? member : Cell(fault: .limitExceeded), to, target)
      case .arithmetic(let a, let b, let to, let target, let operation):
        let result = Superscript.apply(operation, cells + Int(a), cells + Int(b), in: &frame.arena)
        state.store(in: cells, result, to, target)
      case .makeList(let first, let count, let to, let target):
        state.store(in: cells, list(cells + Int(first), Int(count), &frame.arena), to, target)
      case .makeMap(let first, let count, let to, let target):
        let map = CollectionFunctions.makeMap(cells + Int(first), Int(count), in: &frame.arena)
        state.store(in: cells, map, to, target)
      case .makeMapKeepingLast(let first, let count, let to, let target):
        let map = Superscript.makeMap(cells + Int(first), Int(count), in: &frame.arena)
        state.store(in: cells, map, to, target)
      case .call(let function, let count, let a, let b, let to, let target):
        if count > 0 { state.spend(cells[Int(a)]) }
        if count > 1 { state.spend(cells[Int(b)]) }
        let operands = Operands(cells + Int(a), cells + Int(b), count: Int(count))
        state.store(
          in: cells,
          state.isWithinBudget()
            ? call(function, operands, &frame, &state.work) : Cell(fault: .limitExceeded), to,
          target)
      case .callMany(let function, let count, let first, let to, let target):
        for i in 0..<UInt32(count) { state.spend(cells[Int(first + i)]) }
        let operands = Operands(cells + Int(first), count: Int(count))
        state.store(
          in: cells,
          state.isWithinBudget()
            ? call(function, operands, &frame, &state.work) : Cell(fault: .limitExceeded), to,
          target)
      case .beginLoop(let a, let iterator, let target):
        let range = cells[Int(a)]
        let isRange = range.tag == Tag.list || range.tag == Tag.map
        state.store(
          in: cells, isRange ? Cell(Int64(0)) : Arithmetic.noOverload(range), iterator, target)
      case .next(let range, let iterator, let two, let done, let target):
        let place = cells + Int(iterator)
        if Int(truncatingIfNeeded: place.pointee.high) >= cells[Int(range)].outsideCount {
          state.at = Int(done)
        } else if state.steps <= 0 {
          state.fail(Cell(fault: .limitExceeded), target)
        } else {
          state.steps &-= 1
          Loops.advance(cells[Int(range)], place, two)
          state.at &-= 1
        }
      case .forget(let chain):
        kept[Int(chain)] = .missing
        state.at &-= 1
      case .newList(let to):
        cells[Int(to)] = Cell(tag: Tag.list, count: 0, at: nil)
        state.at &-= 1
      case .newMap(let to):
        cells[Int(to)] = Cell(tag: Tag.map, count: 0, at: nil)
        state.at &-= 1
      case .append(let a, let to, let target):
        let value = cells[Int(a)]
        state.store(in: cells, Loops.append(value, to: cells[Int(to)], &frame.arena), to, target)
      case .appendOptional(let a, let to, let target):
        let value = cells[Int(a)]
        state.store(
          in: cells, Loops.appendOptional(value, to: cells[Int(to)], &frame.arena), to, target)
      case .insert(let key, let a, let to, let target):
        state.spend(cells[Int(to)])
        let map = Loops.insert(
          cells + Int(key), cells[Int(a)], into: cells[Int(to)], &frame.arena)
        state.store(
          in: cells, state.isWithinBudget() ? map : Cell(fault: .limitExceeded), to, target)
      case .insertOptional(let key, let a, let to, let target):
        let map = Loops.insertOptional(
          cells + Int(key), cells[Int(a)], into: cells[Int(to)], &frame.arena)
        state.store(in: cells, map, to, target)
      case .writeText(let a):
        state.write(cells + Int(a), &frame.rendering)
      case .write(let a, let form, let next):
        state.write(cells + Int(a), form, next, &frame.rendering)
      case .move(let a, let to):
        cells[Int(to)] = cells[Int(a)]
        state.at &-= 1
      case .affirms(let a, let targets):
        state.choose(cells[Int(a)].holds, targets)
      case .relation(let a, let b, let targets, let relation):
        state.work &+= 4
        let outcome = LiquidComparing.test(
          relation, cells + Int(a), cells + Int(b), &frame.rendering, &frame.arena, &state.work)
        state.decide(state.isWithinBudget() ? outcome : Cell(fault: .limitExceeded), targets)
      case .filter(let function, let count, let first, let to, let target):
        state.work &+= function.row.work
        for i in 0..<UInt32(count) { state.spend(cells[Int(first + i)]) }
        if function.row.readsCharacters, cells[Int(first)].tag == Tag.longText {
          state.work &+= cells[Int(first)].outsideCount &* 4
        }
        let operands = Operands(cells + Int(first), count: Int(count))
        let result =
          state.isWithinBudget()
          ? filter(function, operands, &frame, &state.work) : Cell(fault: .limitExceeded)
        state.store(in: cells, result, to, target)
      case .beginCapture(let to):
        cells[Int(to)] = Cell(Int64(frame.rendering.output.count))
        state.at &-= 1
      case .endCapture(let a, let to, let target):
        let text = frame.rendering.takeCapture(from: cells[Int(a)], &frame.arena)
        state.store(in: cells, text, to, target)
      case .report(let next):
        state.report(next, &frame.rendering)
      case .insertAll(let a, let to, let target):
        state.work &+= cells[Int(to)].outsideCount &* max(cells[Int(a)].outsideCount, 1)
        let map = Loops.insertAll(cells[Int(a)], into: cells[Int(to)], &frame.arena)
        state.store(
          in: cells, state.isWithinBudget() ? map : Cell(fault: .limitExceeded), to, target)
      }
    }
  }

  @inline(never)
  private static func call(
    _ function: Function, _ operands: Operands, _ frame: inout Frame, _ work: inout Int
  ) -> Cell {
    switch function {
    case .regexReplace, .regexExtract, .regexExtractAll:
      frame.regexScratch.work = 0
      let result = RegexExtension.call(
        function, operands, frame.storage.limits, &frame.patternCache, &frame.regexScratch,
        &frame.arena)
      work &+= frame.regexScratch.work
      return result
    case .custom:
      let (functions, limits) = (frame.storage.environment.functions, frame.storage.limits)
      return CustomFunctions.call(operands, functions, limits, &frame.arena)
    default: return Calls.call(function, operands, &frame.arena)
    }
  }

  @inline(never)
  private static func filter(
    _ function: LiquidFunction, _ operands: Operands, _ frame: inout Frame, _ work: inout Int
  ) -> Cell {
    LiquidFunctions.call(function, operands, &frame.rendering, &frame.arena, &work)
  }

  /// Whether a list contains a cell with exactly these bits.
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

  /// The result of `<` or `<=` as a bool, or an error. NaN has no order, so the result is false.
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
    _ text: UnsafePointer<Cell>, _ pattern: RegexPattern, _ frame: inout Frame,
    _ work: inout Int
  ) -> Cell {
    guard text.pointee.isText else { return Arithmetic.noOverload(text.pointee) }
    frame.regexScratch.work = 0
    defer { work &+= frame.regexScratch.work }
    // Strings are always valid UTF-8: JSON is validated, and bytes are converted.
    switch pattern.matches(text.textBytes, validated: true, scratch: &frame.regexScratch) {
    case .matched: return .true
    case .notMatched: return .false
    case .limitExceeded: return Cell(fault: .limitExceeded)
    case .invalidUTF8: return Cell(fault: .conversion)
    }
  }

  @inline(never)
  private static func matchText(
    _ text: UnsafePointer<Cell>, _ pattern: UnsafePointer<Cell>, _ frame: inout Frame,
    _ work: inout Int
  ) -> Cell {
    guard pattern.pointee.isText else {
      return Arithmetic.noOverload(text.pointee, pattern.pointee)
    }
    // An invalid pattern is reported whatever the string is, as for a constant pattern.
    let limits = RegexLimits(frame.storage.limits)
    switch frame.patternCache.pattern(pattern.textBytes, frame.storage.patternSyntax, limits, &work)
    {
    case .pattern(let compiled):
      guard text.pointee.isText else {
        return Arithmetic.noOverload(text.pointee, pattern.pointee)
      }
      return match(text, compiled, &frame, &work)
    case .none(let reason): return Cell(fault: reason)
    }
  }
}
