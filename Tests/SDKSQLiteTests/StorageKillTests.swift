import Expressions
import Foundation
import SDK
import SDKLive
import SDKSQLite
import TestSupport
import Testing

/// An app that is killed at random moments: what a call has acknowledged is there afterwards.
///
/// `TOLLGATE_KILLS` is the number of kills for each storage; without it, four, or fifty.
@Suite("Storage: kills", .serialized)
struct StorageKillTests {
  static let kills =
    Int(ProcessInfo.processInfo.environment["TOLLGATE_KILLS"] ?? "") ?? Extent.count(50, or: 4)

  /// What an app said before it was killed.
  private struct Acknowledged {
    var user: String?
    var attribute = 0
    var placements = 0
    var confirmed = 0

    init(_ output: String) {
      // The last line may have been cut off.
      for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        let words = line.split(separator: " ")
        guard words.count == 2 else { continue }
        switch words[0] {
        case "user": user = String(words[1])
        case "attribute": attribute = Int(words[1]) ?? 0
        case "placement": placements = Int(words[1]) ?? 0
        default: confirmed = Int(words[1]) ?? 0
        }
      }
    }
  }

  @Test(arguments: StorageKind.onDisk)
  func nothingAcknowledgedIsLost(_ kind: StorageKind) async throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(seed: 7)
    for kill in 0..<Self.kills {
      let user = "user-\(kill)"
      let output = try run(
        kind, folder.path, user, for: 0.02 + Double.random(in: 0..<0.2, using: &random))
      let said = Acknowledged(output)
      let storage = kind.make(folder.path)
      let state = StateRecords.state(of: try await storage.records(StorageKey.state))
      let log = StorageKey.event("holdout")
      let holdouts = try await storage.logs([log])[log].map { $0.times.count + $0.earlier } ?? 0
      let unsent = try await storage.records(StorageKey.unsent)
      #expect(await storage.takeFaults().isEmpty)
      guard said.user == user else { continue }
      let which: Comment = "kill \(kill) after \(output.suffix(60))"
      #expect(state["appUserId"]?.text == user, which)
      #expect(state["status"]?["status"] == "INACTIVE", which)
      // A call may have been carried out that nobody heard the end of.
      let attribute = state["userAttributes"]?["n"]?.wholeNumber ?? 0
      #expect(attribute == said.attribute || attribute == said.attribute + 1, which)
      #expect(holdouts == said.placements || holdouts == said.placements + 1, which)
      let assignments = state["assignments"]?.elements ?? []
      #expect(assignments.count >= said.confirmed, which)
      if said.confirmed > 0 {
        #expect(assignments.filter { $0["isSentToServer"] == true }.count >= said.confirmed, which)
      }
      if said.placements > 0 {
        let last = unsent.max { $0.key < $1.key }
        #expect(last != nil, which)
        let attributes = unsent.values.compactMap { $0["parameters"]?["attributes"]?["n"] }
        #expect(attributes.contains { $0.wholeNumber == said.attribute }, which)
      }
    }
  }

  /// Runs the app until some time after it has begun, and kills it.
  private func run(_ kind: StorageKind, _ folder: String, _ user: String, for seconds: Double)
    throws -> String
  {
    let process = Process()
    process.executableURL = URL(filePath: BuiltWriter.path)
    process.arguments = [kind.rawValue, folder, BuiltWriter.config, user]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    // The first words take the process as long as the machine is busy.
    var output = pipe.fileHandleForReading.availableData
    Thread.sleep(forTimeInterval: seconds)
    kill(process.processIdentifier, SIGKILL)
    output += pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }
}

/// The program `StorageWriter`, which is built with the tests.
enum BuiltWriter {
  static let path: String = {
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let places = bundles + [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])]
    return places.compactMap {
      $0?.deletingLastPathComponent().appending(path: "StorageWriter").path
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "StorageWriter"
  }()

  static let config = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus/sdk/fixtures/config.std.json").path
}

/// A folder that goes with its object.
final class TemporaryFolder: Sendable {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "tollgate-storage-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// The storages that there are.
enum StorageKind: String, CaseIterable, Sendable {
  case memory, file, sqlite

  static let onDisk: [StorageKind] = [.file, .sqlite]

  func make(_ folder: String) -> any StateStorage {
    switch self {
    case .memory: InMemoryStorage()
    case .file: FileStorage(folder: folder)
    case .sqlite: SQLiteStorage(folder: folder)
    }
  }
}
