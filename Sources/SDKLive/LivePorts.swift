public import SDK

extension Ports {
  /// What an app on a device needs: the machine's clock, the network, files.
  ///
  /// - Parameters:
  ///   - folder: where the SDK keeps its two files; it has to exist.
  ///   - store: where products are bought.
  ///   - transport: how the backend is reached; an app with AgentWallie's server says its address here.
  public static func live(
    folder: String, store: any PurchaseStore, presenter: any PaywallPresenter,
    transport: URLSessionTransport = URLSessionTransport()
  ) -> Ports {
    Ports(
      transport: transport, storage: FileStorage(path: folder + "/tollgate.json"),
      eventLog: FileEventLog(path: folder + "/tollgate-events.jsonl"), store: store,
      presenter: presenter, device: LiveDevice())
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
