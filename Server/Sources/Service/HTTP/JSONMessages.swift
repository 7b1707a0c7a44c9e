package import Expressions
package import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import NIOHTTP1

extension Response {
  /// A response with a JSON value.
  package init(json value: Value, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    var bytes: [UInt8] = []
    JSONWriter.append(value, to: &bytes)
    self.init(json: bytes, status: status, headers: headers)
  }

  /// A response with JSON bytes.
  package init(json bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.contentType] = "application/json; charset=utf-8"
    self.init(
      status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

/// The maximum size of a request.
package struct RequestLimits: Sendable {
  /// The maximum length of a body that is read whole, in bytes.
  package var body = 4 << 20
  /// The depth of lists and objects. Inside the record, the attributes of a user may have the depth that the engine
  /// allows.
  package var nesting = Limits().dataNesting + 1
  /// The time in which a body that is read whole must arrive.
  package var patience = Duration.seconds(20)

  package init() {}
}

extension Request {
  /// The body, which must arrive within the limits.
  package func bytes(_ limits: RequestLimits) async throws -> [UInt8] {
    try refuseEncodings()
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limits.body {
      throw Self.tooLarge(limits)
    }
    do {
      return try await arriving(limits)
    } catch let error as HTTPParserError {
      throw ServiceError(
        .badRequest, "malformed_request", "the body is not valid HTTP: \(error)",
        headers: [.connection: "close"])
    }
  }

  private func arriving(_ limits: RequestLimits) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    let start = ContinuousClock.now
    for try await part in body {
      guard bytes.count + part.readableBytes <= limits.body else { throw Self.tooLarge(limits) }
      if bytes.isEmpty { bytes.reserveCapacity(part.readableBytes) }
      bytes.append(contentsOf: part.readableBytesView)
      if ContinuousClock.now - start > limits.patience {
        throw ServiceError(
          .requestTimeout, "request_timeout", "the body took longer than \(limits.patience)")
      }
    }
    return bytes
  }

  /// Rejects compressed bodies, because a small compressed body could have any size when it is decompressed.
  package func refuseEncodings() throws(ServiceError) {
    guard let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" else {
      return
    }
    throw ServiceError(
      .unsupportedMediaType, "unsupported_encoding",
      "the body is encoded as '\(encoding.prefix(40))'; send it uncompressed, without Content-Encoding",
      headers: [.acceptEncoding: "identity"])
  }

  /// The body as JSON.
  package func json(_ limits: RequestLimits) async throws -> Value {
    let bytes = try await bytes(limits)
    return try Self.json(bytes, limits)
  }

  package static func json(_ bytes: [UInt8], _ limits: RequestLimits) throws(ServiceError) -> Value
  {
    guard !bytes.isEmpty else {
      throw ServiceError(.badRequest, "not_json", "the body is empty; expected JSON")
    }
    do throws(JSONFault) {
      return try Value.parse(json: bytes, nesting: limits.nesting)
    } catch {
      throw ServiceError(
        .badRequest, "not_json", "the body is not JSON: \(error.message) at byte \(error.offset)",
        details: [.init(key: "offset", value: .int(Int64(error.offset)))])
    }
  }

  private static func tooLarge(_ limits: RequestLimits) -> ServiceError {
    ServiceError(
      .contentTooLarge, "body_too_large", "the body has more than \(limits.body) bytes")
  }
}
