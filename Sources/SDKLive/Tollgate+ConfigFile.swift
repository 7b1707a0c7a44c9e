public import Foundation
public import SDK

extension Tollgate {
  /// Makes the SDK ready with a static config in a file, such as a file in the app's bundle, without a request to a
  /// server.
  ///
  /// Without a key, the SDK sends no requests. In all other respects this function is like the `configure` that takes
  /// bytes.
  ///
  /// - Throws: ``SDK/SDKError/Code/configurationFailed`` if the file is unreadable, or is not a static config.
  public nonisolated func configure(
    config file: URL, apiKey: String = "", purchaseController: (any PurchaseController)? = nil,
    options: TollgateOptions = TollgateOptions()
  ) async throws(SDKError) {
    let config: Data
    do {
      config = try Data(contentsOf: file)
    } catch {
      throw SDKError(
        .configurationFailed,
        "the config \(file.path) cannot be read: \(error.localizedDescription)")
    }
    try await configure(
      config: config, apiKey: apiKey, purchaseController: purchaseController, options: options)
  }
}
