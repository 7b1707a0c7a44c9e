internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Download your app's live config.",
    discussion: HelpText(
      """
      Requests the config of a public key from Superwall's or AgentWallie's server, like their SDKs, with \
      the system's curl. Only a valid config is written, and the file is replaced as a whole. FILE.fetched \
      records the server, the time, the build and a hash. If nothing has changed, both files stay the same.

      Store the key in \(ConfigSource.keyVariable): command lines are visible to other users of the \
      machine. Proxies come from the environment: HTTPS_PROXY, NO_PROXY.
      """,
      examples: [
        .init(
          "the config of the app whose key is in \(ConfigSource.keyVariable)",
          "tollgate fetch --out app.json"),
        .init(
          "the config of an AgentWallie project",
          "tollgate fetch --config-format agentwallie --out project.json"),
        .init("check the live config", "tollgate fetch --out - | tollgate check -"),
      ],
      codes: [
        ("0", "done, or nothing has changed"),
        ("2", "usage error, no response, or a response that is not a config"),
        ("74", "output could not be written"),
        ("130", "stopped; the file is unchanged"),
      ]
    ).text)

  @Option(
    help: ArgumentHelp(
      "The public key in your app, pk_... (default: \(ConfigSource.keyVariable)).",
      valueName: "key"))
  var key: String?

  @Option(help: OptionHelp.out(), completion: .file())
  var out = "config.json"

  @Option(help: OptionHelp.newConfigFormat)
  var configFormat = ConfigFormOptions.FormatName.superwall

  @Option(
    help: ArgumentHelp(
      "The beginning of the URL, to use another server.",
      discussion: "The URL must use https, or http on this machine.", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp(
      "The SDK version to send to the server, such as 4.12.5.",
      discussion: """
        The version is sent in the header X-SDK-Version, as SDKs do, and stored in FILE.fetched. A server \
        may return another config for old SDKs.
        """, valueName: "version"), transform: SDKVersion.argument)
  var sdkVersion: SDKVersion?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The maximum time to wait, in seconds, from 1 to 3600.", valueName: "seconds"))
  var timeout = 30

  @Flag(
    help: OptionHelp.force(
      "Without this option, a file is replaced only if it was fetched and has not changed since."))
  var force = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if !(1...3_600).contains(timeout) {
      throw ValidationError("--timeout must be from 1 to 3600 seconds")
    }
    let plain = Compression.withoutEnding(out)
    if plain.count < out.count {
      throw ValidationError(
        "configs are written as plain JSON: remove \(out.dropFirst(plain.count)) from '\(out)'")
    }
  }

  func run() async throws {
    let source = try ConfigSource(
      configFormat.format, base: url, sdkVersion: sdkVersion)
    let key = try usedKey()
    let place = out == "-" ? FilePlace(open: 1, "standard output") : FilePlace(out)
    try place.checkWritable("--out")
    let former = try place.hasNeighbours ? formerRecord(place) : nil
    do {
      try await Signals.heeding {
        let fetched = try FetchedConfig(source, key: key, timeout: timeout)
        if place.hasNeighbours {
          try save(fetched, source, former)
        } else {
          try SavedFile.write(fetched.download.body, to: out)
          FileText.printError(fetched.summary(before: nil))
        }
        if fetched.config.placements.isEmpty {
          FileText.printError(
            "warning: the config has no placements, so no user sees a paywall; is this the key of the "
              + "right app?")
        }
      }
    } catch var stop as Signals.Stop {
      stop.message = place.hasNeighbours ? "Stopped; \(out) was not changed." : "Stopped."
      throw stop
    }
  }

  /// The key, from any of its sources.
  private func usedKey() throws -> String {
    let variable = Variable.text(ConfigSource.keyVariable)
    let given = (key ?? variable ?? "").split(whereSeparator: \.isWhitespace)
    guard let first = given.first else {
      throw ValidationError("give the public key with --key, or in \(ConfigSource.keyVariable)")
    }
    guard given.count == 1 else { throw ValidationError("the key has a space in it") }
    if first.utf8.count > 500 { throw ValidationError("the key is too long") }
    if first.hasPrefix("sk_") {
      throw ValidationError(
        "that is a secret key; use the public key, pk_...")
    }
    return String(first)
  }

  /// The record of the existing file.
  ///
  /// - Throws: when the file was written by hand.
  private func formerRecord(_ place: FilePlace) throws -> FetchRecord? {
    let record = FetchRecord(of: out)
    guard place.kind == .file, !force else { return record }
    guard let record else {
      throw CommandError(
        "\(out) was not fetched, and would be replaced; name another file with --out, or add --force"
      )
    }
    guard XXH64.text(of: try FileText.read(out)) == record.hash else {
      throw CommandError(
        "\(out) was changed after it was fetched, and would be replaced; add --force if that is "
          + "what you want")
    }
    return record
  }

  private func save(_ fetched: FetchedConfig, _ source: ConfigSource, _ former: FetchRecord?) throws
  {
    var record = FetchRecord(source, fetched.download, fetched.config, at: Clock.now())
    let isSame = FileIdentity.exists(out) && (try? FileText.read(out)) == fetched.download.body
    if let former, isSame, former.hash == record.hash, former.url == record.url,
      former.format == record.format
    {
      FileText.print(
        "\(out) is up to date: \(fetched.summary(before: nil)), since \(former.fetchedAt)")
      return
    }
    if isSame, let former { record.fetchedAt = former.fetchedAt }
    if !isSame { try SavedFile.write(fetched.download.body, to: out) }
    try record.write(beside: out)
    FileText.print("\(out): \(fetched.summary(before: former)), \(record.hash)")
    if fetched.errors > 0 {
      FileText.printError(
        "\(counted(fetched.errors, "error")) in it; 'tollgate check \(ShellWord.quoted(out))' shows "
          + "\(fetched.errors == 1 ? "it" : "them")")
    }
  }
}
