import Testing

@testable import Expressions

@Suite("Encoders extension")
struct EncodersTests {
  @Test(arguments: [
    ("base64Encode(b'hello')", "'aGVsbG8='"), ("base64Encode(b'')", "''"),
    ("base64Encode(b'a')", "'YQ=='"), ("base64Encode(b'ab')", "'YWI='"),
    ("base64Encode(b'abc')", "'YWJj'"), ("base64Encode(b'Hello World!')", "'SGVsbG8gV29ybGQh'"),
    ("base64Encode(base64Decode('+/+/AP8='))", "'+/+/AP8='"),
    ("base64Encode('hello')", "error no-such-overload"), ("base64Decode('aGVsbG8=')", "b'hello'"),
    ("base64Decode('aGVsbG8')", "b'hello'"),
    ("base64Decode(base64Encode(b'Hello World!'))", "b'Hello World!'"), ("base64Decode('')", "b''"),
    ("base64Decode('YWI')", "b'ab'"), ("base64Decode('YQ')", "b'a'"),
    ("base64Decode('YR==')", "b'a'"), ("base64Decode('aGVs\nbG8=\r\n')", "b'hello'"),
    ("base64Decode('aGVs bG8=')", "error conversion"), ("base64Decode('a')", "error conversion"),
    ("base64Decode('aaaaa')", "error conversion"),
    ("base64Decode('aGVsbG8==')", "error conversion"), ("base64Decode('YQ=')", "error conversion"),
    ("base64Decode('aaaa=')", "error conversion"), ("base64Decode('====')", "error conversion"),
    ("base64Decode('=')", "error conversion"), ("base64Decode('a=bc')", "error conversion"),
    ("base64Decode('-_-_')", "error conversion"), ("base64Decode('é===')", "error conversion"),
    ("base64Decode(b'YQ==')", "error no-such-overload"),
    ("base64Decode(missing)", "error no-such-attribute"),
  ])
  func base64(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }
}
