// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CShims
public import CTollgate
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine

/// The status and the message of a function that fails.
struct LibraryError: Error {
  var status: Int32
  var value: Value

  init(_ status: Int32, _ code: String, _ message: String, _ details: [Value.Entry] = []) {
    self.status = status
    value = RequestError(.request, code, message, details: details).value
  }

  init(_ error: RequestError) {
    status =
      switch error.kind {
      case .malformed: TG_BAD_ARGUMENT
      case .request: TG_BAD_REQUEST
      case .config: TG_BAD_CONFIG
      case .tooLarge: TG_TOO_LARGE
      }
    value = error.value
  }

  /// - Parameter status: `TG_BAD_COLUMN` for an error in a schema, `TG_BAD_ARRAY` for an error in an array.
  init(_ error: ArrowError, _ status: Int32) {
    var details: [Value.Entry] = []
    if !error.column.isEmpty {
      details.append(.init(key: "column", value: .string(error.column)))
    }
    if let row = error.row { details.append(.init(key: "row", value: .int(Int64(row)))) }
    self.init(
      status, status == TG_BAD_COLUMN ? "bad_column" : "bad_array", error.message, details)
  }

  static func null(_ name: String) -> LibraryError {
    LibraryError(TG_BAD_ARGUMENT, "null_pointer", "'\(name)' is NULL; it is required")
  }
}

extension tg_text {
  /// Bytes as a string that its caller frees, with a zero byte at the end.
  init(_ bytes: [UInt8]) {
    // SAFETY: `malloc` gives one byte more than the text, for the zero. The caller frees it with
    // `tg_text_free`. Tests: LibraryTests, Tools/library-tests.sh.
    self.init()
    guard let memory = malloc(bytes.count + 1) else { return }
    bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
    }
    memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    self.bytes = memory.assumingMemoryBound(to: CChar.self)
    count = bytes.count
  }

  init(_ value: Value) {
    var bytes: [UInt8] = []
    JSONWriter.append(value, to: &bytes)
    self.init(bytes)
  }
}

/// Runs the body of a function, and writes its answer or its error to the caller's memory.
func answer(
  _ out: UnsafeMutablePointer<tg_text>?, _ body: () throws(LibraryError) -> [UInt8]
) -> Int32 {
  // SAFETY: `out` is checked for NULL and initialized before it is set.
  // Tests: LibraryTests.whatIsNotThereIsTold.
  guard let out else { return TG_BAD_ARGUMENT }
  out.initialize(to: tg_text())
  do throws(LibraryError) {
    out.pointee = tg_text(try body())
    return TG_OK
  } catch {
    out.pointee = tg_text(error.value)
    return error.status
  }
}

/// Runs the body of a function that returns its answer elsewhere. The error message is optional and may be NULL.
func attempt(
  _ error: UnsafeMutablePointer<tg_text>?, _ body: () throws(LibraryError) -> Void
) -> Int32 {
  error?.initialize(to: tg_text())
  do throws(LibraryError) {
    try body()
    return TG_OK
  } catch let problem {
    error?.pointee = tg_text(problem.value)
    return problem.status
  }
}

/// Copies a string from the caller.
func bytes(_ text: UnsafePointer<CChar>?, _ count: Int, _ name: String) throws(LibraryError)
  -> [UInt8]
{
  // SAFETY: The caller provides `count` bytes, which are copied at once. NULL and impossible sizes
  // are rejected. Tests: LibraryTests.whatIsNotThereIsTold, Tools/library-tests.sh.
  guard let text else {
    if count == 0 { return [] }
    throw .null(name)
  }
  // A size that exceeds every address space is an error of the caller, such as a negative number.
  guard count >= 0, count <= Int.max / 2 else {
    throw LibraryError(
      TG_BAD_ARGUMENT, "bad_size", "'\(name)' cannot have \(UInt(bitPattern: count)) bytes")
  }
  return Array(UnsafeRawBufferPointer(start: text, count: count))
}

/// Parses a request. An empty string is a request without members.
func request(
  _ text: UnsafePointer<CChar>?, _ count: Int, _ name: String = "the request"
) throws(LibraryError) -> JSONRequest {
  let bytes = try bytes(text, count, name)
  return bytes.isEmpty
    ? .empty
    : try asking { () throws(RequestError) in
      try JSONRequest(bytes, nesting: Limits().dataNesting + 1, name: name)
    }
}

/// Rejects unknown members.
func checkMembers(_ value: Value, _ known: [String], _ what: String) throws(LibraryError) {
  for (name, _) in value.members ?? [] where !known.contains(name) {
    let close = Suggestion.closest(to: name, among: known)
    throw LibraryError(
      TG_BAD_REQUEST, "unknown_option",
      "there is no option '\(name)' of \(what)" + (close.map { "; did you mean '\($0)'?" } ?? ""),
      [.init(key: "path", value: .string(name))])
  }
}

/// Calls the body, and converts errors of requests to errors of the library.
func asking<Answer>(_ body: () throws(RequestError) -> Answer) throws(LibraryError) -> Answer {
  do throws(RequestError) { return try body() } catch { throw LibraryError(error) }
}

@c @implementation
public func tg_abi_version() -> UInt32 { UInt32(TG_ABI_VERSION) }

/// The version as a C string. The pointer stays valid forever.
nonisolated(unsafe) private let version: UnsafePointer<CChar> = {
  // SAFETY: The string is never written again and never freed, so every thread can read it.
  // Tests: LibraryTests.
  let text = Array(SDKVersion.current.utf8CString)
  let memory = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
  memory.initialize(from: text, count: text.count)
  return UnsafePointer(memory)
}()

@c @implementation
public func tg_version() -> UnsafePointer<CChar> { version }

@c @implementation
public func tg_text_free(_ text: tg_text) { free(text.bytes) }
