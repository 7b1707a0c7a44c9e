internal import ArgumentParser

/// The user of a command: a record, or an ID and the files to search.
struct UserOptions: ParsableArguments {
  @Option(
    help: OptionHelp.user("To select one of many users, use --users and --id."), completion: .file()
  )
  var user: String?

  @Option(
    parsing: .upToNextOption,
    help: OptionHelp.users("--id selects one of these users."), completion: .file())
  var users: [String] = []

  @Option(
    help: ArgumentHelp(
      "The ID of a user in --users. The first record with this ID is used.",
      discussion: "A hash from a report, such as sha256:0a1b2c3d4e5f, also works.",
      valueName: "id"))
  var id: String?

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(help: OptionHelp.separator)
  var separator: String?

  func validate() throws {
    if user != nil, !users.isEmpty || id != nil {
      throw ValidationError("use either --user, or --users and --id")
    }
    if !users.isEmpty, id == nil {
      throw ValidationError("--users needs --id, the ID of one of the users")
    }
    if users.isEmpty, id != nil {
      throw ValidationError("--id needs --users, the files to look in")
    }
    if usersFormat != nil, users.isEmpty { throw ValidationError("--users-format needs --users") }
    if separator != nil, users.isEmpty { throw ValidationError("--separator needs --users") }
    try OptionHelp.check(separator: separator, users: users, format: usersFormat)
  }

  /// Ends the command if no user is named.
  func require() throws {
    if user == nil, id == nil {
      throw ValidationError("the user is missing: give --user RECORD, or --users FILE and --id ID")
    }
  }

  /// The files that are read for the user.
  var paths: [String?] { users + [user] }
}
