extension Diagnostic {
  /// What other programs that read the same text do because of what was found.
  public struct PeerEffect: Hashable, Sendable {
    /// A program in the field. Which there are, those say who compile for them.
    public struct Peer: Hashable, Sendable {
      /// A stable name, for machines.
      public let id: String
      /// What messages call it.
      public let name: String

      public init(id: String, name: String) {
        self.id = id
        self.name = name
      }
    }

    public enum Consequence: String, Hashable, Sendable, CaseIterable {
      /// It uses nothing of the whole text.
      case rejectsConfig = "rejects-config"
      /// It continues without the element.
      case dropsElement = "drops-element"
      /// It uses the element, in another way than is done here.
      case differs
    }

    public var peers: [Peer]
    public var consequence: Consequence
    /// What exactly happens there, where that is not plain.
    public var detail: String?

    public init(_ peers: [Peer], _ consequence: Consequence, _ detail: String? = nil) {
      self.peers = peers
      self.consequence = consequence
      self.detail = detail
    }

    /// How much it matters there.
    public var severity: Severity { consequence == .rejectsConfig ? .error : .warning }
  }
}
