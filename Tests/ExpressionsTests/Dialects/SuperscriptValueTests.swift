import TestSupport
import Testing

@testable import Expressions

/// Values that only superscript has in this way.
@Suite struct SuperscriptValueTests {
  @Test(
    arguments: [
      ("1h30m", 5_400_000_000_000), ("1e3s", 1_000_000_000_000), ("-1.5s", -1_500_000_000),
      ("0", 0), ("-0", 0), (".5s", 500_000_000), ("+1s", 1_000_000_000), ("2ms3us", 2_003_000),
      ("infs", .max), ("nans", 0), ("1h x", 3_600_000_000_000), ("1h-30m", 1_800_000_000_000),
      ("e5s", nil), ("s", nil), ("", nil), ("-", nil), (".", nil), (".s", nil), ("1", nil),
      ("1e", nil), ("1es", nil), ("1e+s", nil), ("x1s", nil),
    ] as [(String, Int64?)])
  func durations(text: String, nanoseconds: Int64?) {
    let found = Array(text.utf8).withUnsafeBufferPointer { UnitDuration.parse($0) }
    #expect(found == nanoseconds, "\(text)")
  }

  /// Durations are written as Go writes them.
  @Test(
    arguments: [
      (0, "0s"), (1, "1ns"), (999, "999ns"), (1_000, "1\u{B5}s"), (1_500, "1.5\u{B5}s"),
      (999_999, "999.999\u{B5}s"), (1_000_000, "1ms"), (1_000_001, "1.000001ms"),
      (1_500_000, "1.5ms"), (999_999_999, "999.999999ms"), (1_000_000_000, "1s"),
      (1_000_000_001, "1.000000001s"), (59_900_000_000, "59.9s"), (60_000_000_000, "1m0s"),
      (3_600_000_000_000, "1h0m0s"), (5_400_250_000_000, "1h30m0.25s"), (-1_500_000_000, "-1.5s"),
      (.min, "-2562047h47m16.854775808s"),
    ] as [(Int64, String)])
  func textsOfDurations(nanoseconds: Int64, text: String) {
    #expect(UnitDuration.text(nanoseconds) == text)
  }

  /// Instants keep the offset that they were written with, and as many digits as they need by threes.
  @Test(
    arguments: [
      ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00"),
      ("2026-01-02t03:04:05z", "2026-01-02T03:04:05+00:00"),
      ("2026-01-02 03:04:05.5+01:30", "2026-01-02T03:04:05.500+01:30"),
      ("2026-01-02T03:04:05.000001-00:30", "2026-01-02T03:04:05.000001-00:30"),
      ("2026-01-02T03:04:05.123456789-11:00", "2026-01-02T03:04:05.123456789-11:00"),
      ("2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05.123456700+00:00"),
      ("2026-01-02T03:04", nil), ("2026-01-02", nil),
    ] as [(String, String?)])
  func textsOfInstants(source: String, text: String?) {
    let cell = Array(source.utf8).withUnsafeBufferPointer { OffsetTime.parse($0) }
    #expect(cell.map { OffsetTime.text($0) } == text)
  }

  /// On the Web a rule matches where JavaScript takes its value for true.
  @Test(arguments: [
    ("duration('1h')", false), ("timestamp('2026-01-01T00:00:00Z')", true), ("[]", true),
    ("{}", true), ("b''", true), ("0", false), ("1", true), ("0.0", false), ("0.5", true),
    ("''", false), ("'false'", false), ("'no'", true), ("null", false), ("user.no", false),
    ("true", true),
  ])
  func truthOfTheWeb(source: String, isTrue: Bool) throws {
    var environment = ExpressionEnvironment.superscript()
    environment.takesTruthForTrue = true
    let program = try #require(environment.compile(source).output)
    #expect(try program.evaluate(["user": [:]]) == .bool(isTrue), "\(source)")
  }

  /// Keys of two types are two keys, however many there are.
  @Test(arguments: [2, 63, 64, 65, 200])
  func keysOfMaps(count: Int) throws {
    let others = (0..<count).map { "'k\($0)': \($0)" }.joined(separator: ", ")
    let environment = ExpressionEnvironment.superscript()
    func value(_ source: String) throws -> Value {
      try #require(environment.compile(source).output, "\(source)").evaluate([:])
    }
    let map = "{1: 'int', uint(1): 'uint', \(others), 'k0': 'last', true: 'bool'}"
    #expect(try value("\(map)[1]") == "int")
    #expect(try value("\(map)[uint(1)]") == "uint")
    #expect(try value("\(map)[true]") == "bool")
    #expect(try value("\(map)['k0']") == "last")
    #expect(try value("\(map)['k1']") == 1)
    #expect(try value("size(\(map))") == .int(Int64(count + 3)))
  }
}
