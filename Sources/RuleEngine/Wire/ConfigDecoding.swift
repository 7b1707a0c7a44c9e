public import Expressions

extension Config {
  /// Decodes a config of any known format.
  ///
  /// Decoding is tolerant: an unusable element becomes a diagnostic with its path, and all other elements are used.
  /// Only input that is not a JSON object returns no config.
  ///
  /// - Parameters:
  ///   - json: the config's JSON, in UTF-8.
  ///   - format: the format. With nil, the keys decide: an object with `campaigns` and without `trigger_options` is an
  ///     AgentWallie config.
  public static func decode(_ json: some Sequence<UInt8>, format: Format? = nil)
    -> Compilation<Config>
  {
    let json = Array(json)
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: json)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: json)])
    }
    let root = ConfigElement(value: value, path: "")
    if let diagnostic = ForeignConfig.diagnostic(root) {
      return Compilation(output: nil, diagnostics: [diagnostic])
    }
    switch format ?? detected(root) {
    case .superwall:
      var decoder = SuperwallConfigDecoder()
      var config = decoder.config(root)
      config?.misread = decoder.log.misread
      config?.facts = ConfigFactFinder(superwall: root).facts
      return Compilation(output: config, diagnostics: decoder.log.diagnostics)
    case .agentWallie:
      var decoder = AgentWallieDecoder()
      var config = decoder.config(root)
      config?.misread = decoder.log.misread
      config?.facts = ConfigFactFinder(agentWallie: root).facts
      return Compilation(output: config, diagnostics: decoder.log.diagnostics)
    }
  }

  /// Decodes Superwall's static config (`/api/v1/static_config`).
  ///
  /// Decoding is tolerant: an unusable element becomes a diagnostic with its path, and all other elements are used.
  /// Diagnostics report the elements that make SDKs reject the whole config. Only input that is not a JSON object
  /// returns no config.
  public static func decode(superwall json: some Sequence<UInt8>) -> Compilation<Config> {
    decode(json, format: .superwall)
  }

  /// Decodes AgentWallie's config of campaigns, paywalls and products.
  ///
  /// Decoding is tolerant: an unusable element becomes a diagnostic with its path, and all other elements are used.
  /// Diagnostics report the elements that make AgentWallie's SDK reject the whole config. Only input that is not a JSON
  /// object returns no config.
  public static func decode(agentWallie json: some Sequence<UInt8>) -> Compilation<Config> {
    decode(json, format: .agentWallie)
  }

  private static func detected(_ root: ConfigElement) -> Format {
    root.has("campaigns") && !root.has("trigger_options") ? .agentWallie : .superwall
  }
}

extension Paywall {
  /// Decodes one paywall of Superwall's backend, as tolerantly as a whole config. The result is nil if the paywall has
  /// no identifier.
  public static func decode(superwall description: Value) -> Paywall? {
    var decoder = SuperwallConfigDecoder()
    return decoder.paywall(ConfigElement(value: description, path: ""))
  }
}

extension Diagnostic {
  /// Creates a diagnostic about input that is not JSON, with the place of the error and a suggestion.
  package init(_ fault: JSONFault, in json: [UInt8]) {
    self.init(
      .decodeFailure,
      fault.expected(in: json).map { "\(fault.message): \($0) is expected here" } ?? fault.message,
      range: SourceRange(from: fault.offset, to: fault.offset + fault.length(in: json)),
      suggestion: fault.hint(in: json))
  }
}
