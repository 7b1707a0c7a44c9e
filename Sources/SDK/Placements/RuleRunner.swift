internal import Expressions
internal import RuleEngine

/// The values that rules read: the roots `user` and `device`, whose attributes are computed on demand, and the values
/// that always exist.
struct RuleContext {
  /// Returns an attribute of `user` or `device`, or all attributes of one root.
  struct Root {
    var attribute: (_ name: String) -> Value?
    var all: () -> Value
  }

  var user: Root
  var device: Root
  var params: Value
  /// The history and the clock, for rules that read the history.
  var events: () -> (history: EventHistory, clock: HistoryClock)
  /// The placement that is decided, and the time at which it was added to the history.
  var placement: (name: String, time: Instant)?
}

/// The rules of one config, with a frame to run the rules on.
///
/// The type is a class because the SDK's state can be copied and a frame cannot. Every run refills the frame, so no run
/// sees the attributes of another run.
final class RuleRunner {
  let rules: RuleSet
  /// The part of the history that the rules read.
  let needs: HistoryNeeds
  private let user: ReadMembers
  private let device: ReadMembers
  private var frame: Frame

  init(_ rules: RuleSet, _ needs: HistoryNeeds = HistoryNeeds(logs: nil)) {
    self.rules = rules
    self.needs = needs
    user = ReadMembers(of: "user", by: rules)
    device = ReadMembers(of: "device", by: rules)
    frame = Frame(for: rules.program)
  }

  /// Fills the frame with only the values that the rules read, and runs the rules. Attributes past the memory limit
  /// count as missing, so rules that read them do not match.
  ///
  /// - Returns: the result of the run, and whether the attributes fit into memory.
  func run<Result>(
    in context: RuleContext, _ body: (RuleSet, inout Frame) -> Result
  ) -> (result: Result, hadRoom: Bool) {
    var hadRoom = true
    do throws(EvaluationError) {
      try frame.fill(
        .object([
          "user": user.value(from: context.user), "device": device.value(from: context.device),
          "params": context.params,
        ]))
      if rules.readsEvents {
        let (history, clock) = context.events()
        try rules.answer(history, at: clock, placement: context.placement, in: &frame)
      }
    } catch {
      frame.reset()
      hadRoom = false
    }
    return (body(rules, &frame), hadRoom)
  }
}

/// The members of a root that rules read.
private struct ReadMembers {
  /// The members that rules read. Nil if a rule reads the whole root.
  private var names: [String]?

  init(of root: String, by rules: RuleSet) {
    let paths = rules.requirements.map(\.names).filter { $0[0] == root }
    guard !paths.contains(where: { $0.count == 1 }) else { return }
    var names: [String] = []
    for path in paths where !names.contains(where: { $0.utf8.elementsEqual(path[1].utf8) }) {
      names.append(path[1])
    }
    self.names = names
  }

  func value(from root: RuleContext.Root) -> Value {
    guard let names else { return root.all() }
    return .map(
      names.compactMap { name in
        root.attribute(name).map { Value.Entry(key: .string(name), value: $0) }
      })
  }
}
