import CTollgate
import Expressions
import Testing
import TollgateC

/// A text that the library gave out, read and freed; nil for none.
func take(_ text: tg_text) -> Value? {
  defer { tg_text_free(text) }
  guard let start = text.bytes else { return nil }
  // A zero byte ends it, which is not counted.
  #expect(start[text.count] == 0)
  return try? Value.parse(json: UnsafeRawBufferPointer(start: start, count: text.count).map { $0 })
}

/// What a function returns, and the text that it gives.
func answer(_ call: (UnsafeMutablePointer<tg_text>) -> Int32) -> (status: Int32, value: Value?) {
  var text = tg_text()
  let status = call(&text)
  return (status, take(text))
}

/// A config that is freed when the test has ended.
final class LibraryConfig: @unchecked Sendable {
  let pointer: OpaquePointer
  let diagnostics: Value?

  init(_ text: String, _ options: String = "{}") throws {
    var (made, said): (OpaquePointer?, tg_text) = (nil, tg_text())
    let status = tg_config_compile(
      text, text.utf8.count, options, options.utf8.count, &made, &said)
    diagnostics = take(said)
    #expect(status == TG_OK, "\(diagnostics?.json ?? "")")
    pointer = try #require(made)
  }

  deinit { tg_config_free(pointer) }

  /// Asks a function that takes a request.
  func ask(
    _ function: (
      OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafeMutablePointer<tg_text>?
    ) -> Int32, _ request: String
  ) -> (status: Int32, value: Value?) {
    answer { function(pointer, request, request.utf8.count, $0) }
  }
}
