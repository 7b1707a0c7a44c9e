internal import ArgumentParser
internal import RuleEngine

extension UserForm: ExpressibleByArgument {}
extension OutputForm: ExpressibleByArgument {}

/// The forms of what is read and written.
struct FormOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format of the users: \(UserForm.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: """
        The default is csv for names that end in .csv or .csv.gz, and ndjson otherwise. What gzip \
        has compressed is recognised by its content. CSV has a header with dotted names, such as \
        userId,user.plan,device.osMajor; cells that are not quoted may be numbers, true, false or \
        null, empty ones are left out, and cells that are JSON lists or objects are these.
        """, valueName: "form"))
  var usersForm: UserForm?

  @Option(
    help: ArgumentHelp(
      "The format of the outcomes: \(OutputForm.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: """
        The default is what the name of the file says: .ndjson, .jsonl, .json, .csv, .sqlite or .db, \
        the first four also with .gz, which are compressed; ndjson for names that say nothing. A \
        database has tables of users, choices and decisions, and a view 'outcomes' of all.
        """, valueName: "form"))
  var form: OutputForm?

  func outputForm(out: String, layout: OutcomeLayout) throws -> FileForm {
    if out == "none" { return FileForm(form ?? .ndjson) }
    let written = try FileForm(path: out, form: form, option: "--out")
    if written.form == .sqlite {
      if !FilePlace(out).hasNeighbours || out == "-" {
        throw ValidationError("a database needs --out FILE")
      }
      if layout == .wide {
        throw ValidationError("a database has one layout; leave out --layout")
      }
    }
    return written
  }
}
