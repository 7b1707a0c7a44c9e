#if PostgreSQL
  import Expressions
  import Foundation
  import Synchronization

  /// A TCP proxy in front of PostgreSQL, which harms what goes through it.
  final class TestProxy: Sendable {
    enum Harm: Sendable {
      case none
      /// New connections are closed, and the others too.
      case refuse
      /// Nothing goes through until it ends.
      case stall
      /// The next change is lost before the database has it, or its answer is lost.
      case cutChange, cutAnswer
      /// The same for what follows the next change: the commit of a transaction with locks.
      case cutCommit, cutCommitAnswer
    }

    private struct State {
      var harm = Harm.none
      var cuts = 0
      var pairs: [Int32: Int32] = [:]
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())

    var harm: Harm {
      get { state.withLock { $0.harm } }
      set {
        let open = state.withLock { state in
          state.harm = newValue
          return newValue == .refuse ? state.pairs : [:]
        }
        for (a, b) in open { Self.end(a, b) }
      }
    }

    /// How many connections were cut by a harm that ends with the cut.
    var cuts: Int { state.withLock { $0.cuts } }

    init(to target: Int) throws {
      self.target = target
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (bound, named) = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          (bind(listener, $0, length), getsockname(listener, $0, &length))
        }
      }
      guard bound == 0, named == 0, listen(listener, 64) == 0 else {
        throw ServerProcess.Failure(description: "the proxy has no port")
      }
      self.listener = listener
      port = Int(UInt16(bigEndian: address.sin_port))
      Thread.detachNewThread { [self] in
        while true {
          let client = accept(listener, nil, nil)
          if client < 0 { return }
          Thread.detachNewThread { [self] in serve(client) }
        }
      }
    }

    /// The address of the tests' own server through the proxy.
    func url(_ password: String = "a-Secret-of-tests") -> String {
      "postgresql://tollgate:\(password)@127.0.0.1:\(port)/postgres?sslmode=disable"
    }

    private static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return address
    }

    private static func end(_ a: Int32, _ b: Int32) {
      shutdown(a, Int32(SHUT_RDWR))
      shutdown(b, Int32(SHUT_RDWR))
    }

    private func serve(_ client: Int32) {
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(target)
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let isOpen = state.withLock { state in
        if case .refuse = state.harm { return false }
        state.pairs[client] = server
        return connected == 0
      }
      if isOpen {
        let isCut = Mutex(false)
        let back = Thread { [self] in
          pump(server, client) { _ in isCut.withLock { $0 } ? .cut : .pass }
          Self.end(client, server)
        }
        back.start()
        var hasChanged = false
        pump(client, server) { bytes in
          judge(bytes, &hasChanged) { isCut.withLock { $0 = true } }
        }
        Self.end(client, server)
        while !back.isFinished { usleep(1_000) }
      }
      _ = state.withLock { $0.pairs.removeValue(forKey: client) }
      close(client)
      close(server)
    }

    private enum Verdict { case pass, cut }

    /// - Parameter dropAnswers: called if what the server sends from now on is lost.
    private func judge(
      _ bytes: ArraySlice<UInt8>, _ hasChanged: inout Bool, _ dropAnswers: () -> Void
    )
      -> Verdict
    {
      // Only changes have the state of a user as a parameter.
      let isChange = Data(bytes).range(of: Data(#""occurrences":"#.utf8)) != nil
      defer { if isChange { hasChanged = true } }
      return state.withLock { state in
        switch state.harm {
        case .cutChange where isChange, .cutCommit where hasChanged && !isChange:
          state.harm = .none
          state.cuts += 1
          return .cut
        case .cutAnswer where isChange, .cutCommitAnswer where hasChanged && !isChange:
          state.harm = .none
          state.cuts += 1
          dropAnswers()
          return .pass
        default: return .pass
        }
      }
    }

    private func pump(
      _ from: Int32, _ to: Int32, _ judge: (ArraySlice<UInt8>) -> Verdict
    ) {
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = read(from, &buffer, buffer.count)
        guard count > 0 else { return }
        while case .stall = harm { usleep(5_000) }
        guard judge(buffer[..<count]) == .pass else { return }
        var sent = 0
        while sent < count {
          let written = buffer.withUnsafeBytes {
            send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
          }
          guard written > 0 else { return }
          sent += written
        }
      }
    }

    deinit { close(listener) }
  }
#endif
