import Expressions
import Foundation
import TestSupport
import Testing

@testable import tollgate

/// The demo's users in every form of input, by one thread, two and seven, in numbers around those of a
/// block, give the outcomes of a plain file. Sanitizers watch the same runs. With `TOLLGATE_FORMS=all` there
/// are more numbers and more forms of output, with `TOLLGATE_FORMS=few` one number and seven threads.
///
/// Not every number meets every form with every number of threads, but every two of them meet.
@Suite(.serialized) struct DemoFormsTests {
  private static let extent = ProcessInfo.processInfo.environment["TOLLGATE_FORMS"] ?? "some"
  private static let counts =
    switch extent {
    case "all": [1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1_025, 4_000]
    case "few": [513]
    default: [65, 513]
    }
  private static let threads = extent == "few" ? [7] : [2, 7, 1]
  private static let endings =
    switch extent {
    case "all": ["ndjson", "csv", "ndjson.gz", "csv.gz", "csv.zst"]
    case "few": [String]()
    default: ["ndjson"]
    }
  private static let now = "2026-03-01T12:00:00Z"

  private static let lines: [Substring] = {
    let data = FileManager.default.contents(atPath: TestFolder.demo + "/users.ndjson") ?? Data()
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }()

  @Test(arguments: zip(counts, counts.indices))
  func sameOutcomes(count: Int, turn: Int) throws {
    let users = Self.lines.prefix(count)
    let threads = Self.threads.indices.map { Self.threads[(turn + $0) % Self.threads.count] }
    try check(users.joined(separator: "\n") + "\n", threads: threads, ending: "ndjson")
  }

  /// More than readers and writers hold, so that what they hold is used again.
  @Test(arguments: endings)
  func sameOutcomesOfMegabytes(ending: String) throws {
    let long = String(repeating: "long ", count: 30_000)
    let users = Extent.some(0..<3).map { round in
      Self.lines.joined(separator: "\n")
        + "\n{\"userId\":\"long-\(round)\",\"user\":{\"email\":\"\(long)\"}}\n"
    }
    try check(users.joined(), threads: [2], ending: ending)
  }

  /// - Parameter threads: one form of input after another is read by these in turn.
  private func check(_ users: String, threads: [Int], ending: String) throws {
    let folder = try TestFolder()
    try folder.write("users.ndjson", users)
    try folder.write("users.csv", DemoTable(users).text)
    let split = try folder.shell(
      """
      gzip -k users.ndjson users.csv && lines=$(wc -l <users.ndjson) &&
      split -l $((lines / 5 + 1)) users.ndjson part- && gzip -k part-aa && gzip -c part-aa part-a? >members.gz &&
      for part in part-a?; do cp $part $part.jsonl; done
      """)
    #expect(split.code == 0, "\(split.errors)")
    for name in ["users.ndjson", "users.csv"] { try folder.compress(name, .zstd) }
    let expected = try outcomes(folder, "--users users.ndjson --threads 1", ending)
    #expect(!expected.isEmpty)
    let forms = [
      "--users users.ndjson", "--users users.ndjson.gz", "--users - <users.ndjson",
      "--users - <users.ndjson.gz", "--users users.csv", "--users users.csv.gz",
      "--users - --users-format csv <users.csv", "--users 'part-a?.jsonl'",
      "--users part-a?.jsonl", "--users users.ndjson.zst", "--users - <users.ndjson.zst",
      "--users users.csv.zst",
    ]
    let piped = [
      "cat users.ndjson", "cat users.ndjson.gz", "dd if=users.ndjson bs=777 2>&-",
      "cat users.ndjson.zst",
    ]
    let inputs = forms.map { (form: $0, pipe: "") } + piped.map { (form: "--users -", pipe: $0) }
    for (number, input) in inputs.enumerated() {
      let threads = threads[number % threads.count]
      let got = try outcomes(folder, "\(input.form) --threads \(threads)", ending, from: input.pipe)
      #expect(
        got == expected,
        "\(input.pipe) \(input.form) of \(users.utf8.count) bytes, \(threads) threads")
    }
    // The first part twice, in a file of several members.
    let twice = try outcomes(folder, "--users members.gz", ending)
    #expect(
      try outcomes(folder, "--users part-aa.gz part-a?.jsonl", ending) == twice)
  }

  private func outcomes(
    _ folder: TestFolder, _ arguments: String, _ ending: String, from pipe: String = ""
  ) throws -> Data {
    let result = try folder.shell(
      (pipe.isEmpty ? "" : pipe + " | ")
        + "$TOLLGATE precompute $CONFIG --now \(Self.now) --seed s --out out.\(ending) "
        + "--manifest none --summary json \(arguments)")
    #expect(result.code == 0, "\(arguments): \(result.errors.suffix(2_000))")
    return folder.bytes("out." + ending) ?? Data()
  }
}

/// Users as a table of CSV.
private struct DemoTable {
  private var columns: [String] = ["userId"]
  private var numbers: [String: Int] = ["userId": 0]
  private var rows: [[Int: String]] = []

  /// Lines that are not users are left out.
  init(_ lines: String) {
    for line in lines.split(separator: "\n") {
      guard case .map(let members)? = try? Value.parse(json: Array(line.utf8)),
        case .string? = Value.map(members)["userId"]
      else { continue }
      var row: [Int: String] = [:]
      for member in members {
        guard case .string(let name) = member.key else { continue }
        if ["user", "device", "params"].contains(name), case .map(let inside) = member.value {
          for entry in inside {
            guard case .string(let key) = entry.key else { continue }
            row[column(name + "." + key)] = RandomBatch.cell(entry.value)
          }
        } else {
          row[column(name)] = RandomBatch.cell(member.value)
        }
      }
      rows.append(row)
    }
  }

  var text: String {
    ([columns.joined(separator: ",")]
      + rows.map { row in
        columns.indices.map { row[$0] ?? "" }.joined(separator: ",")
      }).joined(separator: "\n") + "\n"
  }

  private mutating func column(_ name: String) -> Int {
    if let known = numbers[name] { return known }
    numbers[name] = columns.count
    columns.append(name)
    return columns.count - 1
  }
}
