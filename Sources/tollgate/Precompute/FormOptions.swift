internal import ArgumentParser
internal import RuleEngine

extension InputFile.Form: ExpressibleByArgument {}
extension OutputForm: ExpressibleByArgument {}

/// The forms of what is read and written.
struct FormOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The form of the users: \(InputFile.Form.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: """
        The default is csv for names that end in .csv or .csv.gz, and ndjson otherwise. What gzip \
        has compressed is recognised by its content. CSV has a header with dotted names, such as \
        userId,user.plan,device.osMajor; cells that are not quoted may be numbers, true, false or \
        null, empty ones are left out, and cells that are JSON lists or objects are these.
        """, valueName: "form"))
  var usersForm: InputFile.Form?

  @Option(
    help: ArgumentHelp(
      "The form of the outcomes: \(OutputForm.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: """
        The default is what the name of the file says: .csv, .sqlite or .db, and ndjson otherwise. \
        A database has tables of users, choices and decisions, and a view 'outcomes' of all.
        """, valueName: "form"))
  var form: OutputForm?

  func outputForm(out: String, layout: OutcomeLayout) throws -> OutputForm {
    let form = form ?? OutputForm(path: out)
    if form == .sqlite {
      if out == "-" { throw ValidationError("a database needs --out FILE") }
      if layout == .wide {
        throw ValidationError("a database has one layout; leave out --layout")
      }
    }
    return form
  }
}
