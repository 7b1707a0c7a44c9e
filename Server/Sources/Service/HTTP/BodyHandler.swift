internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Requests bodies that clients hold back until the server asks for them (curl does this for a second, above a
/// megabyte). Stops reading from connections that end.
final class BodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// An outbound event: the answer is written, and the rest of the body is not needed.
  struct End: Sendable {}

  /// The time that a client has to read the answer before its connection is closed.
  private static let farewell = TimeAmount.milliseconds(500)

  /// The maximum length of a body. Longer bodies are rejected, so they are not requested.
  private let mostBytes: Int
  /// The time that the rest of a body may take once its answer is written.
  private let patience: TimeAmount
  private var isEnding = false
  /// Requests may be pipelined, so their bodies and answers are counted.
  private var bodies = 0
  private var answers = 0
  private var deadline: Scheduled<Void>?

  init(mostBytes: Int, patience: Duration) {
    self.mostBytes = mostBytes
    self.patience = TimeAmount(patience)
  }

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
    if case .end = unwrapInboundIn(data) {
      bodies += 1
      if bodies >= answers { cancelDeadline() }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      answers += 1
      // Without this deadline, a client could keep its connection by sending a byte now and then.
      if bodies < answers, deadline == nil {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
      }
    }
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelDeadline()
    context.fireChannelInactive()
  }

  private func cancelDeadline() {
    deadline?.cancel()
    deadline = nil
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
