internal import Expressions
internal import HTTPTypes
internal import Logging
package import Requests
package import RuleEngine

/// An application whose placements are decided: its config of the moment, and how that changes.
package final class ServedApplication: Sendable {
  package let id: String
  package let configPath: String?
  package let products: ProductList?
  private let options: ServiceOptions
  private let history: ConfigHistory
  private let running: Locked<LoadedConfig>

  /// The config that decides now.
  package var current: LoadedConfig { running.withLock { $0 } }

  /// Takes the config of the fixtures, or the last one that was put in its place since the file had
  /// this text.
  package init(
    _ application: Fixtures.Application, _ options: ServiceOptions, _ history: ConfigHistory
  ) async throws {
    id = application.id
    configPath = application.configPath
    self.options = options
    self.history = history
    products =
      try application.products.map { try Self.products($0, of: application.id) }
      ?? options.products
    let hash = LoadedConfig.hash(of: application.config)
    let last = try await history.text(of: application.id)
    let lastOfFile = try await history.text(of: application.id, source: "file")
    if let last, let lastOfFile, lastOfFile.version.hash == hash,
      let loaded = LoadedConfig(
        number: last.version.number, ConfigText(last.bytes, language: options.language),
        seed: options.seed, assigner: options.assigner)
    {
      running = Locked(loaded)
      return
    }
    let text = ConfigText(application.config, language: options.language)
    try Self.checkUsable(text, application, options.log)
    let number = try await history.append(
      application.config, hash: hash, to: application.id, by: "file", source: "file",
      note: application.configPath, at: ServiceTime.now(), detail: "")
    guard
      let loaded = LoadedConfig(
        number: number, text, seed: options.seed, assigner: options.assigner)
    else { throw ServiceError(.unprocessableContent, "invalid_config", "the config has no rules") }
    running = Locked(loaded)
  }

  /// Refuses a config that decides nothing because of what is wrong with it, and says what is left out of
  /// others.
  private static func checkUsable(
    _ text: ConfigText, _ application: Fixtures.Application, _ log: Logger
  ) throws(ServiceError) {
    let errors = text.diagnostics.filter { $0.severity == .error }
    let told = errors.prefix(3).map(\.message).joined(separator: "; ")
    let name = application.configPath.map { " (\($0))" } ?? ""
    guard let ruleSet = text.ruleSet, errors.isEmpty || !ruleSet.placementNames.isEmpty else {
      throw ServiceError(
        .unprocessableContent, "invalid_config",
        "the config of application \(application.id)\(name) cannot be used: \(told)")
    }
    if ruleSet.placementNames.isEmpty {
      log.warning(
        "the config has no placements, and decides nothing",
        metadata: ["application": "\(application.id)"])
    } else if !errors.isEmpty {
      log.warning(
        "the config has errors, and is used without the parts that are wrong",
        metadata: [
          "application": "\(application.id)", "errors": "\(errors.count)", "first": "\(told)",
        ])
    }
  }

  private static func products(_ bytes: [UInt8], of application: String) throws -> ProductList {
    let decoded = ProductList.decode(json: bytes)
    guard let list = decoded.output else {
      throw ServiceError.badRequest(
        "the products of application \(application) cannot be read: "
          + (decoded.diagnostics.first?.message ?? ""))
    }
    return list
  }

  /// What a text would be as the next config, with all that is found in it.
  ///
  /// - Throws: when it has errors; then what there is stays.
  ///
  /// - Parameter hasDecided: whether it was used before: a server starts with a file that has errors, and
  ///   leaves out what is wrong.
  package func candidate(_ bytes: [UInt8], hasDecided: Bool = false) throws(ServiceError)
    -> ConfigText
  {
    var text = ConfigText(bytes, language: options.language)
    text.check(now: ServiceTime.now())
    let isAllowed =
      text.count(.error) == 0 || hasDecided && text.ruleSet?.placementNames.isEmpty == false
    guard text.config != nil, text.ruleSet != nil, isAllowed else {
      let errors = text.findings(file: "config").filter { $0["severity"] == "error" }
      throw ServiceError(
        .unprocessableContent, "invalid_config",
        "the config has \(errors.count) \(errors.count == 1 ? "error" : "errors"), and the one that "
          + "decides stays as it is",
        details: [.init(key: "diagnostics", value: .list(Array(errors.prefix(100))))])
    }
    return text
  }

  /// Keeps a text as the next version, and then decides by it.
  ///
  /// - Parameters:
  ///   - expected: the version that has to be the last one; nil for any.
  ///   - origin: the version that it is the same as, where somebody goes back to it.
  package func put(
    _ text: ConfigText, by: String, source: String, note: String?, detail: String = "",
    after expected: Int? = nil, origin: Int? = nil
  ) async throws -> LoadedConfig {
    let number = try await history.append(
      text.bytes, hash: LoadedConfig.hash(of: text.bytes), to: id, by: by, source: source,
      note: note, at: ServiceTime.now(), detail: detail, after: expected, origin: origin)
    guard
      let loaded = LoadedConfig(
        number: number, text, seed: options.seed, assigner: options.assigner)
    else { throw ServiceError(.unprocessableContent, "invalid_config", "the config has no rules") }
    // Of two who put one at once the later version stays.
    running.withLock { if $0.number < number { $0 = loaded } }
    return loaded
  }
}
