internal import ArgumentParser
internal import Foundation
internal import Sandbox

/// What is special of the backend that apps talk to.
struct BackendOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let requests go wrong as this file says: statuses, delays, connections that end.",
      valueName: "file"), completion: .file())
  var faults: String?

  @Option(
    name: .customLong("receipt-root"),
    help: ArgumentHelp(
      "A certificate in PEM that receipts may be signed under, beside the sandbox's own.",
      discussion: """
        With APPSTORE_VERIFY_RECEIPTS=false in the environment receipts are not verified at all.
        """, valueName: "file"), completion: .file())
  var receiptRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "Events of each application that are kept; the oldest go first.", valueName: "count"))
  var keepEvents = KeptRows().events

  @Option(
    help: ArgumentHelp(
      "Checkouts of each application that are kept; the oldest go first.", valueName: "count"))
  var keepCheckouts = KeptRows().checkouts

  @Option(
    help: ArgumentHelp(
      "Assignments, aliases, redemptions and transactions of each application that are kept.",
      valueName: "count"))
  var keepPeople = KeptRows().people

  func validate() throws {
    for (name, count) in [
      ("--keep-events", keepEvents), ("--keep-checkouts", keepCheckouts),
      ("--keep-people", keepPeople),
    ] where !(1...100_000_000).contains(count) {
      throw ValidationError("\(name) is a number from 1 to 100000000")
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
