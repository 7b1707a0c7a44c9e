internal import ArgumentParser
internal import Service

/// The applications of a server.
struct FixtureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The config of a single application with the public key pk_demo.", valueName: "file"),
    completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Applications with their keys, configs, products and codes.", valueName: "file"),
    completion: .file())
  var fixtures: String?

  func validate() throws {
    if config != nil, fixtures != nil {
      throw ValidationError("give --config or --fixtures, not both: fixtures name their configs")
    }
  }

  func read() throws -> Fixtures {
    do throws(ServiceError) {
      if let fixtures { return try Fixtures(file: fixtures) }
      if let config { return try Fixtures(config: config) }
    } catch {
      throw ValidationError(error.message)
    }
    throw ValidationError("give --config FILE, or --fixtures FILE with several applications")
  }
}
