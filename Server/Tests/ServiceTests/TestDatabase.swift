import Expressions
import Foundation
import Requests
import Testing

@testable import Service

/// Where a test stores state: tests of the store run with each kind that this machine has.
enum TestStore: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, postgres

  static let all: [TestStore] = TestDatabase.isAvailable ? [.sqlite, .postgres] : [.sqlite]

  var testDescription: String { rawValue }

  /// Stores that share one new database.
  func stores(_ count: Int) async throws -> [any StateStore] {
    switch self {
    case .sqlite:
      let database = try ServiceDatabase.open(in: nil)
      return try (0..<count).map { _ in try SQLiteStore(database) }
    case .postgres:
      let schema = TestDatabase.newSchema()
      var stores: [any StateStore] = []
      for _ in 0..<count { stores.append(try await TestDatabase.store(schema)) }
      return stores
    }
  }

  func store() async throws -> any StateStore { try await stores(1)[0] }
}

/// PostgreSQL for tests: that of `TOLLGATE_TEST_DATABASE_URL`, or a server that is started in a folder of its own and
/// ends with the tests. Each test has a schema of its own.
final class TestDatabase: Sendable {
  static let missing: Comment =
    "needs a build with '--traits PostgreSQL', and TOLLGATE_TEST_DATABASE_URL or PostgreSQL's programs"

  /// Whether tests with PostgreSQL run.
  static var isAvailable: Bool {
    #if PostgreSQL
      given != nil || programs != nil
    #else
      false
    #endif
  }
  /// Whether the server is the tests' own, with TLS and a folder that they can read.
  static var isOwn: Bool { isAvailable && given == nil && programs != nil }

  private static let given = ProcessInfo.processInfo.environment["TOLLGATE_TEST_DATABASE_URL"]

  /// The folder with `initdb` and `postgres`.
  private static let programs: String? = {
    let find = """
      for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) \
          "$(pg_config --bindir 2>/dev/null)" "$(dirname "$(command -v postgres)")"; do
        if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then echo "$folder"; exit; fi
      done
      """
    let found = try? ServerProcess.run(find, in: URL(filePath: "/"))
    let folder = found?.output.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return folder.hasPrefix("/") ? folder : nil
  }()

  static func newSchema() -> String { "t" + String(UInt64.random(in: 0 ... .max), radix: 36) }

  /// A server that runs as long as this process.
  static let own = Result { try another() }

  static func another() throws -> OwnServer { try OwnServer(programs ?? "") }

  static func url() throws -> String { try given ?? own.get().url }

  #if PostgreSQL
    static func options(_ schema: String) throws -> PostgresOptions {
      var options = PostgresOptions(url: try url(), log: TestServer.quiet)
      options.schema = schema
      options.connections = 4
      // The machine may be busy.
      options.connectTimeout = 20_000
      options.statementTimeout = 20_000
      options.lockTimeout = 10_000
      return options
    }

    static func store(
      _ schema: String, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws -> PostgresStore {
      var options = try options(schema)
      change(&options)
      return try await PostgresStore(options)
    }
  #else
    static func store(_ schema: String) async throws -> any StateStore {
      throw ServerProcess.Failure(description: "built without PostgreSQL")
    }
  #endif

  final class OwnServer: @unchecked Sendable {
    let folder: URL
    let url: String
    let port: Int
    private let process = Process()
    /// The server ends when this is closed, however the tests end.
    private let input = Pipe()

    init(_ programs: String) throws {
      folder = URL(filePath: "/tmp/tollgate-" + TestDatabase.newSchema())
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let output = Pipe()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", Self.script, "postgres", folder.path, programs]
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
      var line = ""
      while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
        if byte.first == UInt8(ascii: "\n"), line.hasPrefix("port ") { break }
        line = byte.first == UInt8(ascii: "\n") ? "" : line + String(decoding: byte, as: UTF8.self)
      }
      guard let port = Int(line.dropFirst(5)) else {
        throw ServerProcess.Failure(description: "PostgreSQL did not start: \(line)")
      }
      self.port = port
      url = "postgresql://tollgate@/postgres?host=\(folder.path)&port=\(port)"
    }

    /// Ends the server, whatever it does.
    func stop() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    /// PostgreSQL does not run as root. Its certificate is for localhost.
    private static let script = #"""
      cd "$1"
      as=()
      if [ "$(id -u)" = 0 ]; then
        chown nobody .
        as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
      fi
      chmod 755 .
      make_root() {
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -keyout $1.key -out $1.pem
      }
      {
        make_root root && make_root other
        openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
        openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 \
          -extfile <(echo subjectAltName=DNS:localhost) -out server.pem
        chmod 644 *.pem; chmod 600 *.key
        echo "a-Secret-of-tests" >password
        if [ "$(id -u)" = 0 ]; then chown nobody server.key password; fi
        "${as[@]}" "$2/initdb" -D data -U tollgate --auth-local=trust --auth-host=scram-sha-256 \
          -E UTF8 --no-locale --no-sync --pwfile="$1/password"
      } >log 2>&1
      ssl=off
      if [ -s server.pem ]; then ssl=on; fi
      port=$((20000 + RANDOM % 12000))
      "${as[@]}" "$2/postgres" -D "$1/data" -k "$1" -p $port -c listen_addresses=localhost \
        -c fsync=off -c max_connections=400 -c ssl=$ssl -c ssl_cert_file="$1/server.pem" \
        -c ssl_key_file="$1/server.key" </dev/null >>log 2>&1 &
      server=$!
      for _ in $(seq 200); do
        if "$2/pg_isready" -q -h "$1" -p $port; then echo "port $port"; break; fi
        kill -0 $server 2>/dev/null || { tail -n 1 log; exit 1; }
        sleep 0.1
      done
      cat >/dev/null
      kill -QUIT $server
      wait $server
      cd /
      rm -rf "$1"
      """#
  }
}
