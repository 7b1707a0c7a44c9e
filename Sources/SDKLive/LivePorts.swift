internal import Foundation
public import SDK

extension Ports {
  /// What an app on a device needs: the machine's clock, the network, files.
  ///
  /// - Parameters:
  ///   - folder: where the SDK keeps its three files; it has to exist.
  ///   - store: where products are bought.
  ///   - transport: how the backend is reached; an app with AgentWallie's server says its address here.
  public static func live(
    folder: String, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: URLSessionTransport = URLSessionTransport()
  ) -> Ports {
    #if !canImport(Darwin)
      ErrorText.use { ($0 as? any LocalizedError)?.errorDescription }
    #endif
    return Ports(
      transport: transport,
      storage: FileStorage(
        path: folder + "/tollgate.json", configPath: folder + "/tollgate-config.json"),
      eventLog: FileEventLog(path: folder + "/tollgate-events.jsonl"), store: store,
      presenter: presenter, device: LiveDevice(), console: { Console.write($0) })
  }

  #if canImport(StoreKit) && !os(visionOS)
    /// The same with the App Store.
    public static func live(
      folder: String, presenter: any PaywallPresenter,
      transport: URLSessionTransport = URLSessionTransport()
    ) -> Ports {
      live(folder: folder, store: StoreKitStore(), presenter: presenter, transport: transport)
    }
  #endif
}

extension BackendClient {
  /// A client that reaches the backend through `URLSession`.
  ///
  /// - Parameters:
  ///   - publicKey: the application's key, `pk_...`.
  ///   - transport: says where AgentWallie's server is, for apps that have one.
  public static func live(
    publicKey: String, options: Options = Options(),
    transport: URLSessionTransport = URLSessionTransport()
  ) -> BackendClient {
    BackendClient(publicKey: publicKey, transport: transport, options: options)
  }
}
