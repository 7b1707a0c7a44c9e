internal import Expressions
package import RuleBatch
package import RuleEngine

/// The counts of the service, as Prometheus reads them.
package final class ServiceMetrics: Sendable {
  /// Upper bounds of latencies, in seconds.
  fileprivate static let bounds = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
  ]
  /// The maximum number of series, because requests choose the names. Further series are counted together.
  fileprivate static let mostSeries = 5_000

  fileprivate struct Decided: Hashable {
    var application: String
    var placement: String
    var outcome: String
  }

  fileprivate struct Missing: Hashable {
    var application: String
    var placement: String
    var attribute: Decision.MissingAttribute

    init(application: String, placement: String, _ attribute: Decision.MissingAttribute) {
      self.application = application
      self.placement = placement
      self.attribute = attribute
    }
  }

  fileprivate struct Failed: Hashable {
    var application: String
    var placement: String
    var audience: Int
    var code: String
  }

  fileprivate struct Route: Hashable {
    var method: String
    var path: String
    var status: Int
  }

  fileprivate struct Histogram {
    var counts = [Int](repeating: 0, count: ServiceMetrics.bounds.count)
    var count = 0
    var sum = 0.0
  }

  fileprivate struct Counts {
    var decisions: [Decided: Int] = [:]
    var failures: [Failed: Int] = [:]
    var missing: [Missing: Int] = [:]
    var requests: [Route: Int] = [:]
    var latencies: [String: Histogram] = [:]
    var refusedLines = 0
    var withoutState = 0
    var conflicts = 0
    var tables: [TableSize] = []
  }

  private let counts = Locked(Counts())

  package init() {}

  /// Counts the decisions of one request.
  package func decided(
    _ application: String, _ decisions: [(placement: String, code: String)],
    errors: [(placement: String, error: RuleError)],
    missing: [(placement: String, attribute: Decision.MissingAttribute)] = []
  ) {
    counts.withLock { counts in
      for decision in decisions {
        counts.add(
          Decided(
            application: application, placement: decision.placement, outcome: decision.code), 1)
      }
      for (placement, error) in errors {
        counts.failures[
          Failed(
            application: application, placement: placement, audience: error.audience,
            code: error.code), default: 0] += 1
      }
      for (placement, attribute) in missing {
        counts.missing[
          Missing(application: application, placement: placement, attribute), default: 0] += 1
      }
    }
  }

  /// Counts the decisions of a part of a stream.
  package func decided(_ application: String, _ tally: Tally) {
    counts.withLock { counts in
      counts.refusedLines += tally.rejected
      for placement in tally.placements {
        for (code, count) in [
          ("paywall", placement.paywall), ("holdout", placement.holdout),
          ("noAudienceMatch", placement.noAudienceMatch),
          ("placementNotFound", placement.placementNotFound), ("error", placement.error),
        ] where count > 0 {
          counts.add(
            Decided(application: application, placement: placement.name, outcome: code), count)
        }
        for audience in placement.audiences {
          for clause in audience.missing {
            for (isMatched, users) in [(true, clause.matched), (false, clause.unmatched)]
            where users > 0 {
              let attribute = Decision.MissingAttribute(
                audience: audience.index, path: clause.path, isMatched: isMatched)
              counts.missing[
                Missing(application: application, placement: placement.name, attribute),
                default: 0] += users
            }
          }
        }
        for failed in placement.errors {
          counts.failures[
            Failed(
              application: application, placement: placement.name,
              audience: failed.error.audience, code: failed.error.code), default: 0] += failed.users
        }
      }
    }
  }

  /// Counts requests that were decided without stored state.
  func decidedWithoutState(_ count: Int) { counts.withLock { $0.withoutState += count } }

  /// Counts a change that was not stored, because the user was changed meanwhile.
  func conflicted() { counts.withLock { $0.conflicts += 1 } }

  func measured(_ tables: [TableSize]) { counts.withLock { $0.tables = tables } }

  package func answered(method: String, path: String, status: Int, seconds: Double) {
    counts.withLock { counts in
      counts.requests[Route(method: method, path: path, status: status), default: 0] += 1
      var histogram = counts.latencies[path] ?? Histogram()
      for (number, bound) in Self.bounds.enumerated() where seconds <= bound {
        histogram.counts[number] += 1
      }
      histogram.count += 1
      histogram.sum += seconds
      counts.latencies[path] = histogram
    }
  }

  /// All metrics as a string.
  ///
  /// - Parameters:
  ///   - versions: the number of the config that each application runs.
  ///   - store: the counts of the store.
  package func text(
    versions: [(application: String, number: Int)], configAge: Double? = nil,
    store: StoreFigures? = nil
  ) -> String {
    let counts = counts.withLock { $0 }
    var lines: [String] = []
    func family(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
      lines.append("# HELP \(name) \(help)")
      lines.append("# TYPE \(name) \(type)")
      lines += samples.sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" }
    }
    if let configAge {
      family(
        "tollgate_config_age_seconds", "gauge",
        "The time since the database last reported the newest configs.",
        [("tollgate_config_age_seconds", "\(configAge)")])
    }
    family(
      "tollgate_decisions_total", "counter", "Decisions by placement and outcome.",
      counts.decisions.map { key, count in
        (
          "tollgate_decisions_total"
            + Self.labels([
              ("application", key.application), ("placement", key.placement),
              ("outcome", key.outcome),
            ]), String(count)
        )
      })
    family(
      "tollgate_rule_errors_total", "counter", "Rules that failed for a user, by audience.",
      counts.failures.map { key, count in
        (
          "tollgate_rule_errors_total"
            + Self.labels([
              ("application", key.application), ("placement", key.placement),
              ("audience", String(key.audience)), ("code", key.code),
            ]), String(count)
        )
      })
    family(
      "tollgate_missing_attributes_total", "counter",
      "Users for whom a missing attribute decided whether an audience matched.",
      counts.missing.map { key, count in
        (
          "tollgate_missing_attributes_total"
            + Self.labels([
              ("application", key.application), ("placement", key.placement),
              ("audience", String(key.attribute.audience)), ("attribute", key.attribute.path),
              ("matched", String(key.attribute.isMatched)),
            ]), String(count)
        )
      })
    family(
      "tollgate_refused_lines_total", "counter", "Lines of streams that were not user records.",
      [("tollgate_refused_lines_total", String(counts.refusedLines))])
    family(
      "tollgate_without_state_total", "counter",
      "Requests that were decided without stored state, because the database did not respond.",
      [("tollgate_without_state_total", String(counts.withoutState))])
    family(
      "tollgate_state_conflicts_total", "counter",
      "Requests that were decided again, because another request had changed the user.",
      [("tollgate_state_conflicts_total", String(counts.conflicts))])
    lines += store?.lines ?? []
    if !counts.tables.isEmpty {
      family(
        "tollgate_database_bytes", "gauge", "The size of each table with its indices.",
        counts.tables.map {
          ("tollgate_database_bytes" + Self.labels([("table", $0.table)]), "\($0.bytes)")
        })
      family(
        "tollgate_database_rows", "gauge",
        "The estimated number of rows of each table.",
        counts.tables.compactMap { size in
          size.rows.map {
            ("tollgate_database_rows" + Self.labels([("table", size.table)]), "\($0)")
          }
        })
    }
    family(
      "tollgate_http_requests_total", "counter", "Requests by route and status.",
      counts.requests.map { key, count in
        (
          "tollgate_http_requests_total"
            + Self.labels([
              ("method", key.method), ("route", key.path), ("status", String(key.status)),
            ]), String(count)
        )
      })
    family(
      "tollgate_config_version", "gauge", "The version of the config in use.",
      versions.map {
        ("tollgate_config_version" + Self.labels([("application", $0.application)]), "\($0.number)")
      })
    lines += Self.histogram(counts.latencies)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func histogram(_ latencies: [String: Histogram]) -> [String] {
    let name = "tollgate_http_request_seconds"
    var lines = [
      "# HELP \(name) The time from a request until its response began.",
      "# TYPE \(name) histogram",
    ]
    for (path, histogram) in latencies.sorted(by: { $0.key < $1.key }) {
      for (number, bound) in bounds.enumerated() {
        lines.append(
          "\(name)_bucket\(labels([("route", path), ("le", "\(bound)")])) \(histogram.counts[number])"
        )
      }
      lines.append("\(name)_bucket\(labels([("route", path), ("le", "+Inf")])) \(histogram.count)")
      lines.append("\(name)_sum\(labels([("route", path)])) \(histogram.sum)")
      lines.append("\(name)_count\(labels([("route", path)])) \(histogram.count)")
    }
    return lines
  }

  /// Escapes scalars, because a character may combine a quote with another scalar, or a line feed with a carriage
  /// return.
  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      case "\r": text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func labels(_ pairs: [(String, String)]) -> String {
    "{"
      + pairs.map { name, value in
        "\(name)=\"\(escaped(value))\""
      }.joined(separator: ",") + "}"
  }
}

extension ServiceMetrics.Counts {
  fileprivate mutating func add(_ key: ServiceMetrics.Decided, _ count: Int) {
    var key = key
    if decisions.count >= ServiceMetrics.mostSeries, decisions[key] == nil {
      key.placement = "(others)"
    }
    decisions[key, default: 0] += count
  }
}
