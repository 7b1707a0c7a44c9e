extension Diagnostic {
  /// How another program, which reads the same source, reacts to a finding.
  package struct PeerEffect: Hashable, Sendable {
    /// A shipped program, such as an SDK. Each compiler defines the programs that it knows.
    package struct Peer: Hashable, Sendable {
      /// The program's stable name, for machines.
      package let id: String
      /// The program's name in messages.
      package let name: String

      package init(id: String, name: String) {
        self.id = id
        self.name = name
      }
    }

    package enum Consequence: String, Hashable, Sendable, CaseIterable {
      /// The SDK rejects the whole config.
      case rejectsConfig = "rejects-config"
      /// The SDK continues without the element.
      case dropsElement = "drops-element"
      /// The SDK uses the element with a different meaning.
      case differs
    }

    package var peers: [Peer]
    package var consequence: Consequence
    /// Details of the effect, if it is not obvious.
    package var detail: String?

    package init(_ peers: [Peer], _ consequence: Consequence, _ detail: String? = nil) {
      self.peers = peers
      self.consequence = consequence
      self.detail = detail
    }

    /// How serious the finding is for that program.
    package var severity: Severity { consequence == .rejectsConfig ? .error : .warning }
  }
}
