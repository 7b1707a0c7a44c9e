internal import Foundation
package import SDK

#if canImport(UIKit)
  internal import UIKit
#endif

/// The machine that the SDK runs on, as far as Foundation knows it.
package struct LiveDevice: Device {
  /// Adds facts that only the app knows to the facts that were found.
  private let adjust: @Sendable (inout DeviceFacts) -> Void

  /// - Parameter adjust: adds facts that only the app knows (vendor ID, radio type, interface style...), and may change
  ///   other facts.
  package init(adjust: @escaping @Sendable (inout DeviceFacts) -> Void = { _ in }) {
    self.adjust = adjust
  }

  package var facts: DeviceFacts {
    var facts = DeviceFacts()
    let info = Bundle.main.infoDictionary ?? [:]
    facts.appVersion = info["CFBundleShortVersionString"] as? String ?? facts.appVersion
    facts.appBuild = info["CFBundleVersion"] as? String ?? facts.appBuild
    facts.bundleID = Bundle.main.bundleIdentifier ?? ""
    let version = ProcessInfo.processInfo.operatingSystemVersion
    facts.osVersion = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    let locale = Locale.current
    facts.locale = locale.identifier
    facts.preferredLocale = Locale.preferredLanguages.first
    facts.currencyCode = locale.currency?.identifier ?? facts.currencyCode
    facts.currencySymbol = locale.currencySymbol ?? facts.currencySymbol
    facts.timeZone = TimeZone.current.identifier
    #if os(macOS)
      facts.isMac = true
    #endif
    #if canImport(Darwin)
      facts.isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
    #endif
    #if canImport(UIKit) && !os(watchOS)
      facts.fontScale = Double(UIFontMetrics.default.scaledValue(for: 1))
      facts.fontSize = Double(UIFont.preferredFont(forTextStyle: .body).pointSize)
      facts.preferredContentSizeCategory =
        UITraitCollection.current.preferredContentSizeCategory.rawValue
    #endif
    adjust(&facts)
    return facts
  }
}
