// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CTollgate
internal import Expressions
internal import Requests

@c @implementation
public func tg_sql(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  // SAFETY: Every pointer of the caller is checked for NULL before it is used. Text is copied
  // first. Tests: LibraryTests.
  answer(out) { () throws(LibraryError) in
    let config = try TollgateC.config(config)
    let body = try TollgateC.request(request, count)
    return Array(try asking { () throws(RequestError) in try config.query(body) }.json.utf8)
  }
}
