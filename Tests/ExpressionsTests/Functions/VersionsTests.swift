import Testing

@testable import Expressions

@Suite("Versions")
struct VersionsTests {
  /// In ascending order; what stands in one row is equal.
  private static let ordered = [
    ["0", "0.0.0", "v0"], ["0.0.1-0"], ["0.0.1"], ["0.9"], ["1.0.0-0"], ["1.0.0-1", "1-01"],
    ["1.0.0-9"], ["1.0.0-10"], ["1.0.0-10.0"], ["1.0.0-99999999999999999999"], ["1.0.0--"],
    ["1.0.0-0a"], ["1.0.0-1-"], ["1.0.0-A"], ["1.0.0-alpha", "v1-alpha+x"], ["1.0.0-alpha.1"],
    ["1.0.0-alpha.1.0"], ["1.0.0-alpha.beta"], ["1.0.0-alpha0"], ["1.0.0-beta"], ["1.0.0-beta.2"],
    ["1.0.0-beta.11"], ["1.0.0-rc.1", "1.0-rc.1+build.7"],
    ["1.0.0", "1", "1.0", "v1", "V1.0", "001.000.000", "1.0.0+build", "1+a.b-c"], ["1.0.1"],
    ["1.2.3", "v01.02.03"], ["1.10.2"], ["1.10.10"], ["2.14.3", "002.014.003"], ["2.14.20"],
    ["10.0.0-a"], ["10"], ["99.99.99"], ["100"], ["18446744073709551616"],
    ["99999999999999999999.1"],
  ]

  @Test func compares() {
    let all = VersionsTests.ordered.enumerated().flatMap { row in
      row.element.map { (row.offset, $0) }
    }
    for (leftRank, left) in all {
      for (rightRank, right) in all {
        let result = CallNotation.result("sort([version('\(right)'), version('\(left)')])")
        let (first, last) = leftRank < rightRank ? (left, right) : (right, left)
        let expected = [first, last].map { CallNotation.result("version('\($0)')") }
        #expect(result == "[\(expected.joined(separator: ", "))]")
        let areEqual = CallNotation.result(
          "setEquivalent([version('\(left)')], [version('\(right)')])")
        #expect(areEqual == "\(leftRank == rightRank)", "\(left) \(right)")
      }
    }
  }

  @Test(arguments: [
    ("1", "1.0.0"), ("v1.10.2", "1.10.2"), ("002.014.003", "2.14.3"),
    ("1.0-alpha.01.x-y+b", "1.0.0-alpha.1.x-y"), ("0.0.0-0", "0.0.0-0"),
    ("99999999999999999999.2", "99999999999999999999.2.0"),
    ("1.2.3-a.b.c.d.e.f.g.h.i.j.k", "1.2.3-a.b.c.d.e.f.g.h.i.j.k"),
  ])
  func text(version: String, expected: String) {
    #expect(CallNotation.result("version('\(version)')") == expected)
  }

  @Test(arguments: [
    "", "v", "vv1", "1.", ".1", "1..2", "1.2.3.4", "1.2.3.", "a", "1.a", "1.2.3-", "1.2.3-a..b",
    "1.2.3-a.", "1.2.3+", "1.2.3-a+", "1.2.3+a+b", "1.2.3+a..b", "1.2.3+.a", "1.2.3-é", "1.2.3-a_b",
    " 1", "1 ", "-1", "+1", "1,2", "1.2.3rc1", "latest",
  ])
  func noVersions(text: String) {
    #expect(CallNotation.result("version('\(text)')") == "error conversion")
  }

  @Test func limits() {
    let digits = String(repeating: "9", count: 255)
    #expect(CallNotation.result("version('\(digits).0')") == digits + ".0.0")
    #expect(CallNotation.result("version('\(digits)9')") == "error conversion")
    #expect(CallNotation.result("version('000\(digits)')") == digits + ".0.0")
    #expect(CallNotation.result("version(version('1.2'))") == "1.2.0")
    #expect(CallNotation.result("version(1)") == "error no-such-overload")
    #expect(CallNotation.result("version(missing)") == "error no-such-attribute")
  }
}
