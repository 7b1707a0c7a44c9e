internal import Foundation

@testable import Expressions

/// Changes inputs that begin with an expression, so that most of them still parse: it replaces a part of the expression by a
/// part of another one, by another part of itself, or by a small change.
public enum ExpressionMutator {
  public static func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, count: Int, room: Int, seed: CUnsignedInt
  ) -> Int {
    var random = SplitMix(state: UInt64(seed))
    // A third of all changes is independent of the language.
    if random.next() % 3 == 0 { return mutateBytes(bytes, count, room) }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let end = input.firstIndex(of: 0) ?? count
    guard let changed = change(String(decoding: input[..<end], as: UTF8.self), &random) else {
      return mutateBytes(bytes, count, room)
    }
    let output = Array(changed.utf8) + input[end...]
    guard output.count <= room, !output.isEmpty else { return mutateBytes(bytes, count, room) }
    for (i, byte) in output.enumerated() { bytes[i] = byte }
    return output.count
  }

  /// The places of the nodes of an expression that parses.
  private static func places(_ source: String) -> [Range<Int>] {
    let (tree, diagnostics) = ParserCheck.parse(source)
    guard diagnostics.isEmpty else { return [] }
    return tree.nodes.map { Int($0.from)..<Int($0.to) }.filter {
      $0.upperBound <= source.utf8.count
    }
  }

  private static func change(_ source: String, _ random: inout SplitMix) -> String? {
    let own = places(source)
    guard let place = random.pick(own) else { return nil }
    let text = Array(source.utf8)
    let old = String(decoding: text[place], as: UTF8.self)
    let new: String
    switch random.next() % 4 {
    case 0: new = wrap(old, &random)
    case 1: new = random.pick(own).map { String(decoding: text[$0], as: UTF8.self) } ?? old
    default:
      guard let other = random.pick(Seeds.expressions), let part = random.pick(places(other))
      else { return nil }
      new = String(decoding: Array(other.utf8)[part], as: UTF8.self)
    }
    return String(decoding: text[..<place.lowerBound], as: UTF8.self) + "(" + new + ")"
      + String(decoding: text[place.upperBound...], as: UTF8.self)
  }

  /// Wraps an expression, or creates a similar one.
  private static func wrap(_ text: String, _ random: inout SplitMix) -> String {
    let shapes = [
      "!(@)", "-(@)", "[@, @]", "{@: @}", "(@) == (@)", "(@) && user.b", "user.b || (@)",
      "(@) ? 1 : (@)", "[@].exists(x, x == (@))", "[@].map(x, (@))", "string(@)", "int(@)",
      "optional.of(@)", "(@).?a.orValue(@)", "type(@)", "(@) in [@]", "(@) + (@)",
      "cel.bind(x, @, x == (@))", "dyn(@)", "size(@)", "(@)[0]", "has(user.a) && (@)", "1", "''",
      "9223372036854775807", "user.l", "'%s'.format([@])", "(@).filter(x, (@))", "timestamp(@)",
      "(@) < (@)", "[@, @].sort()", "user.a", "1.5", "b'a'", "null", "[?optional.of(@)]",
    ]
    return (random.pick(shapes) ?? "@").replacingOccurrences(of: "@", with: text)
  }

  private static func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int)
    -> Int
  {
    mutateWithLibFuzzer(bytes, count, room)
  }
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateWithLibFuzzer(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int)
  -> Int

/// Random numbers from a seed.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
  }
}
