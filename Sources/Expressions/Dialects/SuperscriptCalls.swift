/// The functions of superscript by name.
extension Superscript {
  /// Functions of values by name.
  static let byName = Dictionary(
    uniqueKeysWithValues: FunctionEntry.named(in: .superscript)
      .compactMap { entry in entry.function.notation.map { ($0.name, entry.function) } })

  /// Functions that always exist. A member with one of these names is never missing.
  static let functions = Set(byName.keys).union(Form.allCases.map { $0.rawValue })
    // Superscript's own tests use these functions.
    .union(["unknownFunction", "test_custom_func"])

  /// The functions of a generation. The oldest generation has none of superscript's own functions except `maybe`.
  static func functions(in behavior: EvaluatorBehavior) -> Set<String> {
    behavior == .raw ? oldestFunctions : functions
  }

  private static let oldestFunctions = functions.subtracting(
    ["hasFn", "unknownFunction", "test_custom_func"] + announcedFunctions)

  private static let announcedFunctions = Function.allCases.filter { $0.row.isAnnounced }
    .compactMap { $0.notation?.name }

  /// The names of superscript's own functions, for which `hasFn` is true, plain and on `device` and `computed`. The
  /// functions of the host are not included, nor those of the underlying language, such as `size`. `toString` is
  /// included, although no evaluator implements it.
  static let announced =
    ["maybe", "toString", "hasFn"] + announcedFunctions

  /// All names for which `hasFn` is true.
  static func announced(with host: HostFunctions) -> [String] {
    announced + host.device + host.computed + (announced + host.device).map { "device." + $0 }
      + (announced + host.computed).map { "computed." + $0 }
  }
}

/// Checks calls. A function takes its receiver, or its first argument, and then further arguments. Surplus arguments
/// are ignored.
extension Checker {
  /// The arguments of a call that its function has not taken yet.
  struct CallReader {
    /// The receiver's value.
    var receiver: ConditionGraph.ID?
    var arguments: ArraySlice<UInt32>
    /// The nodes that are rewritten in the arguments.
    var rewriting: Rewriting
    var origin: ConditionGraph.Origin

    /// The next argument as written.
    mutating func next() -> SyntaxTree.ID? { arguments.popFirst().map(Int.init) }
  }

  /// Whether a node is a call `device.f(...)` or `computed.f(...)` of a function for which `hasFn` is false.
  func isUnansweredCall(_ node: SyntaxTree.Node) -> Bool {
    guard let target = tree.list(node.c).first, target > 0 else { return false }
    let receiver = tree[Int(target) - 1]
    guard receiver.kind == .identifier else { return false }
    let name = tree.name(node.a, node.b)
    if Superscript.announced.contains(name) { return false }
    switch tree.name(receiver.a, receiver.b) {
    case "device": return !hostFunctions.device.contains(name)
    case "computed": return !hostFunctions.computed.contains(name)
    default: return false
    }
  }

  /// Reports that a function does not exist, and returns a node that replaces the call.
  mutating func unknownFunction(_ node: SyntaxTree.Node, _ value: Cell?) -> ConditionGraph.ID {
    let name = tree.name(node.a, node.b)
    let host = hostFunctions
    let known =
      Superscript.functions(in: environment.behavior).sorted() + host.device + host.computed
    let effect =
      value == nil ? "an expression that calls it \(unknownEffect)" : "the call has no value"
    diagnostics.append(
      Diagnostic(
        .unknownFunction, "the function '\(name)' does not exist: \(effect)", severity: .warning,
        range: named(node, node.a, node.b).range,
        suggestion: FunctionHint.text(name, known: known)))
    return raise(.undeclaredName, origin(node))
  }

  mutating func superscriptCall(_ node: SyntaxTree.Node, _ rewriting: Rewriting)
    -> ConditionGraph.ID
  {
    let name = tree.name(node.a, node.b)
    let parts = tree.list(node.c)
    guard isSuperscriptFunction(name) else { return unknownFunction(node, nil) }
    // Members in has(...) and hasFn(...) may be missing.
    let asks = name == "has" || name == "hasFn"
    var reader = CallReader(
      receiver: nil, arguments: parts.dropFirst(),
      rewriting: asks && rewriting == .everything ? .literals : rewriting, origin: origin(node))
    if let target = parts.first, target > 0 {
      reader.receiver = superscript(Int(target) - 1, rewriting)
    }
    if hostFunctions.contains(name) { return hostCall(name, &reader) }
    if let form = Superscript.Form(rawValue: name) { return superscriptForm(form, &reader) }
    switch Superscript.byName[name] {
    case .containsAnything:
      return receiving(&reader, 1) { checker, operands, origin in
        checker.graph.add(
          .testCall, list: operands, Int(Function.containsAnything.rawValue), at: origin)
      }
    case .greatestOf: return greatest(&reader)
    case let function? where function.textTest != nil:
      if function == .matches { hasPatterns = true }
      return textTest(function, &reader)
    case let function?:
      return function.entry.method == nil
        ? ofArgument(function, &reader)
        : receiving(&reader, 0) { $0.addCall(function, $1, $2) }
    case nil: return withReceiver(reader, graph.addConstant(.null, at: reader.origin))
    }
  }

