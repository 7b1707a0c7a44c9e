internal import Expressions

extension Config {
  /// The config for an SDK whose audiences have only the functions that they request, and the functions of each
  /// expression.
  ///
  /// If equal expressions have different functions, trailing spaces distinguish the expressions.
  func separatingFunctions(_ profile: SDKProfile) -> (Config, [String: HostFunctions]) {
    var config = self
    var functions: [String: HostFunctions] = [:]
    for placement in config.placements.indices {
      for audience in config.placements[placement].audiences.indices {
        let requested = config.placements[placement].audiences[audience].computedProperties
        guard var text = config.placements[placement].audiences[audience].expression else {
          continue
        }
        let own = profile.hostFunctions(requested)
        while let known = functions[text], known != own { text += " " }
        functions[text] = own
        config.placements[placement].audiences[audience].expression = text
      }
    }
    return (config, functions)
  }
}
