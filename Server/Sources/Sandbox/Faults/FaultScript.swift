internal import Expressions
internal import Synchronization

/// Faults for testing clients: status codes, delays, connections that end.
///
/// A script is JSON: `{"faults":[{"path","method"?,"status"?,"delay"?,"drop"?,"count"?,"skip"?,"body"?,
/// "application"?}]}`. A request gets the first fault that matches. A fault with `count` applies only that many times,
/// after `skip` requests. A fault with `application` applies only to requests with the application's keys.
package final class FaultScript: Sendable {
  struct Fault: Sendable, Hashable {
    /// The path to match, in which `*` matches any string, including slashes.
    var path: String
    /// The application of the fault; nil for a fault that applies to all requests.
    var application: String?
    var method: String?
    var status: Int?
    /// The delay in milliseconds.
    var delay: Int = 0
    /// Whether the connection ends without a response.
    var drops = false
    /// The number of remaining uses, or nil for no limit.
    var count: Int?
    /// The number of further requests that are let through before the fault applies.
    var skip = 0
    var body: Value?
    /// The number of uses so far.
    var happened = 0
  }

  private let faults: Mutex<[Fault]>

  package init() { faults = Mutex([]) }

  /// - Throws: ``FaultScript/Problem`` with the error and its place.
  package convenience init(json: [UInt8]) throws {
    self.init()
    try replace(json: json)
  }

  package func replace(json: [UInt8]) throws {
    let value: Value
    do throws(JSONFault) { value = try Value.parse(json: json, nesting: 32) } catch {
      throw Problem(message: "the faults are not JSON: \(error)")
    }
    try replace(value)
  }

  /// The maximum number of faults of the server and of each application, because every request is compared with all
  /// faults.
  private static let mostFaults = 100

  /// - Parameter application: the application whose faults are replaced, or nil for all faults.
  func replace(_ value: Value, of application: String? = nil) throws(Problem) {
    guard let elements = value["faults"]?.elements else {
      throw Problem(message: "the faults are not {\"faults\":[{\"path\":\"/..\"}]}")
    }
    guard elements.count <= Self.mostFaults else {
      throw Problem(
        message: "there are \(elements.count) faults; the maximum is \(Self.mostFaults)")
    }
    var decoded: [Fault] = []
    for (i, element) in elements.enumerated() {
      var fault = try Fault(decoding: element, at: "faults[\(i)]")
      if let application, let other = fault.application, other != application {
        throw Problem(message: "faults[\(i)]: 'application' is '\(other)', a different application")
      }
      fault.application = fault.application ?? application
      decoded.append(fault)
    }
    let kept = decoded
    faults.withLock { faults in
      faults = (application == nil ? [] : faults.filter { $0.application != application }) + kept
    }
  }

  /// A problem in a list of faults.
  package struct Problem: Error, CustomStringConvertible {
    package var message: String
    package var description: String { message }
  }

  func remove(of application: String) {
    faults.withLock { $0.removeAll { $0.application == application } }
  }

  /// The fault that applies to a request, if any: a fault for all requests, or a fault of the application.
  func next(_ method: String, _ path: String, of application: String? = nil) -> Fault? {
    faults.withLock { faults in
      for i in faults.indices {
        let fault = faults[i]
        guard fault.application == application, fault.method == nil || fault.method == method,
          fault.count != 0,
          Self.matches(Array(fault.path.utf8), Array(path.utf8))
        else { continue }
        if fault.skip > 0 {
          faults[i].skip -= 1
          continue
        }
        faults[i].count = fault.count.map { $0 - 1 }
        faults[i].happened += 1
        return fault
      }
      return nil
    }
  }

  var value: Value { value(of: nil) }

  /// - Parameter application: the application whose faults are returned, or nil for all faults.
  func value(of application: String?) -> Value {
    let told = faults.withLock { $0 }.filter {
      application == nil || $0.application == application
    }
    return .object([
      "faults": .list(
        told.map { fault in
          .members([
            "path": .string(fault.path), "application": fault.application.map { .string($0) },
            "method": fault.method.map { .string($0) },
            "status": fault.status.map { .whole($0) }, "delay": .whole(fault.delay),
            "drop": .bool(fault.drops), "count": fault.count.map { .whole($0) },
            "skip": .whole(fault.skip), "body": fault.body, "happened": .whole(fault.happened),
          ])
        })
    ])
  }

  /// Whether a string matches a pattern, in time that is at most proportional to the product of their lengths.
  private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        p = last.pattern + 1
        t = last.text + 1
        star = (last.pattern, t)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension FaultScript.Fault {
  init(decoding value: Value, at place: String) throws(FaultScript.Problem) {
    func problem(_ text: String) -> FaultScript.Problem { .init(message: "\(place): \(text)") }
    func number(_ name: String, _ range: ClosedRange<Int>) throws(FaultScript.Problem) -> Int? {
      guard let member = value[name], member != .null else { return nil }
      guard let number = member.wholeNumber, range.contains(number) else {
        throw problem(
          "'\(name)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    let names = [
      "path", "application", "method", "status", "delay", "drop", "count", "skip", "body",
      "happened",
    ]
    for member in value.members ?? [] where !names.contains(member.key) {
      throw problem(
        "'\(member.key)' is unknown; expected \(names.dropLast().joined(separator: ", "))")
    }
    guard let path = value["path"]?.text, path.hasPrefix("/") || path.hasPrefix("*") else {
      throw problem("'path' is missing, or does not begin with a slash")
    }
    guard path.utf8.count <= 1_000 else { throw problem("'path' has more than 1000 bytes") }
    self.path = path
    application = value["application"]?.text
    method = value["method"]?.text?.uppercased()
    status = try number("status", 200...599)
    delay = try number("delay", 0...600_000) ?? 0
    drops = value["drop"]?.truth ?? false
    count = try number("count", 0...1_000_000)
    skip = try number("skip", 0...1_000_000) ?? 0
    body = value["body"]
  }
}
