internal import Expressions
internal import RuleEngine

/// A config from a server.
struct FetchedConfig {
  let config: Config
  let download: Download
  /// The number of findings that are errors. `check` lists these findings.
  let errors: Int

  /// - Throws: when the server sends no config.
  init(_ source: ConfigSource, key: String, timeout: Int) throws {
    func refused(_ text: String) -> CommandError {
      CommandError(Self.hiding(key, in: "\(source.host) \(text)"))
    }
    do {
      download = try Download(
        source.url(key: key), timeout: timeout, allowsPlain: source.isLoopback,
        unset: [ConfigSource.keyVariable], headers: source.headers)
    } catch let failure as Download.Failure {
      throw refused(failure.text)
    }
    guard download.status == 200 else {
      throw refused(Self.meaning(of: download.status) + Self.beginning(download.body, "it says"))
    }
    var json = download.body
    // A byte-order mark belongs to the file, not to its JSON.
    if case .text(let markLength) = FileSignature(json) { json.removeFirst(markLength) }
    let decoded = Config.decode(json, format: source.format)
    let errors = decoded.diagnostics.filter { $0.severity == .error }
    let fault = errors.first { $0.code == .decodeFailure }
    let isEmpty = decoded.output.map { $0.placements.isEmpty && $0.paywalls.isEmpty } ?? true
    guard let config = decoded.output, fault == nil || !isEmpty else {
      throw refused(
        "sent no config: \(fault?.message ?? "nothing can be read")"
          + Self.beginning(download.body, "it begins with"))
    }
    self.config = config
    self.errors = errors.count
  }

  private static func meaning(of status: Int) -> String {
    switch status {
    case 401, 403:
      "does not accept the key (HTTP \(status)); give the public key that your app is configured with"
    case 404:
      "has no config for this key (HTTP 404); give the public key that your app is configured with"
    case 408, 425, 429, 500...599: "cannot respond now (HTTP \(status)); try again later"
    default: "sent no config (HTTP \(status))"
    }
  }

  /// The first line of a response that is not a config, as far as it is helpful.
  private static func beginning(_ body: [UInt8], _ words: String) -> String {
    let text = String(decoding: body.prefix(1_000), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
    guard let line else { return body.isEmpty ? "; it sent nothing" : "" }
    let shown = line.drop(while: \.isWhitespace)
    return "\n\(words): \(shown.prefix(200))" + (shown.count > 200 ? "..." : "")
  }

  /// Redacts the key, which a server may repeat in its response.
  private static func hiding(_ key: String, in text: String) -> String {
    [key, ConfigSource.encoded(key)].reduce(text) { $0.replacing($1, with: "(the key)") }
  }

  /// The config in words: `build 12, 6 placements, 3 paywalls, 21,345 bytes`.
  func summary(before: FetchRecord?) -> String {
    var parts: [String] = []
    if !config.buildID.isEmpty {
      let former = before?.buildID.flatMap { $0 == config.buildID ? nil : " (was \($0))" }
      parts.append("build \(config.buildID)\(former ?? "")")
    }
    parts += [
      counted(config.placements.count, "placement"), counted(config.paywalls.count, "paywall"),
      counted(download.body.count, "byte"),
    ]
    return DiagnosticText.visible(parts.joined(separator: ", "))
  }
}