  private mutating func superscriptForm(_ form: Superscript.Form, _ reader: inout CallReader)
    -> ConditionGraph.ID
  {
    switch form {
    case .has: presence(&reader)
    case .hasFn: announces(&reader)
    case .maybe: maybe(&reader)
    case .all, .exists, .existsOne, .map, .filter: superscriptLoop(form, &reader)
    }
  }

  // MARK: Arguments

  /// Evaluates a receiver even if the function does not use it.
  private mutating func withReceiver(_ reader: CallReader, _ node: ConditionGraph.ID)
    -> ConditionGraph.ID
  {
    reader.receiver.map { sequence([$0, node], reader.origin) } ?? node
  }

  private mutating func argument(_ reader: inout CallReader) -> ConditionGraph.ID? {
    reader.next().map { superscript($0, reader.rewriting) }
  }

  /// Takes the receiver, or the first argument if there is no receiver. All errors of that argument become one error.
  private mutating func receiver(_ reader: inout CallReader) -> ConditionGraph.ID? {
    if let receiver = reader.receiver { return receiver }
    return argument(&reader).map { masked($0, reader.origin) }
  }

  private mutating func masked(
    _ node: ConditionGraph.ID, _ origin: ConditionGraph.Origin,
    as kind: EvaluationError.Kind = .badArgument
  ) -> ConditionGraph.ID {
    guard graph.canFail(node) else { return node }
    return rescue(node, raise(kind, origin), .recoverable, origin)
  }

  /// Adds the error of a call that lacks an argument. The preceding nodes are evaluated first.
  private mutating func lacking(
    _ evaluated: [ConditionGraph.ID], _ reader: CallReader,
    _ kind: EvaluationError.Kind = .badArgument
  ) -> ConditionGraph.ID {
    sequence(evaluated + [raise(kind, reader.origin)], reader.origin)
  }

  /// Adds a call with its receiver and further arguments.
  private mutating func receiving(
    _ reader: inout CallReader, _ count: Int,
    _ make: (inout Checker, [ConditionGraph.ID], ConditionGraph.Origin) -> ConditionGraph.ID
  ) -> ConditionGraph.ID {
    guard let this = receiver(&reader) else { return lacking([], reader) }
    var operands = [this]
    for _ in 0..<count {
      guard let next = argument(&reader) else { return lacking(operands, reader) }
      operands[0] = readFirst(operands[0], before: next)
      operands.append(next)
    }
    return make(&self, operands, reader.origin)
  }

  /// The receiver's type is checked before the argument is evaluated.
  private mutating func textTest(_ function: Function, _ reader: inout CallReader)
    -> ConditionGraph.ID
  {
    receiving(&reader, 1) { checker, operands, origin in
      var operands = operands
      if checker.graph.canFail(operands[1]) {
        operands[0] = checker.addCall(.requireText, [operands[0]], origin)
      }
      return checker.addCall(function, operands, origin)
    }
  }

  private mutating func ofArgument(_ function: Function, _ reader: inout CallReader)
    -> ConditionGraph.ID
  {
    guard let value = argument(&reader) else {
      return lacking(reader.receiver.map { [$0] } ?? [], reader)
    }
    return withReceiver(reader, addCall(function, [value], reader.origin))
  }

  private mutating func greatest(_ reader: inout CallReader) -> ConditionGraph.ID {
    var operands: [ConditionGraph.ID] = []
    while let next = argument(&reader) { operands.append(next) }
    if operands.count > Int(UInt8.max) {
      // `max` of one list is the maximum of its elements, so one list can contain all operands.
      operands = [graph.add(.list, list: operands, at: reader.origin)]
    }
    return withReceiver(reader, addCall(.greatestOf, operands, reader.origin))
  }

  // MARK: Functions of expressions

  private mutating func presence(_ reader: inout CallReader) -> ConditionGraph.ID {
    guard let id = reader.next() else {
      return lacking(reader.receiver.map { [$0] } ?? [], reader)
    }
    var value = superscript(id, reader.rewriting)
    if tree[id].kind == .select { value = graph.strings(of: value) }
    if graph[value].kind == .slot, tree[id].kind == .select,
      let path = graph.slots.attribute(Int(graph[value].a))
    {
      // Checking the presence does not read the value.
      let slot = graph.slots.slot(path.names, isPresenceOnly: true)
      value = graph.add(.slot, slot, at: reader.origin)
    }
    let isThere = graph.add(.isThere, value, at: reader.origin)
    return withReceiver(reader, isThere)
  }

