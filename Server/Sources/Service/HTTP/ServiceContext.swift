package import Hummingbird
internal import NIOCore

/// What is known of a request beside its content.
package struct ServiceContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The address that the request comes from; nil where the channel has none.
  package let address: String?
  /// Who asks, once the keys have been looked at.
  package var caller: Caller = .nobody

  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    channel = source.channel
    coreContext = .init(source: source)
    address = source.channel.remoteAddress?.ipAddress
  }

  /// Ends the connection once its answer is read; the rest of the request's body is not.
  func end() { channel.triggerUserOutboundEvent(BodyHandler.End(), promise: nil) }

  /// Ends the connection at once, without an answer.
  package func drop() { channel.close(mode: .all, promise: nil) }
}

/// Who asks.
package enum Caller: Hashable, Sendable {
  /// No key was given.
  case nobody
  /// An app with the public key of an application: it may decide.
  case app(application: String)
  /// Who holds an application's secret key, and may administer it.
  case owner(application: String)
  /// Who holds the admin token.
  case admin
}
