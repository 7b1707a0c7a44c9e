internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// A file of invariants: one JSON object per line, or one JSON list.
struct InvariantFile {
  private(set) var invariants: [RuleInvariant] = []
  /// The problems, each with its place.
  private(set) var faults: [String] = []

  private let path: String
  private var name: String { path == "-" ? "standard input" : path }

  /// - Parameter placements: the names of the config's placements.
  init(_ path: String, placements: [String]) throws {
    self.path = path
    defer { shorten() }
    let bytes = try FileText.read(path)
    if let kind = FileKind.ofSound(bytes), kind != .invariants {
      faults.append(
        "\(name) is \(kind.name); an invariant is a line such as "
          + #"{"name":"no paywall for minors","when":"user.age < 18","holds":"outcome.result != \"paywall\""}"#
      )
      return
    }
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") {
      do {
        for value in try Value.parse(json: bytes).elements ?? [] { read(value, name, placements) }
      } catch {
        let position = SourcePosition(offset: error.offset, in: bytes)
        faults.append("\(name):\(position.line):\(position.column): \(error.message)")
      }
    } else if let whole = try? Value.parse(json: bytes) {
      // A single object over several lines is a whole file.
      let line = 1 + bytes.prefix { $0 <= 0x20 }.count { $0 == 0x0A }
      read(whole, "\(name):\(line)", placements)
    } else {
      readLines(bytes, placements)
    }
    if invariants.isEmpty, faults.isEmpty {
      faults.append("\(name) contains no invariants: an invariant is a JSON object on one line")
    }
  }

  private mutating func readLines(_ bytes: [UInt8], _ placements: [String]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      do {
        read(try Value.parse(json: line), "\(name):\(number + 1)", placements)
      } catch {
        let position = SourcePosition(offset: error.offset, in: Array(line))
        let hint = error.hint(in: Array(line)).map { "; \($0)" } ?? ""
        faults.append("\(name):\(number + 1):\(position.column): \(error.message)\(hint)")
      }
    }
  }

  private mutating func read(_ value: Value, _ place: String, _ placements: [String]) {
    let invariant: RuleInvariant
    do throws(RuleExpectation.Fault) {
      invariant = try RuleInvariant(value)
    } catch {
      faults.append("\(place): \(error.message)")
      return
    }
    if let named = invariant.placement, !placements.contains(named) {
      let close = Suggestion.closest(to: named, among: placements)
      faults.append(
        "\(place): the config has no placement '\(named)'"
          + (close.map { "; did you mean '\($0)'?" } ?? ""))
      return
    }
    let problems = invariant.diagnostics()
    for problem in problems {
      faults.append(
        DiagnosticText.render(
          problem.diagnostic, source: problem.source, place: "\(place): '\(problem.key)'"))
    }
    if problems.isEmpty { invariants.append(invariant) }
  }

  /// The maximum number of problems to list.
  private static let mostFaults = 20

  private mutating func shorten() {
    let more = faults.count - Self.mostFaults
    guard more > 0 else { return }
    faults.removeLast(more)
    faults.append("\(name): and \(counted(more, "mistake")) more")
  }
}
