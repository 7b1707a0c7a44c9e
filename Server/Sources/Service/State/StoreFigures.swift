internal import Expressions

/// The counts of a store with connections, for `/metrics`.
package struct StoreFigures: Sendable {
  /// The maximum number of connections.
  var connectionLimit = 0
  /// The number of open connections, and the number of them that are in use.
  var connections = 0
  var connectionsInUse = 0
  /// Operations that wait for a connection.
  var waiting = 0
  /// Statements or groups of statements that were sent and answered together.
  var roundTrips = 0
  /// Reads that were repeated and commits that were looked up, after a connection was lost.
  var retries = 0
  /// Failed attempts to connect.
  var connectionFailures = 0
  /// Transactions with changes of users, by the number of changes.
  var groups = GroupSizes()

  struct GroupSizes: Sendable {
    static let bounds = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    /// The number of groups by size. The last number is for sizes above all bounds.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var sum = 0

    mutating func add(_ size: Int) {
      counts[Self.bounds.firstIndex { size <= $0 } ?? Self.bounds.count] += 1
      sum += size
    }

    var count: Int { counts.reduce(0, +) }
  }

  init() {}

  /// The metrics as lines for Prometheus.
  var lines: [String] {
    var lines: [String] = []
    func family(_ name: String, _ type: String, _ help: String, _ value: Int) {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)", "\(name) \(value)"]
    }
    family(
      "tollgate_database_connections_limit", "gauge", "The maximum number of connections.",
      connectionLimit)
    family("tollgate_database_connections", "gauge", "Open connections.", connections)
    family(
      "tollgate_database_connections_in_use", "gauge", "Connections that are in use.",
      connectionsInUse)
    family(
      "tollgate_database_waiting", "gauge", "Operations that wait for a connection.", waiting)
    family(
      "tollgate_database_connection_failures_total", "counter", "Failed attempts to connect.",
      connectionFailures)
    family(
      "tollgate_database_round_trips_total", "counter", "Round trips to the database.", roundTrips)
    family(
      "tollgate_database_retries_total", "counter",
      "Reads that were repeated, and commits that were looked up, after a connection was lost.",
      retries)
    let name = "tollgate_database_group_size"
    lines += [
      "# HELP \(name) The number of changes in each transaction.", "# TYPE \(name) histogram",
    ]
    var total = 0
    for (bound, count) in zip(GroupSizes.bounds, groups.counts) {
      total += count
      lines.append("\(name)_bucket{le=\"\(bound)\"} \(total)")
    }
    lines += [
      "\(name)_bucket{le=\"+Inf\"} \(groups.count)", "\(name)_sum \(groups.sum)",
      "\(name)_count \(groups.count)",
    ]
    return lines
  }
}
