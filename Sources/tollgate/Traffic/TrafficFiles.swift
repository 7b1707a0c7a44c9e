internal import ArgumentParser
internal import RuleEngine

/// The files that a simulation of traffic writes.
struct TrafficFiles {
  let out: String?
  let form: FileForm?
  private let rejects: String?
  private let rejectsForm: FileForm?

  /// - Parameters:
  ///   - out: a path, or `-` for standard output; nil and `none` for no output.
  ///   - rejects: the path of rejected lines, in the same form.
  init(out: String?, rejects: String?) throws {
    self.out = out == "none" ? nil : out
    self.rejects = rejects == "none" ? nil : rejects
    form = try self.out.map {
      try FileForm(path: $0, option: "--out", allowed: [.ndjson, .csv])
    }
    rejectsForm = try self.rejects.map {
      try FileForm(path: $0, option: "--rejects", allowed: [.ndjson])
    }
  }

  private func place(_ path: String) -> FilePlace {
    path == "-" ? FilePlace(open: 1, path) : FilePlace(path)
  }

  /// Throws when an input would be overwritten, or an output cannot be written.
  func check(_ uses: FileUses) throws {
    var uses = uses
    try out.map { try place($0).checkWritable("--out") }
    try rejects.map { try place($0).checkWritable("--rejects") }
    uses.writes("--out", out)
    uses.writes("--rejects", rejects)
    for place in locked { uses.writes("a lock", FileLock.path(for: place)) }
    try uses.check()
  }

  private var locked: [FilePlace] {
    [out, rejects].compactMap { $0.map(place) }.filter(\.hasNeighbours)
  }

  /// Locks these files against other runs.
  func lock() throws -> [FileLock] { try locked.compactMap { try FileLock($0) } }

  func openOut(header: [UInt8]) throws -> OutcomeSink {
    guard let out else { return .none }
    return .file(try OutputFile(out, form?.compression, header: header))
  }

  func openRejects() throws -> OutcomeSink {
    guard let rejects else { return .none }
    return .file(try OutputFile(rejects, rejectsForm?.compression))
  }

  /// The target of the report. If standard output has other contents, the report must not be mixed with them.
  var reportTarget: FileDescriptor {
    [out, rejects].contains { $0.map { place($0).descriptor == 1 } == true }
      ? .standardError : .standardOutput
  }
}
