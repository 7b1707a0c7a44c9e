#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reads and writes whole files.
enum InputFile {
  /// All bytes of a file.
  static func read(_ path: String) throws(InputError) -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw InputError(path, "cannot be read", errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = fread(buffer.baseAddress, 1, buffer.count, file)
      }
      if part.isEmpty { break }
      bytes += part
    }
    // Opening a folder succeeds, and reading it fails here.
    guard ferror(file) == 0 else { throw InputError(path, "cannot be read", errno) }
    return bytes
  }

  static func write(_ bytes: [UInt8], to path: String) throws(InputError) {
    guard let file = fopen(path, "wb") else { throw InputError(path, "cannot be written", errno) }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else {
      throw InputError(path, "cannot be written", errno)
    }
  }
}

/// An invalid input, with the reason.
struct InputError: Error, CustomStringConvertible {
  var description: String

  init(_ place: String, _ problem: String) { description = "\(place): \(problem)" }

  fileprivate init(_ path: String, _ problem: String, _ code: Int32) {
    self.init(path, "\(problem): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")")
  }
}
