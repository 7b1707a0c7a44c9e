import Foundation
import TestSupport
import Testing

/// Runs of `precompute` that are killed at random moments and gone on with, against runs that were
/// left alone: what they write is the same, to the byte.
///
/// `TOLLGATE_KILLS` is the number of kills for each kind of output; without it, one, or three.
@Suite(.serialized) struct KillTests {
  /// One way of writing outcomes.
  struct Kind: CustomTestStringConvertible, Sendable {
    var name: String
    var arguments: [String]
    var rejects = "rejects"

    var testDescription: String { ([name] + arguments).joined(separator: " ") }
  }

  static let kinds = [
    Kind(name: "out.ndjson", arguments: []),
    Kind(name: "out.ndjson", arguments: ["--layout", "wide", "--threads", "3"]),
    Kind(name: "out.csv", arguments: []), Kind(name: "out.sqlite", arguments: []),
    Kind(name: "out.sqlite", arguments: ["--layout", "wide", "--run-columns", "--reasons"]),
    Kind(
      name: "out.csv.gz", arguments: ["--run-columns", "--reasons", "--threads", "3"],
      rejects: "rejects.gz"),
    Kind(name: "out.ndjson.gz", arguments: ["--layout", "wide"], rejects: "rejects.gz"),
    Kind(name: "out.csv.zst", arguments: ["--layout", "wide"], rejects: "rejects.zst"),
  ]

  static let kills =
    Int(ProcessInfo.processInfo.environment["TOLLGATE_KILLS"] ?? "")
    ?? Extent.count(3, or: 1)

  /// A folder with users, some of whom are refused, in two files.
  private final class Place {
    let folder: URL

    /// - Parameter count: how many users each file has.
    init(_ count: Int = 6_000) throws {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "tollgate-kills-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for part in 0..<2 {
        var text = ""
        for i in 0..<count {
          let number = part * count + i
          text +=
            number % 997 == 3
            ? "{\"user\":{}}\n"
            : "{\"userId\":\"u-\(number)\",\"user\":{\"plan\":\"free\",\"goal\":\"sleep\"},"
              + "\"device\":{\"totalSessions\":\(number % 50),\"platform\":\"iOS\",\"filler\":\""
              + String(repeating: "x", count: 80 + number % 17) + "\"}}\n"
        }
        try Data(text.utf8).write(to: folder.appending(path: "users-\(part).ndjson"))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }
  }

  private static let config = PrecomputeFilesTests.config

  private func arguments(_ kind: Kind, _ place: Place, _ folder: String) throws -> [String] {
    try FileManager.default.createDirectory(
      atPath: place.path(folder), withIntermediateDirectories: true)
    return [
      "precompute", Self.config, "--users", place.path("users-*.ndjson"), "--out",
      place.path("\(folder)/\(kind.name)"), "--rejects", place.path("\(folder)/\(kind.rejects)"),
      "--now", "2026-03-01T12:00:00Z", "--seed", "kills", "--checkpoint-every", "0", "--threads",
      "2",
    ].filter { !($0 == "--threads" || $0 == "2") || !kind.arguments.contains("--threads") }
      + kind.arguments
  }

