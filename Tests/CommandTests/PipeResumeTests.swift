import Foundation
import Testing

/// Users that come through a pipe a few at a time: a run that is killed and continued writes what a
/// run that was left alone writes, wherever in a piece of the input it stopped.
@Suite(.serialized) struct PipeResumeTests {
  enum Form: String, CaseIterable { case ndjson, csv }

  private static let config = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus/demo/config.json").path

  private final class Place {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "tollgate-pipes-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }
  }

  /// A run that reads users from a pipe.
  private final class Run {
    private let process = Process()
    private let input = Pipe()

    /// - Parameter lines: what is in the pipe before anybody reads, so that it is one piece.
    init(
      _ place: Place, _ form: Form, _ lines: some Collection<String>, resumes: Bool,
      out: String = "out"
    ) throws {
      try write(lines)
      process.executableURL = URL(filePath: try #require(BuiltTool.path))
      process.arguments =
        [
          "precompute", PipeResumeTests.config, "--users", "-", "--users-format",
          form.rawValue, "--out", place.path(out), "--rejects", place.path("\(out)-rejects"),
          "--now", "2026-03-01T12:00:00Z", "--seed", "pipes", "--checkpoint-every", "0",
          "--threads", "1",
        ] + (resumes ? ["--resume"] : [])
      process.standardInput = input
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    func write(_ lines: some Collection<String>) throws {
      try input.fileHandleForWriting.write(contentsOf: Data(lines.joined().utf8))
    }

    func end() throws -> Int32 {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
      return process.terminationStatus
    }

    func kill() throws {
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try input.fileHandleForWriting.close()
    }

    var isRunning: Bool { process.isRunning }
  }

  /// Lines of users, some of whom are refused; of CSV with the header first. All of them fit into a
  /// pipe that nobody reads.
  private static func lines(_ form: Form) -> [String] {
    let users = (0..<600).map { number -> String in
      let filler = String(repeating: "x", count: 30 + number % 17)
      let isRefused = number % 97 == 3
      return switch form {
      case .ndjson where isRefused: "{\"user\":{\"n\":\"\(filler)\"}}\n"
      case .ndjson: "{\"userId\":\"u-\(number)\",\"user\":{\"n\":\"\(filler)\"}}\n"
      case .csv: (isRefused ? "" : "u-\(number)") + ",\"\(filler)\"\n"
      }
    }
    return (form == .csv ? ["userId,user.n\n"] : []) + users
  }

  /// How many lines a stopped run will not read again.
  private func linesDone(_ place: Place) -> Int {
    struct Position: Decodable { var lines: Int }
    guard let text = place.bytes("out.checkpoint"),
      let position = try? JSONDecoder().decode(Position.self, from: text)
    else { return 0 }
    return position.lines
  }

  /// Waits until a run has worked off so many lines, and kills it.
  private func kill(_ run: Run, at place: Place, lines: Int) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while linesDone(place) < lines {
      try #require(run.isRunning && ContinuousClock.now < deadline)
      usleep(1_000)
    }
    try run.kill()
    #expect(linesDone(place) == lines)
  }

  @Test(arguments: Form.allCases)
  func resumesWithinAPiece(form: Form) throws {
    let place = try Place()
    let lines = Self.lines(form)
    let alone = try Run(place, form, lines, resumes: false, out: "alone")
    #expect(try alone.end() == 0)

    // Ten kilobytes, then all of that and more in one piece, and again: where the run was stopped is
    // in the middle of a piece both times.
    try kill(Run(place, form, lines[..<157], resumes: false), at: place, lines: 157)
    try kill(Run(place, form, lines[..<400], resumes: true), at: place, lines: 400)
    let last = try Run(place, form, lines, resumes: true)
    #expect(try last.end() == 0)
    for name in ["", "-rejects"] {
      let whole = try #require(place.bytes("alone\(name)"))
      #expect(whole.count > 500)
      #expect(place.bytes("out\(name)") == whole)
    }
  }

  /// A piece that ends where the run was stopped, and one that comes later, are read as they are.
  @Test(arguments: Form.allCases)
  func resumesBetweenPieces(form: Form) throws {
    let place = try Place()
    let lines = Self.lines(form)
    let alone = try Run(place, form, lines, resumes: false, out: "alone")
    #expect(try alone.end() == 0)
    try kill(Run(place, form, lines[..<200], resumes: false), at: place, lines: 200)
    let last = try Run(place, form, lines[..<200], resumes: true)
    try last.write(lines[200...])
    #expect(try last.end() == 0)
    #expect(place.bytes("out") != nil && place.bytes("out") == place.bytes("alone"))
  }
}
