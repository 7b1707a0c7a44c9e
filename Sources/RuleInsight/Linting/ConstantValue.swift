internal import Expressions
internal import RuleEngine

/// The results of parts of expressions that read nothing.
struct ConstantValue {
  enum Answer {
    case value(Value)
    case failure(EvaluationError.Kind)
  }

  private let environment: ExpressionEnvironment

  init(_ language: RuleLanguage) { environment = language.environment(limits: Limits()) }

  /// - Returns: nil for an expression that does not compile.
  func answer(_ text: String) -> Answer? {
    guard let program = environment.compile(text).output else { return nil }
    var frame = Frame(for: program)
    do throws(EvaluationError) {
      return .value(try program.evaluate(in: &frame))
    } catch {
      return .failure(error.kind)
    }
  }
}

extension ParsedExpression {
  /// For each node, whether it reads no attribute, no loop variable and no host data.
  func constants(_ language: RuleLanguage) -> [Bool] {
    var result = [Bool](repeating: true, count: tree.nodes.count)
    func decide(_ id: ID) -> Bool {
      let node = self[id]
      var isConstant =
        switch node.kind {
        case .identifier, .select, .index, .message, .invalid: false
        case .call: !isHostCall(id, language) && call(id)?.name != "hasFn"
        default: true
        }
      for operand in tree.operands(of: node) where !decide(operand) { isConstant = false }
      result[id] = isConstant
      return isConstant
    }
    _ = decide(root)
    return result
  }

  /// Whether a part calls a function of the SDK.
  func isHostCall(_ id: ID, _ language: RuleLanguage) -> Bool {
    guard language != .cel, let name = call(id)?.name else { return false }
    return HostFunction(rawValue: name) != nil
  }
}
