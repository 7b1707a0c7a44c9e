import Testing

@testable import SDK

/// The life cycle against a table written from its description: every state, every input.
@Suite("Life cycle")
struct LifecycleTests {
  /// How far the configuration is, with the one attempt after a failure as a state of its own.
  private enum Stage: CaseIterable {
    case unconfigured
    case configuring
    case configured
    case failed
    case recovering

    func machine(_ user: Lifecycle.User) -> Lifecycle {
      var machine = Lifecycle(user: user)
      machine.isRecovering = self == .recovering
      machine.phase =
        switch self {
        case .unconfigured: .unconfigured
        case .configuring: .configuring
        case .configured: .configured
        case .failed, .recovering: .configFailed
        }
      return machine
    }
  }

  /// For inputs about the configuration: where each leads from each state, and what follows.
  private static let rows: [Lifecycle.Input: [Stage: (Stage, [Lifecycle.Effect])]] = [
    .configure: [
      .unconfigured: (.configuring, [.fetchConfig]),
      .configuring: (.configuring, [.joinConfigure]),
      .configured: (.configured, [.warnAlreadyConfigured]),
      .failed: (.configuring, [.fetchConfig]), .recovering: (.configuring, [.fetchConfig]),
    ],
    .configLoaded: [
      .unconfigured: (.unconfigured, []), .configuring: (.configured, [.announceConfigured]),
      .configured: (.configured, []), .failed: (.failed, []),
      .recovering: (.configured, [.announceConfigured]),
    ],
    .configMissing: [
      .unconfigured: (.unconfigured, []), .configuring: (.failed, [.announceFailure]),
      .configured: (.configured, []), .failed: (.failed, []), .recovering: (.failed, []),
    ],
    .foreground: [
      .unconfigured: (.unconfigured, []), .configuring: (.configuring, []),
      .configured: (.configured, []), .failed: (.recovering, [.fetchConfigOnce]),
      .recovering: (.recovering, []),
    ],
    .restart: [
      .unconfigured: (.unconfigured, []), .configuring: (.unconfigured, []),
      .configured: (.unconfigured, []), .failed: (.unconfigured, []),
      .recovering: (.unconfigured, []),
    ],
  ]

  /// For inputs about the user, whatever the configuration.
  private static let users:
    [Lifecycle.Input: [Lifecycle.User: (Lifecycle.User, [Lifecycle.Effect])]] =
      [
        .identifySame: [
          .anonymous: (.anonymous, []), .known: (.known, []), .reset: (.reset, []),
        ],
        .identifyBlank: [
          .anonymous: (.anonymous, [.warnBlankIdentity]), .known: (.known, [.warnBlankIdentity]),
          .reset: (.reset, [.warnBlankIdentity]),
        ],
        .identifyOther: [
          .anonymous: (.known, [.adoptIdentity]),
          .known: (.known, [.resetIdentity, .adoptIdentity]), .reset: (.known, [.adoptIdentity]),
        ],
        .reset: [
          .anonymous: (.reset, [.resetIdentity]), .known: (.reset, [.resetIdentity]),
          .reset: (.reset, [.resetIdentity]),
        ],
      ]

  @Test func everyStateAnswersEveryInput() throws {
    var checked = 0
    for stage in Stage.allCases {
      for user in Lifecycle.User.allCases {
        for input in Lifecycle.Input.allCases {
          var machine = stage.machine(user)
          let effects = machine.handle(input)
          let wanted: (Lifecycle, [Lifecycle.Effect])
          if let row = Self.rows[input] {
            let (next, following) = try #require(row[stage])
            let after: Lifecycle.User = input == .restart && user == .reset ? .anonymous : user
            wanted = (next.machine(after), following)
          } else {
            let (next, following) = try #require(Self.users[input]?[user])
            wanted = (stage.machine(next), following)
          }
          #expect(machine == wanted.0, "\(stage) \(user) \(input)")
          #expect(effects == wanted.1, "\(stage) \(user) \(input)")
          checked += 1
        }
      }
    }
    #expect(checked == 5 * 3 * 9)
  }

  /// No sequence of inputs leads out of the states above, and only failures recover.
  @Test func sequencesStayInTheTable() {
    var open: Set<Lifecycle> = [Lifecycle()]
    var seen = open
    while let machine = open.popFirst() {
      #expect(!machine.isRecovering || machine.phase == .configFailed)
      for input in Lifecycle.Input.allCases {
        var next = machine
        _ = next.handle(input)
        if seen.insert(next).inserted { open.insert(next) }
      }
    }
    #expect(seen.count == 15)
  }
}
