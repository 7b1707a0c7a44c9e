internal import Expressions

extension Config {
  /// The config for an SDK in which an audience has only the functions that it requests, and the
  /// functions by expression.
  ///
  /// Spaces at their ends distinguish equal expressions with different functions.
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
