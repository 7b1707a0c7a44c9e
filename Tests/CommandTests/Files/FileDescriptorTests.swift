import Foundation
import Testing

@testable import tollgate

/// System calls for files: partial writes, full pipes, offsets, flags and errors.
@Suite struct FileDescriptorTests {
  private func flags(_ file: FileDescriptor, _ command: Int32) -> Int32 {
    fcntl(file.rawValue, command)
  }

  /// A nonblocking pipe holds 64 KiB. The rest is written when there is room.
  @Test func writesWhole() async throws {
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    _ = fcntl(writeEnd.rawValue, F_SETFL, O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let reader = Task.detached {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 5_000)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try readEnd.read(into: $0) }
        if count == 0 { return all }
        all += buffer[..<count]
      }
    }
    try writeEnd.writeWhole(bytes)
    try writeEnd.close()
    #expect(try await reader.value == bytes)
    try readEnd.close()
  }

  @Test func readsAndCutsAtOffsets() throws {
    let folder = try TestFolder()
    try folder.write("f", "0123456789")
    let file = try FileDescriptor.open(folder.path("f"), O_RDWR)
    try file.resize(to: 6)
    try file.seek(to: 4)
    var buffer = [UInt8](repeating: 0, count: 10)
    func read(_ offset: Int?) throws -> String {
      let count = try buffer.withUnsafeMutableBytes {
        if let offset { try file.read(into: $0, at: offset) } else { try file.read(into: $0) }
      }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
    #expect(try read(1) == "12345")
    #expect(try read(nil) == "45")
    #expect(try read(nil) == "")
    try file.close()
  }

  /// Child processes inherit no file, and errors have the system's words.
  @Test func opening() throws {
    let folder = try TestFolder()
    let path = folder.path("é \u{1F600}")
    let made = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
    #expect(folder.names == ["é \u{1F600}"])
    #expect(flags(made, F_GETFD) == FD_CLOEXEC)
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    for end in [readEnd, writeEnd] {
      #expect(flags(end, F_GETFD) == FD_CLOEXEC)
      try end.close()
    }
    try made.close()
    let again = #expect(throws: Errno.self) {
      _ = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
    }
    #expect(again == .fileExists)
    let missing = #expect(throws: Errno.self) {
      _ = try FileDescriptor.open(folder.path("none"), O_RDONLY)
    }
    #expect(missing == .noSuchFileOrDirectory)
    #expect(missing?.description == "No such file or directory")
    #expect(throws: Errno(rawValue: EBADF)) { try FileDescriptor(rawValue: 9_999).close() }
  }
}