  /// Starts the tool and kills it after a time; nil lets it end.
  ///
  /// - Returns: the exit code, or nil when it was killed.
  private func run(_ arguments: [String], killAfter seconds: Double?) throws -> Int32? {
    let process = Process()
    process.executableURL = URL(filePath: try #require(BuiltTool.path))
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    if let seconds {
      Thread.sleep(forTimeInterval: seconds)
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? nil : process.terminationStatus
  }

  @Test(arguments: kinds)
  func resumesAfterKills(kind: Kind) throws {
    let place = try Place(Extent.count(6_000, or: 2_500))
    let start = Date()
    #expect(try run(arguments(kind, place, "whole"), killAfter: nil) == 0)
    let duration = Date().timeIntervalSince(start)
    let names = [kind.name, kind.rejects]
    let expected = names.map { place.bytes("whole/\($0)") }
    #expect(expected.allSatisfy { ($0?.count ?? 0) > 100 })
    // Rules that fail are part of what is told.
    let whole = String(
      decoding: place.bytes("whole/\(kind.name).manifest.json") ?? Data(), as: UTF8.self)
    #expect(whole.contains("no-such-attribute"))

    var random = SystemRandomNumberGenerator()
    var kills = 0
    var rounds = 0
    while kills < Self.kills, rounds < 20 * Self.kills {
      let folder = "killed-\(rounds)"
      rounds += 1
      var arguments = try arguments(kind, place, folder)
      // Several kills in one run: the next start goes on where this one came to.
      while true {
        let after = Double.random(in: 0...duration * 0.8, using: &random)
        let code = try run(arguments, killAfter: kills < Self.kills ? after : nil)
        if code == nil { kills += 1 }
        if !arguments.contains("--resume") { arguments.append("--resume") }
        if let code {
          #expect(code == 0)
          break
        }
      }
      for (name, bytes) in zip(names, expected) {
        #expect(place.bytes("\(folder)/\(name)") == bytes, "\(name) after \(kills) kills")
      }
      #expect(place.bytes("\(folder)/\(kind.name).checkpoint") == nil)
      let manifest = place.bytes("whole/\(kind.name).manifest.json")
      let text = { (data: Data?, folder: String) in
        String(decoding: data ?? Data(), as: UTF8.self)
          .replacingOccurrences(of: "/\(folder)/", with: "/")
      }
      #expect(
        text(place.bytes("\(folder)/\(kind.name).manifest.json"), folder)
          == text(manifest, "whole"))
      try FileManager.default.removeItem(atPath: place.path(folder))
    }
    #expect(kills >= Self.kills)
  }

  // MARK: Pipes

  /// Users that come through a pipe in pieces of odd sizes, which say nothing of where lines end: the
  /// pieces of a run that continues are others than those before the kill.
  @Test(
    arguments: Extent.some(0..<12, every: 3).map {
      (
        ["out.ndjson", "out.csv.gz", "out.csv.zst", "out.sqlite"][$0 % 4],
        [10_000, 4_099, 70_001][$0 / 4]
      )
    })
  func resumesPipesOfOddPieces(name: String, size: Int) throws {
    let place = try Place()
    let users = try #require(place.bytes("users-0.ndjson"))
    func arguments(_ folder: String) throws -> [String] {
      try FileManager.default.createDirectory(
        atPath: place.path(folder), withIntermediateDirectories: true)
      return [
        "precompute", Self.config, "--users", "-", "--out", place.path("\(folder)/\(name)"),
        "--rejects", place.path("\(folder)/rejects.gz"), "--now", "2026-03-01T12:00:00Z",
        "--checkpoint-every", "0", "--threads", "1",
      ]
    }
    let whole = try BuiltTool.run(try arguments("whole"), input: users)
    #expect(whole.code == 0, "\(whole.errors)")
    // Killed in the middle, and again behind it.
    var more: [String] = []
    for share in [0.4, 0.8] {
      try feed(
        users.prefix(Int(Double(users.count) * share)), pieces: size, kills: true,
        try arguments("killed") + more, until: place.path("killed/\(name).checkpoint"))
      more = ["--resume"]
    }
    try feed(users, pieces: 3 * size + 1, kills: false, try arguments("killed") + more)
    for file in [name, "rejects.gz"] {
      #expect(place.bytes("killed/\(file)") == place.bytes("whole/\(file)"), "\(file)")
    }
  }

  /// Runs the tool on users that it gets in pieces.
  ///
  /// - Parameters:
  ///   - kills: whether it is killed when it has got all of them.
  ///   - until: a file that is there, and no longer as it is now, before it is killed.
  private func feed(
    _ users: Data, pieces: Int, kills: Bool, _ arguments: [String], until path: String = ""
  ) throws {
    let input = Pipe()
    let manager = FileManager.default
    let before = manager.contents(atPath: path)
    let run = try BuiltTool.Running(try BuiltTool.tool(), arguments, source: input)
    for from in stride(from: users.startIndex, to: users.endIndex, by: pieces) {
      let piece = users[from..<min(from + pieces, users.endIndex)]
      try input.fileHandleForWriting.write(contentsOf: piece)
    }
    if kills {
      while run.process.isRunning, manager.contents(atPath: path) == before { usleep(1_000) }
      kill(run.process.processIdentifier, SIGKILL)
    }
    try input.fileHandleForWriting.close()
    let result = try run.wait()
    #expect(result.code == (kills ? SIGKILL : 0), "\(result.errors)")
    if !kills { #expect(result.errors.contains(" users before")) }
  }
}
