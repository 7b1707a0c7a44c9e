@testable import Expressions
@testable import Regex

/// A pattern, a zero byte, and a subject. Both matchers accept the same patterns and find the same matches. Without PCRE2 the
/// Pike matcher is compared with itself.
public enum RegexCheck {
  private static let limits = RegexLimits(
    matchLimit: 50_000, patternBytes: 500, nesting: 30, programSize: 2_000)

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let input = FuzzInput(bytes, parts: 2)
    let pattern = Array(input[0].utf8)
    let subject = Array(input[1].utf8.prefix(300))
    let valid = String(decoding: subject, as: UTF8.self)
    compare(pattern, Array(valid.utf8), .re2, unicode: false)
    compare(pattern, Array(valid.utf8), .rust, unicode: true)
  }

  private static func compile(
    _ pattern: [UInt8], _ flavor: RegexFlavor, _ unicode: Bool, _ backend: RegexBackend
  ) -> RegexPattern? {
    do throws(RegexSyntaxError) {
      return try RegexPattern(
        pattern: pattern, unicodeClasses: unicode, flavor: flavor, limits: limits,
        backend: backend)
    } catch {
      let isInside = error.range.lowerBound >= 0 && error.range.upperBound <= pattern.count
      require(isInside, "'\(error.message)' lies at \(error.range) of \(pattern.count) bytes")
      return nil
    }
  }

  private static func compare(
    _ pattern: [UInt8], _ subject: [UInt8], _ flavor: RegexFlavor, unicode: Bool
  ) {
    let own = compile(pattern, flavor, unicode, .pike)
    let native = compile(pattern, flavor, unicode, .pcre2)
    require((own == nil) == (native == nil), "only one matcher takes the pattern")
    guard let own, let native else { return }
    var scratch = RegexScratch()
    subject.withUnsafeBufferPointer { text in
      for offset in [0, text.count / 2, text.count] {
        let wanted = own.find(in: text, from: offset, scratch: &scratch)
        let found = native.find(in: text, from: offset, scratch: &scratch)
        check(wanted, text, own.groupCount)
        if found == .limitExceeded || wanted == .limitExceeded { continue }
        require(found == wanted, "\(found), but the own matcher has \(wanted)")
      }
      let verdicts = [own, native].map { $0.matches(text, scratch: &scratch) }
      if verdicts.contains(.limitExceeded) { return }
      require(verdicts[0] == verdicts[1], "\(verdicts[1]), but the own matcher has \(verdicts[0])")
      let first = own.find(in: text, scratch: &scratch)
      if first == .limitExceeded { return }
      require((first != .notFound) == (verdicts[0] == .matched), "finding is not matching")
    }
  }

  private static func check(_ result: RegexFindResult, _ text: ByteView, _ groups: Int) {
    guard case .found(let match) = result else { return }
    require(match.groups.count == groups + 1, "\(match.groups.count) groups of \(groups + 1)")
    for group in match.groups.compactMap({ $0 }) {
      for place in [group.lowerBound, group.upperBound] {
        let isBoundary = place == text.count || place < text.count && text[place] & 0xC0 != 0x80
        require(isBoundary, "a group begins or ends within a character")
      }
      let isWithin = group.lowerBound >= match.range.lowerBound
      require(isWithin && group.upperBound <= match.range.upperBound, "a group outside the match")
    }
  }
}
