internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Requests bodies that clients hold back until they are asked for (curl does this above a megabyte, for a second), and stops
/// reading from connections that end.
final class BodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// An outbound event: the answer is written, and the rest of the body is not needed.
  struct End: Sendable {}

  /// The time that a client has to read the answer before its connection is closed.
  private static let farewell = TimeAmount.milliseconds(500)

  /// Bodies that are rejected for their length are not requested.
  private let mostBytes: Int
  private var isEnding = false

  init(mostBytes: Int) { self.mostBytes = mostBytes }

  func read(context: ChannelHandlerContext) {
    if !isEnding { context.read() }
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is End else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
    guard !isEnding else { return }
    isEnding = true
    // Closing immediately would discard an answer that the client has not read yet.
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let request) = unwrapInboundIn(data), wantsToGoOn(request) {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    context.fireChannelRead(data)
  }

  private func wantsToGoOn(_ request: HTTPRequest) -> Bool {
    guard let expected = request.headerFields[.expect], expected.lowercased() == "100-continue"
    else { return false }
    // Only a part of a stream is in memory at a time.
    if request.path?.hasPrefix("/v1/decide/stream") == true { return true }
    // A config may be longer than other bodies.
    let most = request.path?.hasPrefix("/v1/config") == true ? 4 * mostBytes : mostBytes
    return request.headerFields[.contentLength].flatMap { Int($0) }.map { $0 <= most } ?? true
  }
}
