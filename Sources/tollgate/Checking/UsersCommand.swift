internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import SDK

struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Check the quality of users before a run.",
    discussion: HelpText(
      """
      Reads users like precompute, in constant memory, and prints a survey: the number of readable records, \
      repeated IDs and IDs with white space, the types, share, range and examples of every attribute, and \
      time zones. With --config, it reports attributes that rules read but users lack, and attributes that \
      no rule reads. With --schema, it reports how users differ from the schema.
      """,
      examples: [
        .init("a survey of the users", "tollgate users users.ndjson"),
        .init(
          "check whether users have the attributes that the rules read",
          "tollgate users users.ndjson --config config.json"),
        .init("write a report page", "tollgate users users.ndjson --report users.html"),
      ],
      codes: [
        ("0", "done"),
        ("1", "there are problems, and --strict was given"),
        ("2", "usage error, or no valid users"),
        ("74", "the report could not be written"),
      ]
    ).text)

  @Argument(
    help: OptionHelp.users("Files are read in the given order."),
    completion: .file())
  var users: [String]

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(
    help: OptionHelp.config(
      "Compares the attributes that the config's rules read with the users' attributes."),
    completion: .file())
  var config: String?

  @Option(
    help: OptionHelp.schema("Users are compared with the schema."), completion: .file())
  var schema: String?

  @OptionGroup(title: "Config Options") var form: ConfigFormOptions

  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(help: OptionHelp.strict("Exit with code 1 if there are problems."))
  var strict = false

  @Flag(help: OptionHelp.quiet("Omits progress."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersFormat)
    var uses = FileUses()
    for path in paths { uses.reads("the users", path) }
    uses.reads("--config", config)
    uses.reads("--schema", schema)
    try reporting.check(&uses)
    let ruleSet = try config.map { try form.file($0, language).requireRuleSet() }
    let expected = try schema.map { try SchemaFile.read($0) }
    let survey = try await Signals.heeding { try read(paths) }
    let text = SurveyText(survey: survey, ruleSet: ruleSet, schema: expected)
    if json {
      FileText.print(survey.value(ruleSet, expected).json)
    } else {
      FileText.print(text.render(TextStyle(.standardOutput)))
    }
    try reporting.write(
      SurveyPage(text: text, users: users, config: config, schema: schema).page, isQuiet: quiet)
    guard survey.users > 0 else { throw CommandError("no user record is valid") }
    if strict, text.findings.contains(where: \.isProblem) { throw ExitCode(Ending.findings) }
  }

  private func read(_ paths: [String]) throws -> UserSurvey {
    var survey = UserSurvey(files: paths.map(UserInput.name))
    var input = try UserInput(paths, form: usersFormat, lineLimit: UserInput.lineLimit)
    let reader = SegmentReader(lineLimit: UserInput.lineLimit)
    var progress = ReadingProgress("read", paths, isQuiet: quiet)
    defer { progress.interrupt() }
    var (file, lines) = (0, 0)
    while let part = try input.next() {
      try Signals.check()
      if part.file != file { (file, lines) = (part.file, 0) }
      lines += part.linesBefore
      var count = 0
      let refused = try part.withLines(reader, lineLimit: UserInput.lineLimit) {
        count = survey.add(lines: $0, file: file, before: lines)
      }
      if refused > 0 {
        survey.refuse(
          "a row has a different number of cells than the table",
          "\(UserInput.name(paths[file])):\(lines + 1)",
          lines: refused)
      }
      lines += count
      progress.update(survey.users, part)
    }
    return survey
  }
}
