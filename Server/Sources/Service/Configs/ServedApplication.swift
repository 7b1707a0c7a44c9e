package import Expressions
internal import HTTPTypes
internal import Logging
package import Requests
internal import RuleEngine

/// An application whose placements are decided: its current config, and how it changes.
package final class ServedApplication: Sendable {
  package let id: String
  package let configPath: String?
  private let settings: PreparedConfig.Settings
  private let store: any StateStore
  private let running: Locked<LoadedConfig>

  /// The current config.
  package var current: LoadedConfig { running.withLock { $0 } }

  /// Loads the config of the fixtures, or the last one that replaced it since the file had this content.
  package init(
    _ application: Fixtures.Application, _ options: ServiceOptions, _ store: any StateStore
  ) async throws {
    id = application.id
    configPath = application.configPath
    self.store = store
    var settings = options.settings
    settings.nesting = options.limits.nesting
    if let products = application.products {
      settings.products = try Self.products(products, of: application.id)
    }
    self.settings = settings
    let text = ConfigText(application.config, language: settings.language)
    var isChecked = false
    while true {
      let last = try await store.config(of: application.id, number: nil, source: nil)
      let lastOfFile = try await store.config(of: application.id, number: nil, source: "file")
      if let last, let lastOfFile,
        lastOfFile.version.hash == LoadedConfig.hash(of: application.config),
        let loaded = try? LoadedConfig(
          number: last.version.number, ConfigText(last.bytes, language: settings.language), settings
        )
      {
        running = Locked(loaded)
        return
      }
      if !isChecked { try Self.checkUsable(text, application, options.log) }
      isChecked = true
      var config = NewConfig(
        application.config, of: application.id, by: "file", source: "file",
        note: application.configPath)
      config.after = last?.version.number ?? 0
      do {
        let number = try await store.publish(config)
        running = Locked(try LoadedConfig(number: number, text, settings))
        return
      } catch let error as ServiceError where error == .changedMeanwhile {
        // Another server has begun at the same time.
      }
    }
  }

  /// Rejects a config that decides nothing due to its errors, and logs the parts of others that are left out.
  private static func checkUsable(
    _ text: ConfigText, _ application: Fixtures.Application, _ log: Logger
  ) throws(ServiceError) {
    let errors = text.diagnostics.filter { $0.severity == .error }
    let reasons = errors.prefix(3).map(\.message).joined(separator: "; ")
    let name = application.configPath.map { " (\($0))" } ?? ""
    guard let ruleSet = text.ruleSet, errors.isEmpty || !ruleSet.placementNames.isEmpty else {
      throw ServiceError(
        .unprocessableContent, "invalid_config",
        "the config of application \(application.id)\(name) cannot be used: \(reasons)")
    }
    if ruleSet.placementNames.isEmpty {
      log.warning(
        "the config has no placements, and decides nothing",
        metadata: ["application": "\(application.id)"])
    } else if !errors.isEmpty {
      log.warning(
        "the config has errors, and is used without the parts that are wrong",
        metadata: [
          "application": "\(application.id)", "errors": "\(errors.count)", "first": "\(reasons)",
        ])
    }
  }

  private static func products(_ bytes: [UInt8], of application: String) throws -> ProductList {
    do throws(RequestError) {
      return try ProductList.given(bytes)
    } catch {
      throw ServiceError.badRequest("application \(application): \(error.message)")
    }
  }

  /// A config as a candidate for the next version, with all findings about it.
  ///
  /// - Throws: if it has errors. Then the current config stays.
  ///
  /// - Parameter hasDecided: whether it was used before. A server can start with a file that has errors, and leaves out
  ///   the invalid parts.
  package func candidate(_ bytes: [UInt8], hasDecided: Bool = false) throws(ServiceError)
    -> ConfigText
  {
    var text = ConfigText(bytes, language: settings.language)
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

  /// The users with different outcomes in a new config.
  ///
  /// - Parameter users: lines of records, or nil for all possible users.
  package func difference(to text: ConfigText, users: [UInt8]?) throws(RequestError) -> Value {
    current.prepared.difference(to: try PreparedConfig(text, settings), users: users)
  }

  /// Stores a config as the next version, and then decides with it.
  ///
  /// - Parameters:
  ///   - expected: the version that must be the last one, or nil for any.
  ///   - origin: the version with the same config, for a rollback.
  package func put(
    _ text: ConfigText, by: String, source: String, note: String?, detail: String = "",
    after expected: Int? = nil, origin: Int? = nil
  ) async throws -> LoadedConfig {
    var config = NewConfig(text.bytes, of: id, by: by, source: source, note: note)
    config.detail = detail
    config.after = expected
    config.origin = origin
    let number = try await store.publish(config)
    let loaded = try LoadedConfig(number: number, text, settings)
    // If two are put at the same time, the later version stays.
    running.withLock { if $0.number < number { $0 = loaded } }
    return loaded
  }
}
