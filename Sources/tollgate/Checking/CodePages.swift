internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The pages of `tollgate check --explain`.
enum CodePages {
  static func page(_ code: String) throws -> String {
    if let page = CodePage.all[Diagnostic.Code(rawValue: code.lowercased())] { return page.text }
    let known = CodePage.all.keys.map(\.rawValue).sorted()
    let close = Suggestion.closest(to: code.lowercased(), among: known)
    throw CommandError(
      DiagnosticText.visible("there is no code '\(code)'; ")
        + (close.map { "did you mean '\($0)'?" }
          ?? (FileText.isFile(code)
            ? "findings show their code in brackets, as in error[duplicate-id]"
            : "there are \(known.joined(separator: ", "))"))
    )
  }
}

/// A schema of attributes, from a file.
enum SchemaFile {
  /// The schema of users in files, as `tollgate schema` prints it.
  static func learned(from users: [String]) throws -> ContextSchema {
    let learner = try SchemaLearner(
      readingUsers: UserInput.paths(users, form: nil), form: nil)
    guard learner.users > 0 else { throw CommandError("no user record is valid") }
    return ContextSchema.decode(Array(learner.json.utf8)).output ?? ContextSchema()
  }

  /// Reads a schema, and reports warnings on standard error. Throws if the schema has an error.
  static func read(_ path: String) throws -> ContextSchema {
    let file = try DescribedFile(path)
    let decoded = ContextSchema.decode(file.bytes)
    let errors = decoded.diagnostics.filter { $0.severity == .error }
    guard errors.isEmpty, let schema = decoded.output else { throw file.unusable(errors) }
    for text in file.render(decoded.diagnostics) { FileText.printError(text) }
    return schema
  }
}
