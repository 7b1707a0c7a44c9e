import Foundation
import Synchronization

/// A server on this machine for one test, which answers whoever connects as the test says.
final class LoopbackServer: Sendable {
  /// What came with the head of a request, and where to answer.
  struct Request: Sendable {
    let head: String
    fileprivate let socket: Int32

    /// The part of the first line that names the resource.
    var target: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    /// - Returns: whether the other side still reads.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
      let bytes = Array(bytes)
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          #if canImport(Darwin)
            Foundation.send(socket, $0.baseAddress, $0.count, 0)
          #else
            Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          #endif
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }

    func answer(_ status: String, _ headers: [String] = [], body: String = "") {
      let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"]
      send((head + headers + ["", ""]).joined(separator: "\r\n").utf8)
      send(body.utf8)
    }

    /// Waits until the other side has gone.
    func waitForEnd() {
      var byte: UInt8 = 0
      while recv(socket, &byte, 1, 0) > 0 {}
    }
  }

  let port: UInt16
  private let listener: Int32
  private let heads = Mutex<[String]>([])

  var url: String { "http://127.0.0.1:\(port)" }

  /// The requests so far.
  var requests: [String] { heads.withLock { $0 } }

  init(_ answer: @escaping @Sendable (Request) -> Void) throws {
    #if canImport(Darwin)
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw CocoaError(.fileNoSuchFile) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { break }
        let request = Request(head: Self.head(socket), socket: socket)
        self?.heads.withLock { $0.append(request.head) }
        answer(request)
        close(socket)
      }
      // Not before nobody accepts any more: its number is soon another server's.
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Reads up to the empty line behind the headers.
  private static func head(_ socket: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(socket, &byte, 1, 0) == 1 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
