internal import Expressions
internal import SDK

/// The response of a server, requested through the system's curl.
struct Download {
  /// The HTTP status.
  var status: Int
  var body: [UInt8]
  /// The server's own name for this version; nil if the server sends none, or if curl is too old to report it.
  var entityTag: String?

  /// The maximum size of a response in bytes.
  static let limit = 64 << 20

  /// Why there is no response.
  struct Failure: Error {
    var text: String
  }

  /// Requests a URL.
  ///
  /// The URL is passed to curl on standard input, because the arguments of a program are visible to
  /// every user of the machine.
  ///
  /// - Parameters:
  ///   - timeout: the total time limit in seconds.
  ///   - allowsPlain: whether redirects may be unencrypted too.
  ///   - unset: environment variables to remove for curl.
  ///   - headers: headers in addition to the usual headers.
  init(
    _ url: String, timeout: Int, allowsPlain: Bool, unset: Set<String>,
    headers: [(name: String, value: String)] = []
  ) throws {
    let protocols = allowsPlain ? "=http,https" : "=https"
    let settings = """
      url = "\(url)"
      silent
      show-error
      globoff
      compressed
      location
      max-redirs = \(Self.redirectLimit)
      proto = "\(protocols)"
      proto-redir = "\(protocols)"
      connect-timeout = \(min(timeout, 10))
      max-time = \(timeout)
      max-filesize = \(Self.limit)
      header = "Accept: application/json"
      user-agent = "tollgate/\(SDKVersion.current)"
      write-out = "%{stderr}\\nstatus %{http_code}\\netag %header{etag}\\n"

      """ + headers.map { "header = \"\($0.name): \($0.value)\"\n" }.joined()
    let result: ChildProcess.Result
    do {
      // Ignores the user's curl config, which may redirect the output.
      result = try ChildProcess.run(
        "curl", ["--disable", "--config", "-"], input: Array(settings.utf8), unset: unset,
        limit: Self.limit)
    } catch let error as Errno where error == .noSuchFileOrDirectory {
      throw Failure(
        text:
          "cannot be reached: fetch needs curl, which is not installed; install it with your package manager, "
          + "such as: apt-get install curl")
    }
    let lines = String(decoding: result.errors, as: UTF8.self).split(separator: "\n")
    func told(_ name: String) -> Substring? {
      lines.last { $0.hasPrefix(name + " ") }?.dropFirst(name.count + 1)
    }
    if result.isTooLong { throw Failure(text: Self.tooLong) }
    status = told("status").flatMap { Int($0) } ?? 0
    if result.code != 0 {
      throw Self.failure(result.code, lines.last { $0.hasPrefix("curl: ") }, timeout)
    }
    body = result.output
    // Older versions print `%header{etag}` literally.
    entityTag = told("etag").flatMap { $0.isEmpty || $0.hasPrefix("%") ? nil : String($0) }
  }

  private static let redirectLimit = 5

  private static let tooLong = "sends more than \(limit >> 20) MiB, which no config has"

  /// The failure for an exit code of curl. The manual of curl lists the codes.
  private static func failure(_ code: Int32, _ message: Substring?, _ timeout: Int) -> Failure {
    let detail = message.map { String($0.dropFirst("curl: ".count)) } ?? "curl ended with \(code)"
    switch code {
    case 5, 6: return Failure(text: "cannot be found: \(detail)")
    case 7: return Failure(text: "cannot be reached: \(detail)")
    case 18, 52, 56, 92:
      return Failure(text: "closed the connection in the middle of its response: \(detail)")
    case 28:
      return Failure(
        text: "did not respond within \(counted(timeout, "second")); --timeout allows more time")
    case 8: return Failure(text: "does not respond in HTTP: \(detail)")
    case 35:
      return Failure(
        text: "does not set up an encrypted connection: \(detail); it may not support https")
    case 51, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91:
      return Failure(text: "cannot be trusted: \(detail)")
    case 47: return Failure(text: "redirects more than \(redirectLimit) times")
    // curl reports a response that is not HTTP as HTTP/0.9, which it rejects.
    case 1 where detail.contains("HTTP/0.9"):
      return Failure(text: "does not respond in HTTP; is the port correct?")
    case 1: return Failure(text: "redirects to a URL that is not encrypted")
    case 63: return Failure(text: tooLong)
    default: return Failure(text: "cannot be asked: \(detail)")
    }
  }
}
