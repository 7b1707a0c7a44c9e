internal import Expressions
internal import RuleEngine

// MARK: Headers of app, device and user

extension SDKState {
  /// Adds the headers by which the backend identifies its clients. Servers read the user of `assignments` requests from
  /// these headers.
  func withHeaders(_ request: BackendRequest, attempt: Int) -> BackendRequest {
    var request = request
    request.environment = options.networkEnvironment
    let status = ownership.status.entitlements.map(\.id).joined(separator: ",")
    let fields: KeyValuePairs<String, String> = [
      "X-Platform": platform.spelling, "X-Platform-Environment": "SDK",
      "X-Platform-Wrapper": settings.wrapper?.name ?? "", "X-App-User-ID": person.appUserID ?? "",
      "X-Alias-ID": person.aliasID, "X-Vendor-ID": device.vendorID,
      "X-App-Version": device.appVersion, "X-OS-Version": device.osVersion,
      "X-Device-Model": device.deviceModel, "X-Device-Locale": locale,
      "X-Device-Language-Code": LocaleParts.language(locale),
      "X-Device-Currency-Code": device.currencyCode,
      "X-Device-Interface-Style": settings.interfaceStyle?.rawValue ?? device.systemInterfaceStyle,
      "X-SDK-Version": SDKVersion.current, "X-Bundle-ID": device.bundleID,
      "X-Is-Sandbox": device.isSandbox ? "true" : "false",
      "X-Static-Config-Build-Id": config?.config.buildID ?? "",
      "X-Current-Time": now.text ?? "", "X-Retry-Count": "\(attempt)",
      "X-Entitlements": status,
    ]
    request.headers += fields.filter { !$0.value.isEmpty }.map { .init($0.key, $0.value) }
    return request
  }
}

extension Platform {
  /// The spelling that backends and rules use.
  var spelling: String {
    switch self {
    case .ios: "iOS"
    case .android: "Android"
    case .web: "Web"
    }
  }
}
