internal import Expressions
internal import RuleEngine

// Descriptions of events, outcomes and statuses for logs and debuggers.

extension SuperwallEvent: CustomStringConvertible {
  public var description: String { name.rawValue + value.details }
}

extension ModuleEvent: CustomStringConvertible {
  public var description: String {
    switch self {
    case .handleSuperwallEvent(let event): event.description
    case .handleLog(let message): message.description
    default: name.rawValue + payload.details
    }
  }
}

extension Value {
  /// The most informative members of an event: scalars, and the identifiers of a paywall.
  fileprivate var details: String {
    var parts: [String] = []
    for member in members ?? [] where member.key != "event" {
      switch member.value {
      case .null, .list: break
      case .map:
        let id = member.value["identifier"] ?? member.value["type"] ?? member.value["status"]
        if let text = id?.text, !text.isEmpty { parts.append("\(member.key): \(text)") }
      case .string(let text): parts.append("\(member.key): \(text)")
      default: parts.append("\(member.key): \(member.value.json)")
      }
    }
    return parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))"
  }
}

extension PurchaseResult: CustomStringConvertible {
  public var description: String {
    switch self {
    case .purchased: "purchased"
    case .restored: "restored"
    case .cancelled: "cancelled"
    case .pending: "pending"
    case .failed(let message): "failed: \(message)"
    }
  }
}

extension RestorationResult: CustomStringConvertible {
  public var description: String {
    switch self {
    case .restored: "restored"
    case .failed(let message): message.map { "failed: \($0)" } ?? "failed"
    }
  }
}
