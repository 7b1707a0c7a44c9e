internal import ArgumentParser
internal import Expressions
internal import Playground
internal import Requests
internal import Service

/// The initial contents of the playground.
struct PlaygroundOptions: ParsableArguments {
  @Flag(help: "Do not show the playground at /.")
  var noPlayground = false

  @Option(
    help: ArgumentHelp("The user record that the playground begins with.", valueName: "file"),
    completion: .file())
  var sampleUser: String?

  @Option(
    help: ArgumentHelp("The paywall text that the playground begins with.", valueName: "file"),
    completion: .file())
  var sampleText: String?

  @Option(
    help: ArgumentHelp("The placement that the playground shows first.", valueName: "placement"))
  var samplePlacement: String?

  @Option(
    help: ArgumentHelp(
      "The time at which the playground decides, in ISO 8601 (default: the time of the request).",
      valueName: "time"))
  var sampleNow: String?

  func validate() throws {
    guard let sampleNow else { return }
    do throws(RequestError) {
      _ = try RequestTime.instant(.string(sampleNow), "--sample-now")
    } catch {
      throw ValidationError(error.message)
    }
  }

  func samples(_ products: String?) throws -> Playground.Samples {
    func text(_ path: String?, _ option: String) throws -> String? {
      try path.map { String(decoding: try DecidingOptions.read($0, option), as: UTF8.self) }
    }
    var samples = Playground.Samples()
    samples.user = try text(sampleUser, "--sample-user")
    samples.template = try text(sampleText, "--sample-text")
    samples.products = try text(products, "--products")
    samples.placement = samplePlacement
    samples.now = sampleNow
    return samples
  }
}
