internal import ArgumentParser

extension TollgateCommand {
  static let _errorPrefix = Ending.prefix

  /// How an error ends the program: the exit code and the message. Code 0 means that help was
  /// requested.
  ///
  /// - Parameter command: the command that ran; nil when the arguments were invalid.
  static func ending(of error: any Error, in command: (any ParsableCommand)?)
    -> (code: Int32, text: String)
  {
    if let ending = Ending.of(error) { return ending }
    if let error = error as? ValidationError, let command {
      return (Ending.wrongUse, text(of: error, in: Swift.type(of: command)))
    }
    switch exitCode(for: error) {
    case .success: return (Ending.done, fullMessage(for: error))
    case .validationFailure: return (Ending.wrongUse, fullMessage(for: error))
    default:
      return (
        Ending.ourFault,
        Ending.prefix + "internal error in tollgate: \(message(for: error))\n" + Signals.reporting
      )
    }
  }

  /// An error in the form of the parser's own errors, with the usage of the command.
  private static func text(of error: ValidationError, in command: any ParsableCommand.Type)
    -> String
  {
    """
    \(Ending.prefix)\(error.message)
    Usage: \(usageString(for: command))
      See 'tollgate \(command._commandName) --help' for more information.
    """
  }
}
