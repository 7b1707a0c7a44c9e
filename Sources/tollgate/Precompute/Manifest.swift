internal import Expressions
internal import RuleEngine

/// What a run did: enough to do it again, and to see whether the same comes out.
struct Manifest {
  struct Written: Equatable {
    var path: String
    var bytes: Int
    var hash: String

    var value: Value {
      .object(["path": .string(path), "bytes": .int(Int64(bytes)), "hash": .string(hash)])
    }

    init(_ file: OutputFile) {
      path = file.path
      bytes = file.count
      hash = RunSettings.text(of: file.hash)
    }

    init(path: String, bytes: Int, hash: String) {
      self.path = path
      self.bytes = bytes
      self.hash = hash
    }

    init?(_ value: Value?) {
      guard case .string(let path)? = value?["path"], case .int(let bytes)? = value?["bytes"],
        case .string(let hash)? = value?["hash"]
      else { return nil }
      self.init(path: path, bytes: Int(bytes), hash: hash)
    }
  }

  var settings: RunSettings
  /// Nil when no outcomes were written to a file.
  var outcomes: Written?
  var rejects: Written?
  /// The summary, and the numbers behind it.
  var counts: Value
  private var sums: [Int]

  var value: Value {
    .object([
      "manifest": 1, "settings": settings.value, "outcomes": outcomes?.value ?? .null,
      "rejects": rejects?.value ?? .null, "counts": counts,
      "numbers": .list(sums.map { .int(Int64($0)) }),
    ])
  }

  init(settings: RunSettings, outcomes: Written?, rejects: Written?, sums: BatchSums, counts: Value)
  {
    self.settings = settings
    self.outcomes = outcomes
    self.rejects = rejects
    self.counts = counts
    self.sums = [sums.users, sums.rejected, sums.lines] + sums.numbers
  }

  /// The summary of the run, which was of this plan.
  func tally(_ plan: BatchPlan) throws -> Tally {
    guard sums.count > 3,
      let sums = plan.sums(
        users: sums[0], rejected: sums[1], lines: sums[2], numbers: Array(sums[3...]))
    else { throw CommandError("the manifest is damaged; run again without --resume") }
    return plan.tally(of: sums)
  }

  init(reading path: String) throws {
    let value: Value
    do {
      value = try Value.parse(json: try FileText.read(path))
    } catch let fault as JSONFault {
      throw CommandError("\(path) is no manifest: \(fault)")
    }
    guard value["manifest"] == 1, let settings = value["settings"].flatMap({ RunSettings($0) }),
      let counts = value["counts"], case .list(let numbers)? = value["numbers"]
    else { throw CommandError("\(path) is no manifest of this version") }
    self.settings = settings
    self.counts = counts
    sums = numbers.compactMap { if case .int(let number) = $0 { Int(number) } else { nil } }
    outcomes = Written(value["outcomes"])
    rejects = Written(value["rejects"])
  }

  func write(to path: String) throws { try OutputFile.replace(path, by: value.json) }
}
