internal import RuleEngine

/// The draws of variants by the hash of a user's ID, in SQL.
///
/// DuckDB has unsigned 128-bit integers, in which products of 64-bit words are exact, and functions that reduce a list
/// to a value. Other databases lack one or the other.
struct SQLDraws {
  private let assigner: Assigner
  private let subject: String

  init(_ assigner: Assigner, _ subject: String) {
    self.assigner = assigner
    self.subject = subject
  }

  /// The draw of each user for the variants of a rule, as a column.
  func draw(_ rule: RuleSet.Rule, _ translator: inout SQLTranslator) throws(SQLRefusal) -> String {
    let database = translator.database
    guard database == .duckdb else {
      throw SQLRefusal("the variants are drawn by hash, which \(database.name) cannot compute")
    }
    let range = translator.database.literal(rule.weights.drawRange)
    let experiment = rule.audience.experimentID
    switch assigner {
    case .hash:
      let hash = hash(assigner.hashPrefix(experimentID: experiment), &translator)
      let unit = database.literal(0x1p-53)
      return translator.fact("CAST(CAST(\(hash) >> 11 AS BIGINT) AS DOUBLE) * \(unit) * \(range)")
        .text
    case .djb2:
      let bucket = bucket(experiment, &translator)
      return translator.fact("CAST(\(bucket) AS DOUBLE) * \(range) / \(database.literal(100.0))")
        .text
    case .draw: throw SQLRefusal("the variants are drawn at random")
    }
  }

  /// The variants in order. The test of a variant is true if a draw selects this variant or an earlier one. The last
  /// variant has no test.
  func limits(of weights: WeightTable, _ draw: String, _ database: SQLDatabase)
    -> [(variant: Int, test: String?)]
  {
    var limits: [(variant: Int, test: String?)] = []
    guard weights.sum > 0 else {
      for variant in 0..<weights.count {
        let isLast = variant == weights.count - 1
        limits.append(
          (variant, isLast ? nil : "\(draw) < \(database.literal(Double(variant + 1)))"))
      }
      return limits
    }
    for (variant, sum) in weights.cumulative.enumerated() {
      if sum == weights.sum {
        limits.append((variant, nil))
        break
      }
      limits.append((variant, "\(draw) < \(database.literal(sum))"))
    }
    return limits
  }

  // MARK: XXH64

  private static let range = "18446744073709551616::UHUGEINT"

  private static func multiplied(_ a: String, _ b: UInt64) -> String {
    "((\(a)) * \(b)::UHUGEINT % \(range))"
  }

  private static func sum(_ a: String, _ b: String) -> String { "(((\(a)) + \(b)) % \(range))" }

  private static func rotated(_ word: String, _ bits: Int) -> String {
    "((((\(word)) << \(bits)) % \(range)) | ((\(word)) >> \(64 - bits)))"
  }

  private static func round(_ lane: String, _ word: String) -> String {
    let mixed = sum(lane, multiplied(word, XXH64.prime2))
    return multiplied(rotated(mixed, 31), XXH64.prime1)
  }

  /// An expression that processes the words of a list one after the other.
  private static func taking(
    _ words: String, into start: String, _ step: (String, String) -> String
  ) -> String {
    "list_reduce(\(words), lambda hash, word: \(step("hash", "word")), \(start))"
  }

