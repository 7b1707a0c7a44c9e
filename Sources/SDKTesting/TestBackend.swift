internal import Expressions
internal import SDK

/// The backend of a ``TestTollgate``: it has a config and no data about any user, and fails on a
/// test's request.
final class TestBackend: Transport {
  private struct State {
    var network = TestTollgate.Network.answers
    /// Answers set by tests, by path. The last match counts.
    var answers: [(path: String, status: Int, body: Value?)] = []
    var requests: [BackendRequest] = []
  }

  private let state = Locked(State())
  private let usual: ScriptedTransport
  private let time: any TimeSource

  init(config: Value, time: any TimeSource) {
    usual = ScriptedTransport(rules: ScriptedTransport.Rule.backend(of: config), time: time)
    self.time = time
  }

  var requests: [BackendRequest] { state.withLock { $0.requests } }

  var network: TestTollgate.Network {
    get { state.withLock { $0.network } }
    set { state.withLock { $0.network = newValue } }
  }

  func answer(_ path: String, status: Int, body: Value?) {
    state.withLock { $0.answers.append((path, status, body)) }
  }

  func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    let (network, answer) = state.withLock { state in
      state.requests.append(request)
      return (state.network, state.answers.last { $0.path == request.path })
    }
    switch network {
    case .fails: throw .network("the network is down")
    case .hangs:
      // Sleeps longer than any caller waits.
      try? await time.sleep(milliseconds: 365 * 86_400_000)
      throw .timeout
    case .answers: break
    }
    guard let answer else { return try await usual.send(request) }
    return BackendResponse(status: answer.status, body: Array((answer.body?.json ?? "").utf8))
  }
}
