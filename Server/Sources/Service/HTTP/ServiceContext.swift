internal import Expressions
package import Hummingbird
internal import NIOCore

/// The facts about a request in addition to its content.
package struct ServiceContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The address of the client, or nil if the channel has no address.
  package let address: String?
  /// The caller, after the keys have been checked.
  package var caller: Caller = .nobody
  /// The header `traceparent`, or nil if it is missing or invalid.
  var traceParent: TraceParent?
  /// The members of errors that name the trace.
  var traceMembers: [Value.Entry] {
    traceParent.map { [.init(key: "traceparent", value: .string("\($0)"))] } ?? []
  }

  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    channel = source.channel
    coreContext = .init(source: source)
    address = source.channel.remoteAddress?.ipAddress
  }

  /// Ends the connection after its answer is read, without reading the rest of the request's body.
  func end() { channel.triggerUserOutboundEvent(BodyHandler.End(), promise: nil) }

  /// Ends the connection immediately, without an answer.
  package func drop() { channel.close(mode: .all, promise: nil) }
}

/// The caller of a request.
package enum Caller: Hashable, Sendable {
  /// The request has no key.
  case nobody
  /// An app with the public key of an application. Such a caller may decide.
  case app(application: String)
  /// A caller with an application's secret key. Such a caller may administer the application.
  case owner(application: String)
  /// A caller with the admin token.
  case admin
}
