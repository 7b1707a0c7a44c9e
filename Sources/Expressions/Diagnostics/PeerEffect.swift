extension Diagnostic {
  /// What other programs that read the same text do because of what was found.
  package struct PeerEffect: Hashable, Sendable {
    /// A program in the field. Which there are, those say who compile for them.
    package struct Peer: Hashable, Sendable {
      /// A stable name, for machines.
      package let id: String
      /// What messages call it.
      package let name: String

      package init(id: String, name: String) {
        self.id = id
        self.name = name
      }
    }

    package enum Consequence: String, Hashable, Sendable, CaseIterable {
      /// It uses nothing of the whole text.
      case rejectsConfig = "rejects-config"
      /// It continues without the element.
      case dropsElement = "drops-element"
      /// It uses the element, in another way than is done here.
      case differs
    }

    package var peers: [Peer]
    package var consequence: Consequence
    /// What exactly happens there, where that is not plain.
    package var detail: String?

    package init(_ peers: [Peer], _ consequence: Consequence, _ detail: String? = nil) {
      self.peers = peers
      self.consequence = consequence
      self.detail = detail
    }

    /// How much it matters there.
    package var severity: Severity { consequence == .rejectsConfig ? .error : .warning }
  }
}
