internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The result of comparing a file of the run with the repeated run.
struct ReplayVerdict {
  var name: String
  var written: Manifest.Written
  var comparison: OutputComparison

  private var content: Manifest.Written.Content { written.text ?? written.content }

  var isSame: Bool {
    comparison.difference == nil && Manifest.Written.Content(comparison.hash) == content
  }

  /// Whether the file was changed: it differs from the recorded run, but the repeated run does not.
  private var isChangedSince: Bool {
    comparison.difference != nil && Manifest.Written.Content(comparison.hash) == content
  }

  var text: String {
    if let difference = comparison.difference {
      let damage = comparison.damage.map { ": \($0)" } ?? ""
      let place = comparison.place.map { place in
        ", in line \(grouped(place.line))" + (place.subject.map { ", \($0)" } ?? "")
      }
      return DiagnosticText.visible(
        "\(name): different from \(written.path) at byte \(difference)\(place ?? "")\(damage)")
        + (isChangedSince ? "\n  the file was changed after the run" : "")
    }
    let how =
      comparison.isComparingBytes
      ? ", as in \(written.path)" : " (by hash; \(written.path) is gone)"
    return isSame
      ? "\(name): the same \(counted(content.bytes, "byte"))\(how)"
      : "\(name): different: \(counted(comparison.hash.count, "byte")), and the run wrote "
        + "\(grouped(content.bytes)) with another hash"
  }

  var value: Value {
    .members([
      "same": .bool(isSame), "path": .string(written.path),
      "comparedBy": comparison.isComparingBytes ? "bytes" : "hash",
      "changedAfterRun": isChangedSince ? true : nil,
      "bytes": .int(Int64(comparison.hash.count)),
      "differsAt": comparison.difference.map { .int(Int64($0)) },
      "line": comparison.place.map { .int(Int64($0.line)) },
      "userId": comparison.place?.user.map { .string($0) },
      "damage": comparison.damage.map { .string($0) },
    ])
  }
}
