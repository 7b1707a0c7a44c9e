internal import ArgumentParser
internal import Expressions

/// Reading and writing whole files; `-` is a standard stream.
enum FileText {
  /// The content of a file: text in UTF-8, without its byte-order mark, and decompressed.
  static func read(_ path: String) throws -> [UInt8] { try FileContent(path).bytes }

  /// Whether this path names a readable file. The file is not opened, because opening a pipe would wait for its writer,
  /// and closing the pipe would end the writer.
  static func isFile(_ path: String) -> Bool { FileIdentity.isReadable(path) }

  /// Whether to print nothing, for tests of commands. Files are still written.
  @TaskLocal static var isSilent = false

  /// Prints a line. If standard output cannot be written, the command ends.
  static func print(_ text: String, to file: FileDescriptor = .standardOutput) {
    if isSilent { return }
    let bytes = (text + "\n").utf8
    if file == .standardOutput {
      StandardStreams.print(bytes)
    } else {
      StandardStreams.printError(bytes)
    }
  }

  /// Prints text without a newline on standard error.
  static func printRaw(_ text: String) {
    if isSilent { return }
    StandardStreams.printError(text.utf8)
  }

  /// Prints lines for people, which may quote file contents.
  static func printError(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let visible = lines.map { DiagnosticText.visible(String($0)) }.joined(separator: "\n")
    print(Annotations.harmless(TextStyle(.standardError).findings(visible)), to: .standardError)
  }

  /// Prints findings for people on standard output.
  static func printFindings(_ text: String) {
    print(Annotations.harmless(TextStyle(.standardOutput).findings(text)))
  }

  /// Prints an explanation for people on standard output.
  static func printExplanation(_ text: String) {
    print(Annotations.harmless(TextStyle(.standardOutput).explanation(text)))
  }
}

/// A text file that was read as a whole.
struct FileContent {
  /// The maximum size of a file that is read as a whole, in bytes. Files of users are read in parts.
  static let limit = 256 << 20

  /// The text, without a byte-order mark.
  var bytes: [UInt8] = []
  let path: String
  let isCompressed: Bool
  let hasMark: Bool

  /// - Parameter path: `-` is standard input.
  init(_ path: String) throws {
    self.path = path
    let file = try InputFile(path)
    let content = try file.content(holdsUsers: false)
    isCompressed = content.isCompressed
    hasMark = content.hasMark
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // SAFETY: The read gets the buffer's size, and only the bytes that it returns are used.
      // Tests: EncodingTests, DecidingCommandTests.
      let count = try buffer.withUnsafeMutableBytes { try content.bytes.read(into: $0) }
      if count == 0 { return }
      bytes += buffer[..<count]
      if bytes.count > FileContent.limit {
        throw CommandError(
          "\(file.name) is larger than \(FileContent.limit >> 20) MiB, which is the limit")
      }
    }
  }

  /// Replaces this text by another text, in the file or on standard output, with the same byte-order mark.
  func replace(by text: [UInt8], inFile: Bool) throws {
    if inFile, isCompressed {
      throw CommandError("\(path) is compressed; only uncompressed files can be changed in place")
    }
    if inFile, !FilePlace(path).hasNeighbours {
      throw CommandError("\(path) is not a file that can be changed")
    }
    let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
    try SavedFile.write(mark + text, to: inFile ? path : "-")
  }
}
