import Foundation

/// The arguments on the command line.
struct Arguments {
  static let help = """
    An app with Tollgate's SDK, in a terminal: placements, paywalls with prices, purchases.

    usage: TerminalApp [options]

      --script "COMMAND; ..."  run these commands instead of asking
      --config FILE            use this static config instead of the built-in one
      --locale LOCALE          sell in this locale's currency: en_US, de_DE, ja_JP, pt_BR (default en_US)
      --purchases RESULT,...   results of purchases: purchased, cancelled, pending, failed;
                               the last one repeats (default purchased)
      --folder FOLDER          store user, purchases and config here (default: nowhere)
      --live URL --key KEY     fetch the config from this server, and send it events
      --help                   show this

    """

  /// Why the arguments are invalid.
  struct Fault: Error {
    var message: String
  }

  var script: String?
  var config: String?
  var locale = "en_US"
  var purchases = ["purchased"]
  var folder: String?
  var live: String?
  var key: String?
  var wantsHelp = false

  init(_ words: [String]) throws(Fault) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--help" || word == "-h" {
        wantsHelp = true
        return
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard
        ["--script", "--config", "--locale", "--purchases", "--folder", "--live", "--key"]
          .contains(name)
      else { throw Fault(message: "there is no option '\(name)'; see --help") }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw Fault(message: "\(name) needs a value")
      }
      try set(name, value)
    }
    if live != nil, key == nil { throw Fault(message: "--live needs the app's public key: --key") }
    if live == nil, key != nil { throw Fault(message: "--key needs --live") }
  }

  private mutating func set(_ name: String, _ value: String) throws(Fault) {
    switch name {
    case "--script": script = value
    case "--config": config = value
    case "--folder": folder = value
    case "--key": key = value
    case "--locale":
      guard Shop.locales.contains(value) else {
        throw Fault(
          message: "there are no prices for '\(value)'; try \(Shop.locales.joined(separator: ", "))"
        )
      }
      locale = value
    case "--live":
      guard let scheme = URL(string: value)?.scheme, ["http", "https"].contains(scheme) else {
        throw Fault(
          message: "'\(value)' is not an address; write one such as http://127.0.0.1:8080")
      }
      live = value.hasSuffix("/") ? String(value.dropLast()) : value
    default:
      purchases = value.split(separator: ",").map(String.init)
      for result in purchases where Shop.result(result) == nil {
        throw Fault(
          message:
            "a purchase cannot end as '\(result)'; write purchased, cancelled, pending, failed")
      }
      if purchases.isEmpty { throw Fault(message: "--purchases needs at least one result") }
    }
  }
}
