internal import Expressions
internal import RuleEngine

/// A call in a condition, with the signatures of the function that it calls.
struct CalledFunction {
  let name: String
  /// The signatures of the function that fit the call. Empty for an unknown function.
  let signatures: [FunctionSignature]
  /// The values that the function is called with, its receiver first.
  let operands: [ParsedExpression.ID]
  /// A receiver that the function ignores, such as `device` in `device.daysSince("x")`.
  let unused: ParsedExpression.ID?

  /// - Returns: nil if this part of the expression is not a call.
  init?(
    _ id: ParsedExpression.ID, in expression: ParsedExpression, _ language: RuleLanguage
  ) {
    guard let call = expression.call(id) else { return nil }
    let arguments = call.arguments
    guard let platform = language.platform else {
      if let target = call.target, let space = CalledFunction.nameSpace(target, in: expression) {
        let qualified = FunctionPage.signatures(of: "\(space).\(call.name)", in: .cel)
        if !qualified.isEmpty {
          name = "\(space).\(call.name)"
          signatures = qualified.filter { $0.counts.contains(arguments.count) }
          operands = arguments
          unused = nil
          return
        }
      }
      name = call.name
      operands = (call.target.map { [$0] } ?? []) + arguments
      let count = operands.count
      signatures = FunctionPage.signatures(of: name, in: .cel).filter {
        $0.isMethod == (call.target != nil) && $0.counts.contains(count)
      }
      unused = nil
      return
    }
    name = call.name
    if let host = HostFunction(rawValue: name), host.platforms.contains(platform) {
      // A host function has an answer for any argument.
      signatures = host.page.signatures
      operands = []
      unused = call.target
      return
    }
    // Superscript uses the receiver or the first argument, and ignores extra arguments.
    let all = FunctionPage.signatures(of: name, in: .superscript)
    let isMethod = all.contains(where: { $0.isMethod })
    let given = (isMethod ? call.target.map { [$0] } ?? [] : []) + arguments
    signatures = all.filter { $0.counts.lowerBound <= given.count }
    operands = given
    unused = isMethod ? nil : call.target
  }

  /// A name in front of a dot that is not an attribute or a variable.
  private static func nameSpace(_ id: ParsedExpression.ID, in expression: ParsedExpression)
    -> String?
  {
    guard expression[id].kind == .identifier, let path = expression.path(id) else { return nil }
    return path.first
  }

  /// Whether the operand at an index is the name of a variable or a field.
  func isName(_ place: Int) -> Bool { signatures.contains { $0.operand(place)?.isName == true } }

  /// The types that an operand may have; all types if it is unknown.
  func types(_ place: Int) -> TypeSet {
    signatures.reduce(into: signatures.isEmpty ? .any : []) {
      $0.formUnion($1.operand(place)?.types ?? .any)
    }
  }
}
