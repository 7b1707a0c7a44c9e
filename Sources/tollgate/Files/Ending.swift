internal import ArgumentParser
internal import SystemPackage

extension TollgateCommand {
  static let _errorPrefix = "error: "

  /// How an error ends the program: the code, and what is told beforehand. With code 0 that is help,
  /// which was asked for.
  ///
  /// - Parameter command: what was run; nil when the arguments were not understood.
  static func ending(of error: any Error, in command: (any ParsableCommand)?)
    -> (code: Int32, text: String)
  {
    switch error {
    case let error as CommandError:
      let text = error.description
      // What has several parts has a prefix of its own for each of them.
      let isPrefixed = text.isEmpty || text.hasPrefix("error[")
      return (error.exitCode, isPrefixed ? text : _errorPrefix + text)
    case let stop as Signals.Stop: return (stop.exitCode, stop.message)
    // What the system refuses is not our fault.
    case let error as Errno: return (Ending.unwritten, _errorPrefix + "\(error)")
    case let code as ExitCode: return (code.rawValue, "")
    case let error as ValidationError where command != nil:
      return (Ending.wrongUse, text(of: error, in: command.map { Swift.type(of: $0) }))
    default: break
    }
    switch exitCode(for: error) {
    case .success: return (Ending.done, fullMessage(for: error))
    case .validationFailure: return (Ending.wrongUse, fullMessage(for: error))
    default:
      return (
        Ending.ourFault,
        _errorPrefix + "this is a fault of tollgate: \(message(for: error))\n" + Signals.reporting
      )
    }
  }

  /// As the parser tells what it finds itself: with the usage of the command.
  private static func text(of error: ValidationError, in command: (any ParsableCommand.Type)?)
    -> String
  {
    let type = command ?? TollgateCommand.self
    return """
      \(_errorPrefix)\(error.message)
      Usage: \(usageString(for: type))
        See 'tollgate \(type._commandName) --help' for more information.
      """
  }
}