  /// `hasFn("device.f")`: whether superscript or the host announces a function.
  private mutating func announces(_ reader: inout CallReader) -> ConditionGraph.ID {
    guard let value = argument(&reader) else {
      return lacking(reader.receiver.map { [$0] } ?? [], reader, .fatalArgument)
    }
    let names = Superscript.announced(with: hostFunctions)
    let known = names.map { name -> ConditionGraph.ID in
      var name = name
      // SAFETY: The pool copies the name inside the closure. Tests: SuperscriptProgramTests.
      return name.withUTF8 {
        graph.add(.constant, graph.constants.intern(text: $0), at: reader.origin)
      }
    }
    let list = graph.add(.list, list: known, at: reader.origin)
    let text = addCall(.requireText, [value], reader.origin)
    return withReceiver(reader, graph.add(.in, text, list, at: reader.origin))
  }

  /// `x.maybe(a, b)` evaluates to a, or to b if a fails. The receiver x is evaluated, but its value is ignored.
  private mutating func maybe(_ reader: inout CallReader) -> ConditionGraph.ID {
    // The arguments of `maybe` are only evaluated if both are present.
    if reader.arguments.count < (reader.receiver == nil ? 3 : 2) {
      guard let this = receiver(&reader) else { return lacking([], reader) }
      return lacking([this], reader, .fatalArgument)
    }
    return receiving(&reader, 2) { checker, operands, origin in
      let value = checker.rescue(operands[1], operands[2], .recoverable, origin)
      return checker.sequence([operands[0], value], origin)
    }
  }

  private mutating func superscriptLoop(_ form: Superscript.Form, _ reader: inout CallReader)
    -> ConditionGraph.ID
  {
    let origin = reader.origin
    guard let range = receiver(&reader) else { return lacking([], reader) }
    guard let variable = reader.next(), tree[variable].kind == .identifier,
      let body = reader.next()
    else { return lacking([range], reader) }
    let rewriting = reader.rewriting
    let level = nextLevel
    let element = graph.add(.local, level, at: origin)
    let name = tree.name(tree[variable].a, tree[variable].b)
    let value = scoped([name]) { $0.superscript(body, rewriting) }
    let yes = graph.addConstant(.true, at: origin)
    let isTrue = graph.add(.equal, value, yes, at: origin)
    switch form {
    case .all:
      let no = graph.addConstant(.false, at: origin)
      let isFalse = graph.add(.equal, value, no, at: origin)
      return loop(.all, [range, graph.add(.not, isFalse, at: origin)], level, origin)
    case .exists: return loop(.exists, [range, isTrue], level, origin)
    case .existsOne: return loop(.existsOne, [range, isTrue], level, origin)
    case .filter:
      return loop(.map, [addCall(.requireList, [range], origin), isTrue, element], level, origin)
    default:
      return loop(.map, [addCall(.requireList, [range], origin), yes, value], level, origin)
    }
  }

  private mutating func loop(
    _ kind: ConditionGraph.LoopKind, _ parts: [ConditionGraph.ID], _ level: Int,
    _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    graph.add(
      .loop, list: parts, Int(kind.rawValue + ConditionGraph.LoopKind.failsAtOnce), level,
      at: origin)
  }

  // MARK: The host

  /// A question to the host. The arguments are evaluated, and an error in an argument stops the original.
  private mutating func hostCall(_ name: String, _ reader: inout CallReader)
    -> ConditionGraph.ID
  {
    let origin = reader.origin
    var operands: [ConditionGraph.ID] = []
    while let next = argument(&reader) {
      operands.append(masked(next, origin, as: .fatalArgument))
    }
    guard let first = operands.first else {
      return withReceiver(reader, answer(name, .text(""), origin))
    }
    let failing = operands.filter { graph.canFail($0) }
    if graph[first].kind == .constant {
      let text = graph.constant(first).flatMap { $0.isText ? $0.text : nil }
      let reply = answer(name, text.map { .text($0) } ?? .anyOther, origin)
      return withReceiver(reader, sequence(failing + [reply], origin))
    }
    let value = addCall(
      .answerFor, [answer(name, .anyKnown, origin), first, answer(name, .anyOther, origin)],
      origin)
    return withReceiver(reader, sequence(failing.filter { $0 != first } + [value], origin))
  }

  private mutating func answer(
    _ name: String, _ argument: HostQuestion.Argument, _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    let question = HostQuestion(function: name, argument: argument)
    return graph.add(.slot, graph.slots.slot(of: question), at: origin)
  }
}
