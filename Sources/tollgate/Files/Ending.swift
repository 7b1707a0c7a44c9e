internal import ArgumentParser
internal import Expressions
internal import Requests

extension Ending {
  static let prefix = "error: "

  /// The exit code and the message for an error; nil for an error of the argument parser.
  static func of(_ error: any Error) -> (code: Int32, text: String)? {
    switch error {
    case let error as CommandError:
      let text = error.description
      // Each part of an error with several parts has its own prefix.
      let isPrefixed = text.isEmpty || text.hasPrefix("error[")
      return (error.exitCode, isPrefixed ? text : prefix + text)
    case let error as RequestError:
      return (wrongUse, prefix + DiagnosticText.visible(error.message))
    case let stop as Signals.Stop: return (stop.exitCode, stop.message)
    // An error of the system is not an internal error.
    case let error as Errno: return (unwritten, prefix + "\(error)")
    case let code as ExitCode: return (code.rawValue, "")
    default: return nil
    }
  }
}
