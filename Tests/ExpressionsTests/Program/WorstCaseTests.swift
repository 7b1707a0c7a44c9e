import TestSupport
import Testing

@testable import Expressions

/// Small expressions that ask for a lot: each ends soon, in the limit's own error, in a process of
/// its own so that a trap or an overflow of the stack is a failure and not the end of the tests.
@Suite("Worst cases", .timeLimit(.minutes(30)))
struct WorstCaseTests {
  private static let letters = String(repeating: "a", count: 100_000)

  static let context: Value = [
    "user": [
      "l": .list((0..<20_000).map { .int($0) }), "one": [1, 2, 3],
      "s": .string(letters), "t": .string(letters + "b"), "b": true, "a": 1, "i": 1,
      "few": .string(String(repeating: "a", count: 60) + "!"),
      "many": .string(String(repeating: "a", count: 1_000) + "!"),
      "wide": [
        .map((0..<5_000).map { Value.Entry(key: .string("key\($0)"), value: .int($0)) })
      ],
      "patterns": .list((0..<5_000).map { .string("\($0)a{1000}|b{1000}|c{1000}|d{1000}") }),
    ]
  ]

  /// Variables, forty in a whole run, each of which holds the one before twice; the last is `v`.
  private static func doubled(_ body: String) -> String {
    let last = Extent.count(40, or: 26)
    let bindings = (1...last).map {
      "cel.bind(v\($0 == last ? "" : "\($0)"), [v\($0 - 1), v\($0 - 1)], "
    }
    return "cel.bind(v0, user.one, " + bindings.joined() + body
      + String(repeating: ")", count: last + 1)
  }

  /// A round for each of 20,000 elements that does not decide.
  private static func looped(_ work: String) -> String { "user.l.exists(x, (\(work)) && x < 0)" }

  static let sources: [String: [String]] = [
    "shared parts": [
      doubled("v == [v][0]"), doubled("v in [v25, v]"), doubled("v"),
      doubled("{'a': v} == {'a': v}"), doubled("optional.of(v) == optional.of(v)"),
      doubled("[v, v].distinct()"), doubled("sets.contains([v], [v])"),
      doubled("v.flatten(1000)"), doubled("'%s'.format([v])"), doubled("string(v == v)"),
      doubled("{v == v: 1}"),
    ],
    "loops of loops": [
      "user.l.exists(x, user.l.exists(y, user.l.exists(z, z < 0)))",
      "user.l.map(x, user.l.map(y, y))", "user.l.map(x, user.l + user.l)",
      "user.l.transformMapEntry(i, x, {x: i})", looped("x in user.l"),
      looped("user.l == user.l"), looped("user.l.distinct().size() > 0"),
      looped("user.l.sort().size() > 0"),
    ],
    "long texts and wide maps again and again": [
      looped("user.s < user.t"), looped("user.s >= user.t || user.b"),
      looped("user.s == user.t || user.b"),
      looped(
        "user.s in ['a','b','c','d','e','f','g','h','i','j a long text beyond fifteen'] || user.b"),
      looped("!has(user.wide[0].nope)"), looped("user.wide[0].key4999 > 0"),
      looped("user.wide[0]['key4999'] > 0"), looped("!user.wide[0].?nope.hasValue()"),
      looped("user.s.contains('b') || user.b"), looped("user.s.size() > 0"),
      looped("user.s.lowerAscii() != ''"), looped("(user.s + user.s) != ''"),
      looped("user.s.split('').size() > 0"), looped("user.s.replace('a', user.s) != ''"),
    ],
    "patterns": [
      looped("!user.few.matches('^(a|aa|a[ab])+$')"),
      looped("!user.many.matches('(a|aa|a[ab]){1,12}$')"),
      looped("!user.s.matches('(a|aa|a[ab]){1,12}$')"), looped("!user.few.matches('(.*)*(.*)*c' )"),
      looped("regex.extractAll(user.many, '(a|aa|a[ab]){1,12}$').size() == 0"),
      "regex.extractAll(user.s, 'a(?:.*b)?')", "regex.replace(user.s, 'a(?:.*b)?', user.s)",
      "user.patterns.exists(x, user.few.matches(x))",
      looped("regex.replace(user.many, 'a*?$', 'b') != ''"),
    ],
    "faults that were passed over": [
      looped("user.s.replace('a', user.s) == '' || user.b"),
      doubled("user.l.exists(x, v == [v][0])"),
    ],
  ]

  private static func run(_ sources: [String]) {
    let environment = ExpressionEnvironment(
      limits: Limits(steps: Extent.count(100_000, or: 2_000)))
    for source in sources {
      guard let program = environment.compile(source).output else {
        fatalError("does not compile: \(environment.compile(source).diagnostics)")
      }
      do throws(EvaluationError) {
        let value = try program.evaluate(context)
        fatalError("\(source) gives \(value)")
      } catch {
        precondition(error.kind == .limitExceeded, "\(source) is \(error.kind)")
      }
    }
  }

  #if compiler(>=6.2)
    @Test func sharedParts() async {
      await #expect(processExitsWith: .success) { WorstCaseTests.run("shared parts") }
    }

    @Test func loopsOfLoops() async {
      await #expect(processExitsWith: .success) { WorstCaseTests.run("loops of loops") }
    }

    @Test func longTexts() async {
      await #expect(processExitsWith: .success) {
        WorstCaseTests.run("long texts and wide maps again and again")
      }
    }

    @Test func patterns() async {
      await #expect(processExitsWith: .success) { WorstCaseTests.run("patterns") }
    }

    @Test func faults() async {
      await #expect(processExitsWith: .success) {
        WorstCaseTests.run("faults that were passed over")
      }
    }

    /// The longest text that is compiled, of every shape, with what people do with a program.
    @Test func longestTexts() async {
      await #expect(processExitsWith: .success) {
        onStack(of: 4 << 20) {
          for text in NestingShapes.texts(Extent.count(50_000, or: 10_000)) {
            let text = String(text.prefix(Extent.count(100_000, or: 20_000)))
            let compiled = ExpressionEnvironment().compile(text)
            for diagnostic in compiled.diagnostics {
              _ = DiagnosticText.render(diagnostic, source: text)
            }
            guard let program = compiled.output else { continue }
            var frame = Frame(for: program)
            try? frame.fill(WorstCaseTests.context)
            _ = program.isTrue(in: &frame)
          }
        }
      }
    }

    /// As many values as JSON of some megabytes holds.
    @Test func hugeContexts() async {
      await #expect(processExitsWith: .success) {
        let source = "user.l.size() + size(user.m) + size(user.s)"
        guard
          let program = ExpressionEnvironment(limits: Limits(memoryBytes: 64 << 20)).compile(source)
            .output
        else { fatalError("does not compile") }
        let list = (0..<200_000).map { "\($0)" }.joined(separator: ",")
        let map = (0..<100_000).map { "\"key\($0)\":[\($0)]" }.joined(separator: ",")
        let text = String(repeating: "\\u00e9", count: 300_000)
        var frame = Frame(for: program)
        try? frame.fill(json: "{\"user\":{\"l\":[\(list)],\"m\":{\(map)},\"s\":\"\(text)\"}}".utf8)
        precondition((try? program.evaluate(in: &frame)) == .int(600_000))
        let deep = String(repeating: "[", count: 4_000_000)
        precondition((try? frame.fill(json: "{\"user\":\(deep)".utf8)) == nil)
      }
    }
  #endif

  private static func run(_ name: String) {
    guard let sources = sources[name] else { fatalError("no such sources: \(name)") }
    onStack(of: 4 << 20) { run(sources) }
  }
}
