import Expressions
import RuleEngine
import Testing

@testable import SDK

@Suite("Identity")
struct IdentityTests {
  /// Vectors of FIPS 180-4 and NIST.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000),
      "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
    ),
  ])
  func digests(text: String, expected: String) {
    let digest = SHA256.digest(Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    #expect(digest.joined() == expected)
  }

  @Test func seedsAreStableAndSpread() {
    #expect(UserSeed.seed(of: "u1") == UserSeed.seed(of: "u1"))
    let seeds = (0..<2_000).map { UserSeed.seed(of: "user-\($0)") }
    #expect(seeds.allSatisfy { (0..<100).contains($0) })
    #expect(Set(seeds).count == 100)
  }

  /// Who begins anew is another person to rules that go by the seed.
  @Test func resetsDrawAnotherSeed() {
    var state = SDKState(platform: .ios, entropy: .sequence(seed: 1))
    let seeds = (0..<50).map { _ -> Int in
      state.resetIdentity()
      return state.stored.seed
    }
    #expect(seeds.allSatisfy { (0..<100).contains($0) })
    #expect(Set(seeds).count > 10)
  }

  @Test func identifiersAreUnique() {
    var entropy = Entropy.system
    let identifiers = (0..<1_000).map { _ in entropy.identifier("alias") }
    #expect(Set(identifiers).count == 1_000)
    #expect(identifiers.allSatisfy { $0.count == 36 && $0.split(separator: "-").count == 5 })
    #expect(identifiers.allSatisfy { Array($0)[14] == "4" && "89AB".contains(Array($0)[19]) })
    var sequence = Entropy.sequence(seed: 7)
    #expect(sequence.identifier("alias") == "alias-1" && sequence.identifier("alias") == "alias-2")
    #expect(sequence.jitter() == 0)
  }
}

@Suite("Deep links")
struct DeepLinkTests {
  @Test func partsAndParams() throws {
    let link = try #require(DeepLink("myapp://Host/a/b.html?n=3&x=1.5&t=true&s=a%20b+c&e=#frag"))
    #expect(link.scheme == "myapp" && link.host == "host" && link.path == "/a/b.html")
    let params = link.params
    #expect(params["lastPathComponent"] == "b.html" && params["pathExtension"] == "html")
    #expect(params["n"] == 3 && params["x"] == 1.5 && params["t"] == true)
    #expect(params["s"] == "a b c" && params["fragment"] == "frag" && params["e"] == nil)
    #expect(params["url"] == "myapp://Host/a/b.html?n=3&x=1.5&t=true&s=a%20b+c&e=#frag")
    #expect(DeepLink("a://%zz?%4=1%")?.host == "%zz")
    #expect(DeepLink("a://b")?.host == "b" && DeepLink("a://?")?.host == "")
    #expect(DeepLink("a://") == nil && DeepLink("a:/b") == nil && DeepLink("a:b") == nil)
  }

  @Test(
    arguments: [
      ("superwall://superwall/redeem?code=X", "X"), ("other://superwall/redeem?code=X%20Y", "X Y"),
      ("https://acme.superwall.app/app-link/superwall/redeem?code=X", "X"),
      ("https://acme.superwallapp.dev/app-link/superwall/redeem?a=1&code=X", "X"),
      ("superwall://superwall/redeem", nil), ("superwall://superwall/redeem?code=", nil),
      ("superwall://superwall/other?code=X", nil),
      ("https://acme.example.com/app-link/superwall/redeem?code=X", nil),
      ("http://acme.superwall.app/app-link/superwall/redeem?code=X", nil),
    ] as [(String, String?)])
  func redemptionCodes(url: String, code: String?) {
    #expect(DeepLink(url)?.redemptionCode == code)
  }

  /// Links that come before the config are the SDK's where they redeem something, or open the app.
  @Test(arguments: [
    ("app://superwall/redeem?code=a", true, true),
    ("https://acme.superwall.app/app-link/superwall/redeem?code=a", true, true),
    ("https://acme.superwall.app/app-link/other", true, false),
    ("app://superwall/other", false, false), ("app://superwall/redeem", false, false),
    ("no link", false, false),
  ])
  func linksBeforeTheConfig(url: String, isHandled: Bool, redeems: Bool) {
    var run = StateRun()
    let call = run.call(.handleDeepLink(url))
    #expect(run.take().replies(to: call) == [.success(.truth(isHandled))])
    run.call(
      .configure(
        Configuration(apiKey: "pk", options: .init(), purchases: .controller, wrapper: nil)))
    for request in run.take().requests { run.answer(request.token, Samples.config) }
    let sent = run.take().requests.map { $0.request.segments.last ?? "" }
    #expect(sent.contains("redeem") == redeems)
  }

  /// IDs and names of attributes differ by their bytes, as hashes and headers have them.
  @Test func textsAreEqualWhenTheirBytesAre() {
    var run = StateRun()
    run.configure()
    run.call(.identify(userID: "caf\u{E9}", restoresAssignments: false))
    let first = run.state.stored
    run.call(.identify(userID: "cafe\u{301}", restoresAssignments: false))
    #expect(run.state.stored.appUserID?.utf8.elementsEqual("cafe\u{301}".utf8) == true)
    #expect(run.state.stored.aliasID != first.aliasID)
    for (name, value) in ["\u{E9}": 1, "e\u{301}": 2] as KeyValuePairs<String, Value> {
      run.call(.setUserAttributes(.map([.init(key: .string(name), value: value)])))
    }
    let stored = StoredState(decoding: run.state.stored.value)
    #expect(stored.user(named: "\u{E9}") == 1 && stored.user(named: "e\u{301}") == 2)
    let records = StateRecords.records(of: stored.value)
    #expect(StoredState(decoding: StateRecords.state(of: records)) == stored)
  }

  /// What nobody can see, and what no header can carry, is no ID.
  @Test(arguments: ["\u{200B}", "\u{FEFF} \u{2060}", "a\r\nX-Other: b", "a\u{0}b", "a\u{85}b"])
  func idsThatAreNone(_ id: String) {
    var run = StateRun()
    run.configure()
    run.call(.identify(userID: "u", restoresAssignments: false))
    let before = run.state.stored
    run.call(.identify(userID: id, restoresAssignments: false))
    #expect(run.state.stored == before)
    let messages = run.take().compactMap { effect in
      if case .emit(.handleLog(let message)) = effect { message.message } else { nil }
    }
    #expect(messages.contains { $0.hasPrefix("identify() needs a user ID") })
  }

  /// Commands tell by name which misplaced keys are attributes of devices.
  @Test func namesOfDeviceAttributesAreKnown() {
    let known = Set(DeviceAttribute.allCases.map(\.rawValue))
    for platform in [Platform.ios, .android] {
      let state = SDKState(
        platform: platform, entropy: .sequence(seed: 1), stored: ["lastPaywallView": 1])
      let names = (state.deviceAttributes.all().members ?? []).map(\.key)
      #expect(names.count > 30)
      #expect(names.filter { !known.contains($0) } == [])
    }
  }
}
