/// Calls of functions that an app adds.
enum CustomFunctions {
  /// - Parameter operands: the number of the function, followed by the arguments.
  static func call(
    _ operands: Operands, _ functions: [CustomFunction], _ limits: Limits, _ arena: inout Arena
  ) -> Cell {
    var arguments: [Value] = []
    arguments.reserveCapacity(operands.count - 1)
    for i in 1..<operands.count {
      let cell = operands[i].pointee
      guard cell.isValue else { return Arithmetic.absent(cell) }
      // Lists and maps of an expression can share parts, but those of a returned value cannot.
      guard cell.treeSize(upTo: limits.resultBytes) != nil else {
        return Cell(fault: .limitExceeded)
      }
      arguments.append(Value(cell))
    }
    do throws(EvaluationError) {
      let result = try functions[Int(operands[0].pointee.intValue)].body(arguments)
      return arena.cell(result) ?? Cell(fault: .limitExceeded)
    } catch {
      return Cell(fault: error.kind)
    }
  }
}
