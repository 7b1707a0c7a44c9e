internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

extension Redaction {
  /// - Throws: when a string is not the path of an attribute.
  init(_ texts: [String]) throws {
    self.init(
      paths: try texts.map { text in
        if let path = Redaction.path(text) { return path }
        throw ValidationError(
          DiagnosticText.visible(
            "--redact takes attributes of user, device or params, such as user.email, or userId; "
              + "'\(text)' is not such an attribute"))
      })
  }
}

/// The option of commands that show values of users.
struct RedactionOptions: ParsableArguments {
  @Option(
    name: .customLong("redact"), parsing: .unconditionalSingleValue, help: OptionHelp.redact)
  var paths: [String] = []

  func validate() throws { _ = try Redaction(paths) }

  func redaction() throws -> Redaction { try Redaction(paths) }
}
