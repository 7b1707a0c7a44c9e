/// A pattern as an automaton over code points, for walks over all strings together. The automaton only determines
/// whether a string contains a match, not where.
package final class RegexAutomaton: Sendable {
  /// The possible places in the pattern after some letters.
  package struct State: Hashable, Sendable {
    /// Instructions that are reached before the next letter, in numerical order.
    fileprivate var instructions: [UInt32]
    /// Whether no letter was read yet, and whether the last letter ended a line. Each is only tracked if the pattern tests
    /// for it.
    fileprivate var isStart: Bool
    fileprivate var isLineStart: Bool
    /// Whether there is a match, whatever follows.
    package var isFound: Bool

    /// The number of possible places in the pattern.
    package var size: Int { instructions.count }
  }

  /// The source of the pattern.
  package let text: [UInt8]
  private let program: PikeProgram
  private let sets: [RegexSet]
  private let matcher: RegexPattern
  private let asksStart: Bool
  private let asksLines: Bool
  private let seesLines: Bool
  /// Code points that begin a class. The pattern does not distinguish the code points from one border to the next.
  package let borders: [UInt32]
  /// A string that probably contains a match.
  package let example: String?
  /// The tests of instructions that read a letter, each once.
  private let questions: [(operation: PikeInstruction.Operation, argument: UInt32)]

  private static let mostInstructions = 512
  private static let mostBorders = 4_096

  /// - Parameters:
  ///   - checked: the pattern.
  ///   - text: the source of the pattern.
  /// - Returns: nil for a pattern that has word boundaries or is too large.
  package init?(_ checked: CheckedPattern, text: [UInt8]) {
    guard checked.size <= Self.mostInstructions else { return nil }
    self.text = text
    example = checked.example()
    matcher = RegexPattern(checked)
    // The assertions determine where a match can begin.
    program = PikeProgram(checked.regex, isAnchored: false)
    sets = checked.regex.sets
    var borders: Set<UInt32> = [0]
    var assertions: Set<RegexAssertion> = []
    for instruction in program.instructions {
      switch instruction.operation {
      case .scalar: borders.formUnion([instruction.argument, instruction.argument + 1])
      case .set:
        for range in sets[Int(instruction.argument)].explicitRanges {
          borders.formUnion([range.low, range.high + 1])
        }
      case .assertion:
        guard let assertion = RegexAssertion(rawValue: instruction.argument) else { return nil }
        assertions.insert(assertion)
      case .any, .split, .save, .match: continue
      }
    }
    let known: Set<RegexAssertion> = [.textStart, .textEnd, .lineStart, .lineEnd]
    guard assertions.isSubset(of: known), borders.count <= Self.mostBorders else { return nil }
    asksStart = assertions.contains(.textStart)
    asksLines = assertions.contains(.lineStart)
    seesLines = asksLines || assertions.contains(.lineEnd)
    if seesLines { borders.formUnion([0x0A, 0x0B]) }
    var questions: [(operation: PikeInstruction.Operation, argument: UInt32)] = []
    for instruction in program.instructions
    where [.scalar, .set].contains(instruction.operation)
      && !questions.contains(where: {
        $0.operation == instruction.operation && $0.argument == instruction.argument
      })
    {
      questions.append((instruction.operation, instruction.argument))
    }
    self.questions = questions
    self.borders = borders.filter { $0 <= 0x10_FFFF }.sorted()
  }

  /// The state before every string.
  package var start: State {
    State(
      instructions: [program.start], isStart: asksStart, isLineStart: asksLines, isFound: false)
  }

  /// The results of the pattern's tests for a letter. The pattern does not distinguish letters with equal results.
  package func kind(of letter: UInt32) -> [UInt64] {
    var kind: [UInt64] = Array(repeating: 0, count: questions.count / 64 + 1)
    for (i, question) in questions.enumerated() {
      let passes =
        question.operation == .scalar
        ? question.argument == letter : sets[Int(question.argument)].contains(letter)
      if passes { kind[i / 64] |= 1 << UInt64(i % 64) }
    }
    if seesLines, letter == 0x0A { kind.append(1) }
    return kind
  }

  /// The state after one more letter.
  package func step(_ state: State, _ letter: UInt32) -> State {
    if state.isFound { return state }
    let (open, isFound) = reached(state, next: letter)
    if isFound { return State(instructions: [], isStart: false, isLineStart: false, isFound: true) }
    // A match may begin after every letter.
    var following: Set<UInt32> = [program.start]
    for number in open {
      let instruction = program.instructions[Int(number)]
      let passes =
        switch instruction.operation {
        case .scalar: instruction.argument == letter
        case .set: sets[Int(instruction.argument)].contains(letter)
        case .any: true
        case .split, .save, .assertion, .match: false
        }
      if passes { following.insert(behindGroups(instruction.next)) }
    }
    return State(
      instructions: following.sorted(), isStart: false,
      isLineStart: asksLines && letter == 0x0A, isFound: false)
  }

  /// The next instruction that is not the end of a group.
  private func behindGroups(_ number: UInt32) -> UInt32 {
    var number = number
    while program.instructions[Int(number)].operation == .save {
      number = program.instructions[Int(number)].next
    }
    return number
  }

  /// Whether a string that ends in a state contains a match.
  package func accepts(_ state: State) -> Bool {
    state.isFound || reached(state, next: nil).isFound
  }

  /// Whether the matcher and the automaton have the same result for a string.
  package func agreesWithMatcher(on text: String, _ scratch: inout RegexScratch) -> Bool {
    var state = start
    for scalar in text.unicodeScalars { state = step(state, scalar.value) }
    // SAFETY: The matcher uses the view only during the call. A string's bytes are valid UTF-8.
    // Tests: RegexAutomatonTests.
    let verdict = Array(text.utf8).withUnsafeBufferPointer {
      matcher.matches($0, validated: true, scratch: &scratch)
    }
    return verdict == (accepts(state) ? .matched : .notMatched)
  }

  /// The instructions that wait for a letter, and whether there is a match.
  private func reached(_ state: State, next: UInt32?) -> (open: [UInt32], isFound: Bool) {
    var seen = Set(state.instructions)
    var pending = state.instructions
    var open: [UInt32] = []
    func add(_ number: UInt32) {
      if seen.insert(number).inserted { pending.append(number) }
    }
    while let number = pending.popLast() {
      let instruction = program.instructions[Int(number)]
      switch instruction.operation {
      case .match: return ([], true)
      case .scalar, .set, .any: open.append(number)
      case .save: add(instruction.next)
      case .split:
        add(instruction.next)
        add(instruction.argument)
      case .assertion:
        let holds =
          switch RegexAssertion(rawValue: instruction.argument) {
          case .textStart: state.isStart
          case .textEnd: next == nil
          case .lineStart: state.isLineStart
          case .lineEnd: next == nil || next == 0x0A
          default: false
          }
        if holds { add(instruction.next) }
      }
    }
    return (open, false)
  }
}
