package import Expressions
internal import HTTPTypes
internal import Logging
package import Requests
internal import RuleEngine

/// An application whose placements are decided. The application has a current config, which can be replaced.
package final class ServedApplication: Sendable {
  package let id: String
  package let configPath: String?
  private let settings: PreparedConfig.Settings
  private let store: any StateStore
  private let running: Locked<LoadedConfig>
  /// The newest version from another server that this server cannot use.
  private let unusable = Locked(0)

  /// The config that decides now.
  package var current: LoadedConfig { running.withLock { $0 } }

  /// Loads the config of the fixtures, or the last stored config that replaced it while the file was unchanged. In a
  /// store that servers share, the last stored config decides even if the file has changed, unless the server publishes
  /// its file.
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
      let isFileKnown =
        lastOfFile?.version.hash == LoadedConfig.hash(of: application.config)
      let keepsLast = store.isShared && !options.publishesConfigs
      if let last, isFileKnown || keepsLast {
        do {
          running = Locked(
            try LoadedConfig(
              number: last.version.number, ConfigText(last.bytes, language: settings.language),
              settings))
          if last.version.hash != LoadedConfig.hash(of: application.config) {
            Self.report(last.version, application, options.log)
          }
          return
        } catch  where store.isShared {
          // Other servers may be able to use the config.
          throw ServiceError(
            .unprocessableContent, "invalid_config",
            "version \(last.version.number) of application \(application.id) is in use, but cannot be loaded: "
              + error.message)
        } catch {}
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
        // Another server has started at the same time.
      }
    }
  }

  private static func report(
    _ version: ConfigVersion, _ application: Fixtures.Application, _ log: Logger
  ) {
    log.warning(
      "the stored config is used, not the different config in the file; PUT /v1/config publishes the file's config",
      metadata: [
        "application": "\(application.id)", "version": "\(version.number)",
        "file": "\(application.configPath ?? "")",
      ])
  }

  /// Rejects a config whose errors leave no placement to decide. For other configs with errors, logs that their invalid
  /// parts are ignored.
  private static func checkUsable(
    _ text: ConfigText, _ application: Fixtures.Application, _ log: Logger
  ) throws(ServiceError) {
    let errors = text.diagnostics.filter { $0.severity == .error }
    let faults = errors.prefix(3).map(\.message).joined(separator: "; ")
    let name = application.configPath.map { " (\($0))" } ?? ""
    guard let ruleSet = text.ruleSet, errors.isEmpty || !ruleSet.placementNames.isEmpty else {
      throw ServiceError(
        .unprocessableContent, "invalid_config",
        "the config of application \(application.id)\(name) cannot be used: \(faults)")
    }
    if ruleSet.placementNames.isEmpty {
      log.warning(
        "the config has no placements, so it decides nothing",
        metadata: ["application": "\(application.id)"])
    } else if !errors.isEmpty {
      log.warning(
        "the config has errors; its invalid parts are ignored",
        metadata: [
          "application": "\(application.id)", "errors": "\(errors.count)", "first": "\(faults)",
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

  /// Prepares a text as the next config, with all findings about it.
  ///
  /// - Throws: when the text has errors. The current config then stays.
  ///
  /// - Parameter hasDecided: whether the text was used before. Such a text may have errors, because servers start with
  ///   files that have errors and ignore the invalid parts.
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
        "the config has \(errors.count) \(errors.count == 1 ? "error" : "errors"), so the current "
          + "config stays in use",
        details: [.init(key: "diagnostics", value: .list(Array(errors.prefix(100))))])
    }
    return text
  }

  /// The users whose outcomes differ between a text and the current config.
  ///
  /// - Parameter users: lines of records; nil for all possible users.
  package func difference(to text: ConfigText, users: [UInt8]?) throws(RequestError) -> Value {
    current.prepared.difference(to: try PreparedConfig(text, settings), users: users)
  }

  /// Switches to the newest version, if other servers have published one.
  func refresh() async throws {
    guard store.isShared else { return }
    let newest = try await store.versions(of: id, limit: 1).first
    if let newest { _ = try await follow(to: newest.number) }
  }

  /// Switches to a version that another server has published.
  ///
  /// - Returns: false if this version or a later version is already in use.
  /// - Throws: an error if the version cannot be used, once for each version.
  func follow(to number: Int) async throws -> Bool {
    guard number > current.number, unusable.withLock({ $0 }) < number,
      let (version, bytes) = try await store.config(of: id, number: number, source: nil)
    else { return false }
    let settings = settings
    let loaded: LoadedConfig
    do {
      loaded = try await Background.run {
        try LoadedConfig(
          number: version.number, ConfigText(bytes, language: settings.language), settings)
      }
    } catch {
      unusable.withLock { $0 = number }
      throw error
    }
    return take(loaded)
  }

  private func take(_ loaded: LoadedConfig) -> Bool {
    // If two versions are published at once, the later version stays.
    running.withLock {
      guard $0.number < loaded.number else { return false }
      $0 = loaded
      return true
    }
  }

  /// Stores a text as the next version, and then switches to it.
  ///
  /// - Parameters:
  ///   - expected: the version that must be the last version; nil for any version.
  ///   - origin: the version with the same text, for a rollback.
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
    _ = take(loaded)
    return loaded
  }
}
