internal import ArgumentParser
internal import Expressions

struct AllCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all",
    abstract: "Run every benchmark on what the program carries.")

  @OptionGroup var options: MeasuringOptions

  func run() async throws {
    let stopwatch = options.stopwatch
    let expressions = try ExpressionsCommand.report(stopwatch: stopwatch)
    expressions.print(json: false)
    let superscript = try SuperscriptCommand.report(stopwatch: stopwatch)
    print("\n\(superscript.text)")
    let decide = try DecideCommand.report(stopwatch: stopwatch)
    print("\n\(decide.text)\n")
    let batch = try await BatchCommand.report()
    batch.print(json: false)
    let sdk = try await SDKCommand.report()
    print("\n\(sdk.text)")
    let products = try ProductsCommand.report(stopwatch: stopwatch)
    print("\n\(products.text)")
    let templates = try TemplatesCommand.report(stopwatch: stopwatch)
    print("\n\(templates.text)")
    if options.json {
      let value = Value.object([
        "what": "all", "expressions": expressions.value, "superscript": superscript.value,
        "decide": decide.value, "batch": batch.value, "sdk": sdk.value,
        "products": products.value, "templates": templates.value,
      ])
      print(value.json)
    }
    let reports = [expressions, superscript, batch, sdk, templates]
    if !reports.allSatisfy(\.isSound) { throw ExitCode(1) }
  }
}
