internal import ArgumentParser
internal import Foundation
internal import Sandbox

/// The options of the backend that apps use.
struct BackendOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file of faults to inject: statuses, delays, dropped connections.",
      valueName: "file"), completion: .file())
  var faults: String?

  @Option(
    name: .customLong("receipt-root"),
    help: ArgumentHelp(
      "An additional trusted root for receipts, as PEM.",
      discussion: """
        APPSTORE_VERIFY_RECEIPTS=false in the environment disables verification.
        """, valueName: "file"), completion: .file())
  var receiptRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of events to store for each application. The oldest are deleted first.",
      valueName: "count"))
  var keepEvents = KeptRows().events

  @Option(
    help: ArgumentHelp(
      "The number of checkouts to store for each application. The oldest are deleted first.",
      valueName: "count"))
  var keepCheckouts = KeptRows().checkouts

  @Option(
    help: ArgumentHelp(
      "The number of assignments, aliases, redemptions and transactions to store, of each kind.",
      valueName: "count"))
  var keepPeople = KeptRows().people

  func validate() throws {
    for (name, count) in [
      ("--keep-events", keepEvents), ("--keep-checkouts", keepCheckouts),
      ("--keep-people", keepPeople),
    ] where !(1...100_000_000).contains(count) {
      throw ValidationError("\(name) must be a number from 1 to 100000000")
    }
  }

  func apply(to options: inout SandboxOptions) throws {
    options.verifiesReceipts =
      ProcessInfo.processInfo.environment["APPSTORE_VERIFY_RECEIPTS"] != "false"
    options.kept.events = keepEvents
    options.kept.checkouts = keepCheckouts
    options.kept.people = keepPeople
    if let faults {
      do {
        options.faults = try FaultScript(json: try DecidingOptions.read(faults, "--faults"))
      } catch let problem as FaultScript.Problem {
        throw ValidationError("--faults: \(faults): \(problem.message)")
      }
    }
    for path in receiptRoots {
      let bytes = try DecidingOptions.read(path, "--receipt-root")
      do {
        try options.receiptRoots.add(pem: String(decoding: bytes, as: UTF8.self))
      } catch {
        throw ValidationError("--receipt-root: \(path) is not a certificate in PEM")
      }
    }
  }
}
