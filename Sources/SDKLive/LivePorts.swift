public import Foundation
public import SDK

extension Ports {
  /// Ports for an app on a device: the machine's clock, the network, files.
  ///
  /// - Parameters:
  ///   - folder: the folder for the SDK's data, which is stored in its own file. The folder is
  ///     created if it is missing.
  ///   - store: sells the products.
  ///   - transport: sends requests to the backend. An app with AgentWallie's server sets its
  ///     address here.
  public static func live(
    folder: String, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: any Transport = URLSessionTransport()
  ) -> Ports {
    live(
      storage: FileStorage(folder: folder), store: store, presenter: presenter,
      transport: transport)
  }

  /// The same with the folder's address, a file URL.
  public static func live(
    folder: URL, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: any Transport = URLSessionTransport()
  ) -> Ports {
    live(folder: folder.path, store: store, presenter: presenter, transport: transport)
  }

  /// The same with a storage of another kind, such as SDKSQLite's `SQLiteStorage`.
  public static func live(
    storage: any StateStorage, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: any Transport = URLSessionTransport()
  ) -> Ports {
    #if !canImport(Darwin)
      ErrorText.use { ($0 as? any LocalizedError)?.errorDescription }
    #endif
    return Ports(
      transport: transport, storage: storage, store: store, presenter: presenter,
      device: LiveDevice(), uploadsEvents: true, console: { Console.write($0) })
  }

  #if canImport(StoreKit) && !os(visionOS)
    /// The same with the App Store.
    public static func live(
      folder: String, presenter: any PaywallPresenter,
      transport: any Transport = URLSessionTransport()
    ) -> Ports {
      live(folder: folder, store: StoreKitStore(), presenter: presenter, transport: transport)
    }

    /// The same with the App Store, and the folder's address, a file URL.
    public static func live(
      folder: URL, presenter: any PaywallPresenter,
      transport: any Transport = URLSessionTransport()
    ) -> Ports {
      live(folder: folder.path, presenter: presenter, transport: transport)
    }

    /// The same with the App Store, and a storage of another kind.
    public static func live(
      storage: any StateStorage, presenter: any PaywallPresenter,
      transport: any Transport = URLSessionTransport()
    ) -> Ports {
      live(storage: storage, store: StoreKitStore(), presenter: presenter, transport: transport)
    }
  #endif
}

extension BackendClient {
  /// A client that sends requests to the backend through `URLSession`.
  ///
  /// - Parameters:
  ///   - publicKey: the application's key, `pk_...`.
  ///   - transport: sets the address of AgentWallie's server, for apps that have one.
  public static func live(
    publicKey: String, options: Options = Options(),
    transport: any Transport = URLSessionTransport()
  ) -> BackendClient {
    BackendClient(publicKey: publicKey, transport: transport, options: options)
  }
}
