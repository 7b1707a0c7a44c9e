internal import Expressions
internal import RuleEngine

/// `check --fix`: makes the changes that need no confirmation.
enum SafeFixes {
  /// The maximum number of rounds. One fix may enable another fix.
  private static let mostRounds = 5

  /// Changes a file until no safe fixes remain, and replaces the file as a whole.
  ///
  /// - Parameter read: reads the file again and checks it.
  /// - Returns: the number of fixed findings.
  static func apply(to file: inout ConfigFile, read: () throws -> ConfigFile) throws -> Int {
    var count = 0
    for _ in 0..<mostRounds {
      let (bytes, fixed) = applied(to: file)
      guard fixed > 0, (try? Value.parse(json: bytes)) != nil else { return count }
      try file.content.replace(by: bytes, inFile: true)
      count += fixed
      file = try read()
    }
    return count
  }

  /// The text of a file with its safe fixes, and their number. If two fixes overlap, only the first is made.
  private static func applied(to file: ConfigFile) -> (bytes: [UInt8], fixed: Int) {
    let safe = file.diagnostics.filter { $0.fix?.isSafe == true }.map(file.edits)
      .filter { !$0.isEmpty }
    var taken: [DiagnosticPlaces.Edit] = []
    var fixed = 0
    for edits in safe {
      let isFree = edits.allSatisfy { edit in
        taken.allSatisfy { $0.range.to < edit.range.from || edit.range.to < $0.range.from }
      }
      guard isFree else { continue }
      taken += edits
      fixed += 1
    }
    var bytes = file.bytes
    for edit in taken.sorted(by: { $0.range.from > $1.range.from }) {
      bytes.replaceSubrange(edit.range.from..<edit.range.to, with: edit.text)
    }
    return (bytes, fixed)
  }
}
