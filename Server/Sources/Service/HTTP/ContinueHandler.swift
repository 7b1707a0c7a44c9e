internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Asks clients to go on that wait with a body until they are asked to: curl does with more than a
/// megabyte, for a second.
final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  /// Bodies that are refused by their length are not asked for.
  private let mostBytes: Int

  init(mostBytes: Int) { self.mostBytes = mostBytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let request) = unwrapInboundIn(data), wantsToGoOn(request) {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    context.fireChannelRead(data)
  }

  private func wantsToGoOn(_ request: HTTPRequest) -> Bool {
    guard let expected = request.headerFields[.expect], expected.lowercased() == "100-continue"
    else { return false }
    // Of a stream only a part is there at a time.
    if request.path?.hasPrefix("/v1/decide/stream") == true { return true }
    // A config may be longer than other bodies.
    let most = request.path?.hasPrefix("/v1/config") == true ? 4 * mostBytes : mostBytes
    return request.headerFields[.contentLength].flatMap { Int($0) }.map { $0 <= most } ?? true
  }
}
