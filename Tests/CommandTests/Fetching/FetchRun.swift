import Foundation

/// Runs of `tollgate fetch` against a server on this machine, in a folder of their own.
struct FetchRun {
  let folder: TestFolder
  let key = "pk_0123456789abcdef"

  /// Two builds of a config.
  static func config(build: String) -> String {
    """
    {"build_id":"\(build)","trigger_options":[{"event_name":"export","rules":[{"experiment_id":"1",
    "experiment_group_id":"g","variants":[{"variant_id":"2","variant_type":"HOLDOUT",
    "percentage":100}]}]}]}
    """
  }

  init() throws { folder = try TestFolder() }

  /// Proxies and the caller's key are not for servers of a test.
  func start(_ arguments: [String], variables: [String] = []) throws -> BuiltTool.Running {
    try BuiltTool.Running(
      "/usr/bin/env",
      ["-u", "TOLLGATE_KEY", "no_proxy=127.0.0.1"] + variables
        + [try BuiltTool.tool(), "fetch"] + arguments,
      in: folder.path)
  }

  func fetch(_ server: LoopbackServer, _ more: String...) throws -> BuiltTool.Result {
    try start(["--url", server.url, "--key", key] + more).wait()
  }

  func fetch(_ arguments: [String], variables: [String] = []) throws -> BuiltTool.Result {
    try start(arguments, variables: variables).wait()
  }

  /// A config that was fetched before, with its record.
  func fetchBefore() throws {
    let server = try LoopbackServer { $0.answer("200 OK", body: Self.config(build: "7")) }
    _ = try fetch(server)
  }

  func modified(_ name: String) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.modificationDate] as? Date
  }
}
