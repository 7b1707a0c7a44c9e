internal import Expressions
internal import RuleEngine

/// The files of a new project: a config, users, their outcomes, and checks of these files.
struct Starter {
  /// A file of the project.
  struct File: Equatable {
    /// The path of the file in the folder.
    var path: String
    var text: String
  }

  let format: Config.Format

  /// The time and the seed of the outcomes.
  static let now = "2026-03-01T12:00:00Z"
  static let seed = "spring"

  /// A placement with an interesting explanation: one of its audiences is held back.
  static let placement = "export_tapped"

  /// The user whose record has its own file.
  private static let explained = "dia"

  private func text(_ superwall: [UInt8], _ agentWallie: [UInt8]) -> String {
    String(decoding: format == .superwall ? superwall : agentWallie, as: UTF8.self)
  }

  /// Dia has reached a limit, fay has made a purchase, and hao has an earlier variant.
  private var users: String {
    text(PackageResources.superwall_users_ndjson, PackageResources.agentwallie_users_ndjson)
  }

  private var user: String {
    let lines = users.split(separator: "\n")
    return (lines.first { $0.hasPrefix(#"{"userId":"\#(Self.explained)""#) } ?? "") + "\n"
  }

  /// The inputs of the outcomes other than the config and the users. AgentWallie's draw uses no seed.
  var basis: String {
    "--now \(Self.now)" + (format == .superwall ? " --seed \(Self.seed)" : "")
  }

  /// The tests that the users get the expected outcomes, at the time and with the seed of the project.
  private var tests: String {
    let seed = format == .superwall ? #", "seed": "\#(Self.seed)""# : ""
    return #"{"users": "users.ndjson", "expect": "expected.csv", "now": "\#(Self.now)"\#(seed)}"#
      + "\n"
  }

  /// `TOLLGATE.md`, which explains the other files.
  private var guide: String {
    get throws {
      let text = try RenderedText(
        String(decoding: PackageResources.guide_md, as: UTF8.self),
        [
          "superwall": .bool(format == .superwall), "basis": .string(basis),
          "commands": .string(commands(in: "").joined(separator: "\n")),
        ], escaping: .text)
      return text.withBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The workflow for GitHub Actions.
  var workflow: String {
    String(decoding: PackageResources.workflow_yml, as: UTF8.self)
      .replacing("AS_OF: BASIS", with: "AS_OF: \(basis)")
      .replacing("_PACKAGE: PACKAGE", with: "_PACKAGE: tollgate-cli==\(SDKVersion.current)")
  }

  /// The files, in the order in which they are listed.
  var files: [File] {
    get throws {
      [
        File(
          path: "config.json",
          text: text(
            PackageResources.superwall_config_json, PackageResources.agentwallie_config_json)),
        File(path: "users.ndjson", text: users), File(path: "user.json", text: user),
        File(
          path: "expected.csv",
          text: text(
            PackageResources.superwall_expected_csv, PackageResources.agentwallie_expected_csv)),
        File(path: "outcomes.tests.json", text: tests),
        File(path: "TOLLGATE.md", text: try guide),
        File(path: ".github/workflows/paywalls.yml", text: workflow),
      ]
    }
  }

  /// The commands to run next.
  ///
  /// - Parameter prefix: the prefix for names of files: empty, or a folder with its slash.
  func commands(in prefix: String) -> [String] {
    func file(_ name: String) -> String { ShellWord.quoted(prefix + name) }
    let config = file("config.json")
    return [
      "tollgate check \(config) --strict",
      "tollgate explain \(config) --placement \(Self.placement) --user \(file("user.json")) \(basis)",
      "tollgate precompute \(config) --users \(file("users.ndjson")) \(basis) --out none",
    ]
  }
}
