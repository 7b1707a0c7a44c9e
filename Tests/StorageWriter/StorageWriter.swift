import Expressions
import Foundation
import SDK
import SDKLive
import SDKSQLite

/// An app that changes what is kept for as long as it lives, and says on standard output what each
/// call has acknowledged, a line each.
///
/// usage: StorageWriter (file|sqlite) FOLDER CONFIG USER
///        StorageWriter measure (file|sqlite) FOLDER CONFIG
@main
struct StorageWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments[1] == "measure" { return try await Measuring.run(Array(arguments.dropFirst(2))) }
    let (folder, user) = (arguments[2], arguments[4])
    let storage: any StateStorage =
      arguments[1] == "sqlite" ? SQLiteStorage(folder: folder) : FileStorage(folder: folder)
    let config = try Data(contentsOf: URL(fileURLWithPath: arguments[3]))
    // Nobody takes the events, so that all of them are kept.
    let transport = ScriptedTransport(
      rules: ScriptedTransport.Rule.backend(of: try Value.parse(json: config)), time: SystemTime())
    let tollgate = Tollgate(
      ports: Ports(
        transport: transport, storage: storage, store: SimulatedStore(products: []),
        presenter: HostPresenter(show: { _ in }, hide: { _ in }), device: FixedDevice(),
        uploadsEvents: true))
    try await tollgate.configure(apiKey: "pk")
    try await tollgate.setSubscriptionStatus(.inactive)
    try await tollgate.identify(userID: user)
    say("user \(user)")
    for number in 1... {
      try await tollgate.setUserAttributes(["n": .int(Int64(number))])
      say("attribute \(number)")
      await tollgate.register(placement: "holdout")
      say("placement \(number)")
      if number == 3 {
        let confirmed = try await tollgate.confirmAllAssignments()
        say("confirmed \(confirmed.count { $0.isSentToServer })")
      }
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
