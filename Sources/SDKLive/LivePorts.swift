public import Foundation
public import SDK

extension Ports {
  /// Ports for an app on a device, with the system's clock, the network, and data in files.
  ///
  /// - Parameters:
  ///   - folder: the folder for the file with the SDK's data. A missing folder is created.
  ///   - store: sells the products.
  ///   - transport: sends requests to the backend. Set the address of AgentWallie's server here.
  public static func live(
    folder: String, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: any Transport = URLSessionTransport()
  ) -> Ports {
    live(
      storage: FileStorage(folder: folder), store: store, presenter: presenter,
      transport: transport)
  }

  /// Ports for an app on a device, with the folder as a file URL.
  public static func live(
    folder: URL, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: any Transport = URLSessionTransport()
  ) -> Ports {
    live(folder: folder.path, store: store, presenter: presenter, transport: transport)
  }

  /// Ports for an app on a device, with another kind of storage, such as `SQLiteStorage` of SDKSQLite.
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
    /// Ports for an app on a device, with the App Store.
    public static func live(
      folder: String, presenter: any PaywallPresenter,
      transport: any Transport = URLSessionTransport()
    ) -> Ports {
      live(folder: folder, store: StoreKitStore(), presenter: presenter, transport: transport)
    }

    /// Ports for an app on a device, with the App Store and the folder as a file URL.
    public static func live(
      folder: URL, presenter: any PaywallPresenter,
      transport: any Transport = URLSessionTransport()
    ) -> Ports {
      live(folder: folder.path, presenter: presenter, transport: transport)
    }

    /// Ports for an app on a device, with the App Store and another kind of storage.
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
  ///   - transport: sends the requests. Set the address of AgentWallie's server here.
  public static func live(
    publicKey: String, options: Options = Options(),
    transport: any Transport = URLSessionTransport()
  ) -> BackendClient {
    BackendClient(publicKey: publicKey, transport: transport, options: options)
  }
}