  /// The hash of a prefix, the length of the ID, and the ID, like ``XXH64``.
  private func hash(_ prefix: [UInt8], _ translator: inout SQLTranslator) -> String {
    let digits = hexadecimal(prefix.reversed())
    // The bytes are in hexadecimal and reversed, so that each word is a number.
    let reversed = translator.fact(
      "reverse(regexp_replace(hex(encode(\(subject))), '(.)(.)', '\\2\\1', 'g'))"
    ).text
    let length = "strlen(\(subject))"
    let text = translator.fact(
      "\(reversed) || lpad(format('{:x}', \(length)), 8, '0') || '\(digits)'"
    ).text
    let count = translator.fact("\(length) + \(prefix.count + 4)").text
    func words(
      _ first: String, _ count: String, from start: String, step: Int, bytes: Int, _ all: String
    )
      -> String
    {
      let place = "2 * (\(all) - (\(start)) - i * \(step) - \(first) - \(bytes)) + 1"
      return "list_transform(range(0, \(count)), lambda i: "
        + "CAST(CAST('0x' || substr(\(text), \(place), \(2 * bytes)) AS UBIGINT) AS UHUGEINT))"
    }
    let starts = [
      XXH64.prime1 &+ XXH64.prime2, XXH64.prime2, 0, 0 &- XXH64.prime1,
    ]
    let lanes = starts.enumerated().map { number, start in
      let lane = words(
        "\(number * 8)", "\(count) // 32", from: "0", step: 32, bytes: 8, count)
      return translator.fact(Self.taking(lane, into: "\(start)::UHUGEINT", Self.round)).text
    }
    let rotations = zip(lanes, [1, 7, 12, 18]).map { Self.rotated($0, $1) }
    var merged = translator.fact("(\(rotations.joined(separator: " + "))) % \(Self.range)").text
    for lane in lanes {
      let mixed = "xor(\(merged), \(Self.round("0::UHUGEINT", lane)))"
      merged =
        translator.fact(
          Self.sum(Self.multiplied(mixed, XXH64.prime1), "\(XXH64.prime4)::UHUGEINT")
        ).text
    }
    var hash =
      translator.fact(
        Self.sum(
          "CASE WHEN \(count) >= 32 THEN \(merged) ELSE \(XXH64.prime5)::UHUGEINT END",
          "CAST(\(count) AS UHUGEINT)")
      ).text
    let eights = words(
      "0", "(\(count) % 32) // 8", from: "\(count) // 32 * 32", step: 8, bytes: 8, count)
    hash =
      translator.fact(
        Self.taking(eights, into: hash) { hash, word in
          let mixed = "xor(\(hash), \(Self.round("0::UHUGEINT", word)))"
          return Self.sum(
            Self.multiplied(Self.rotated(mixed, 27), XXH64.prime1), "\(XXH64.prime4)::UHUGEINT")
        }
      ).text
    let fours = words(
      "0", "(\(count) % 8) // 4", from: "\(count) // 8 * 8", step: 4, bytes: 4, count)
    hash =
      translator.fact(
        Self.taking(fours, into: hash) { hash, word in
          let mixed = "xor(\(hash), \(Self.multiplied(word, XXH64.prime1)))"
          return Self.sum(
            Self.multiplied(Self.rotated(mixed, 23), XXH64.prime2), "\(XXH64.prime3)::UHUGEINT")
        }
      ).text
    let ones = words("0", "\(count) % 4", from: "\(count) // 4 * 4", step: 1, bytes: 1, count)
    hash =
      translator.fact(
        Self.taking(ones, into: hash) { hash, word in
          let mixed = "xor(\(hash), \(Self.multiplied(word, XXH64.prime5)))"
          return Self.multiplied(Self.rotated(mixed, 11), XXH64.prime1)
        }
      ).text
    hash = translator.fact(Self.multiplied("xor(\(hash), \(hash) >> 33)", XXH64.prime2)).text
    hash = translator.fact(Self.multiplied("xor(\(hash), \(hash) >> 29)", XXH64.prime3)).text
    return translator.fact("xor(\(hash), \(hash) >> 32)").text
  }

  private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  // MARK: DJB2

  /// The bucket of a user, like ``DJB2``.
  private func bucket(_ experiment: String, _ translator: inout SQLTranslator) -> String {
    let bytes = translator.fact("hex(encode(\(subject)))").text
    let words =
      "list_transform(range(0, strlen(\(subject))), lambda i: "
      + "CAST('0x' || substr(\(bytes), 2 * i + 1, 2) AS UBIGINT))"
    let hash = translator.fact(
      Self.taking(words, into: "5381::UBIGINT") { "(\($0) * 33 + \($1)) % 4294967296" }
    ).text
    // The text after the ID is the same for all users.
    var factor: UInt32 = 1
    var addend: UInt32 = 0
    for byte in [UInt8(ascii: ":")] + Array(experiment.utf8) {
      factor = factor &* 33
      addend = addend &* 33 &+ UInt32(byte)
    }
    return "((\(hash) * \(factor) + \(addend)) % 4294967296 % 100)"
  }
}
