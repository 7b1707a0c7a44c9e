internal import ArgumentParser
internal import RuleEngine

extension UserForm: ExpressibleByArgument {}
extension OutputForm: ExpressibleByArgument {}

/// The forms of inputs and outputs.
struct FormOptions: ParsableArguments {
  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(help: OptionHelp.separator)
  var separator: String?

  @Option(
    help: ArgumentHelp(
      "The format of the output (default: from the file's name).",
      discussion: """
        Endings are .ndjson, .jsonl, .json and .csv, also with .gz or .zst for compression, and .sqlite and \
        .db for databases. Files with other names are NDJSON. A database has tables of users, choices and \
        decisions, a view 'outcomes' of all outcomes, and a view 'errors' of failed rules. Columns of the \
        wide layout are named after placements in lower case, such as export_report_paywall, with _ for \
        characters that SQL would quote.
        """, valueName: "format"))
  var format: OutputForm?

  @Flag(
    help: ArgumentHelp(
      "Add the columns now, seed and config_hash to the outcomes.",
      discussion: "These columns distinguish the rows of several runs in one table."))
  var runColumns = false

  func outputForm(out: String) throws -> FileForm {
    if out == "none" { return FileForm(format ?? .ndjson) }
    let written = try FileForm(path: out, form: format, option: "--out")
    if written.form == .sqlite {
      if !FilePlace(out).hasNeighbours || out == "-" {
        throw ValidationError("a database needs --out FILE")
      }
    }
    return written
  }
}
