#if canImport(UIKit) && !os(watchOS)
  internal import Foundation
  internal import UIKit

  extension Tollgate {
    /// Notifies the SDK when the app enters the foreground or the background. Call this function once.
    @MainActor
    public func observeApplication() {
      let center = NotificationCenter.default
      center.addObserver(
        forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
      ) { [weak self] _ in self?.applicationDidEnterForeground() }
      center.addObserver(
        forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
      ) { [weak self] _ in self?.applicationDidEnterBackground() }
    }
  }
#endif
