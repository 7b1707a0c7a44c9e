import Expressions
import Foundation

/// A connection whose bytes a test sends as it likes.
final class RawConnection: Sendable {
  private let socket: Int32
  /// Closed twice, it would be another one's socket the second time.
  private let isOpen = Locked(true)

  struct Failure: Error {}

  init(to url: URL) throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(url.port ?? 0).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
    }
    if result != 0 { throw Failure() }
  }

  deinit { leave() }

  /// - Returns: whether the whole text was sent.
  @discardableResult func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// What comes until the other side ends the connection; nil if that takes longer than ten seconds.
  func receiveToEnd() async -> String? {
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let socket = socket
    return await withCheckedContinuation { found in
      Thread.detachNewThread {
        var text = ""
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
          let count = recv(socket, &part, part.count, 0)
          if count > 0 {
            text += String(decoding: part[..<count], as: UTF8.self)
          } else {
            return found.resume(returning: count < 0 && errno == EAGAIN ? nil : text)
          }
        }
      }
    }
  }

  /// What comes until the other side ends the connection, or a text has come. It waits on a thread of its
  /// own: the server answers on those that tests run on.
  func receive(until end: String) async -> String {
    let socket = socket
    return await withCheckedContinuation { found in
      Thread.detachNewThread {
        var text = ""
        var part = [UInt8](repeating: 0, count: 4_096)
        while !text.contains(end) {
          let count = recv(socket, &part, part.count, 0)
          guard count > 0 else { break }
          text += String(decoding: part[..<count], as: UTF8.self)
        }
        found.resume(returning: text)
      }
    }
  }

  /// Ends the connection, at once and without a word where `resets` says so.
  func leave(resets: Bool = false) {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard wasOpen else { return }
    if resets {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
    close(socket)
  }
}
