package import Expressions
internal import HTTPTypes
internal import Logging
package import Requests
internal import RuleEngine

/// An application whose placements are decided: its config of the moment, and how that changes.
package final class ServedApplication: Sendable {
  package let id: String
  package let configPath: String?
  private let settings: PreparedConfig.Settings
  private let store: any StateStore
  private let running: Locked<LoadedConfig>

  /// The config that decides now.
  package var current: LoadedConfig { running.withLock { $0 } }

  /// Takes the config of the fixtures, or the last one that was put in its place since the file had
  /// this text.
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
    let hash = LoadedConfig.hash(of: application.config)
    let last = try await store.config(of: application.id, number: nil, source: nil)
    let lastOfFile = try await store.config(of: application.id, number: nil, source: "file")
    if let last, let lastOfFile, lastOfFile.version.hash == hash,
      let loaded = try? LoadedConfig(
        number: last.version.number, ConfigText(last.bytes, language: settings.language), settings)
    {
      running = Locked(loaded)
      return
    }
    let text = ConfigText(application.config, language: settings.language)
    try Self.checkUsable(text, application, options.log)
    let number = try await store.publish(
      NewConfig(
        application.config, of: application.id, by: "file", source: "file",
        note: application.configPath))
    running = Locked(try LoadedConfig(number: number, text, settings))
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
    do throws(RequestError) {
      return try ProductList.given(bytes)
    } catch {
      throw ServiceError.badRequest("application \(application): \(error.message)")
    }
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

  /// Who gets something else by a text than by the config that decides.
  ///
  /// - Parameter users: lines of records; nil for every user that there could be.
  package func difference(to text: ConfigText, users: [UInt8]?) throws(RequestError) -> Value {
    current.prepared.difference(to: try PreparedConfig(text, settings), users: users)
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
    var config = NewConfig(text.bytes, of: id, by: by, source: source, note: note)
    config.detail = detail
    config.after = expected
    config.origin = origin
    let number = try await store.publish(config)
    let loaded = try LoadedConfig(number: number, text, settings)
    // Of two who put one at once the later version stays.
    running.withLock { if $0.number < number { $0 = loaded } }
    return loaded
  }
}
