import Testing

@testable import Expressions

@Suite("Network extension")
struct NetworkTests {
  @Test(arguments: [
    ("192.168.0.1", "192.168.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
    ("2001:db8::68", "2001:db8::68"), ("2001:DB8:0:0:0:0:0:68", "2001:db8::68"), ("::", "::"),
    ("::1", "::1"), ("1::", "1::"), ("::ffff:c0a8:1", "192.168.0.1"), ("::ffff", "::ffff"),
    ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
    ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("0:0:1:2:3:4:5:6", "::1:2:3:4:5:6"),
    ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::1.2.3.4", "::102:304"),
    ("0001:0002:0003:0004:0005:0006:0007:0008", "1:2:3:4:5:6:7:8"),
    ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fe80::a00:27ff:fe4e:66a1", "fe80::a00:27ff:fe4e:66a1"),
    ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("1:2:3:4:5::1.2.3.4", "1:2:3:4:5:0:102:304"),
    ("::2:3:4:5:6:1.2.3.4", "0:2:3:4:5:6:102:304"),
  ])
  func addresses(text: String, expected: String) {
    #expect(CallNotation.result("ip('\(text)')") == expected)
    #expect(CallNotation.result("isIP('\(text)')") == "true")
    #expect(CallNotation.result("isCanonicalIP('\(text)')") == "\(text == expected)")
  }

  @Test(arguments: [
    "", "192.168.0.1.0", "192.168.0", "192.168.0.", ".192.168.0.1", "192.168.0.256", "192.168.0.01",
    "192.168.0.1 ", "192.168..1", "1920.1.1.1", "+1.1.1.1", "192.168.0.1/24", "2001:db8:::68",
    ":::", ":", ":1", "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4::5:6:7:8",
    "12345::", "g::", "::ffff:192.168.0.1", "::FFFF:1.2.3.4", "0:0:0:0:0:ffff:1.2.3.4",
    "fe80::1%en0", "::1%", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4",
    "1.2.3.4:1:2:3:4:5:6", "1:2:3:4:5:6::1.2.3.4", "::1.2.3", "::1.2.3.4:5", "1.2.3.4::",
    "a text of more than fifteen bytes", "0000000000000000000000000000000000000000000000::",
  ])
  func noAddresses(text: String) {
    #expect(CallNotation.result("ip('\(text)')") == "error conversion")
    #expect(CallNotation.result("isIP('\(text)')") == "false")
    #expect(CallNotation.result("isCanonicalIP('\(text)')") == "error conversion")
  }

  @Test(arguments: [
    ("192.168.0.0/24", "192.168.0.0/24"), ("10.0.0.1/8", "10.0.0.1/8"), ("0.0.0.0/0", "0.0.0.0/0"),
    ("2001:DB8::/32", "2001:db8::/32"), ("::1/128", "::1/128"), ("1.2.3.4/32", "1.2.3.4/32"),
  ])
  func ranges(text: String, expected: String) {
    #expect(CallNotation.result("cidr('\(text)')") == expected)
    #expect(CallNotation.result("isCIDR('\(text)')") == "true")
  }

  @Test(arguments: [
    "", "/", "192.168.0.0", "192.168.0.0/", "192.168.0.0/33", "192.168.0.0/024", "192.168.0.0/2a",
    "192.168.0.0/-1", "192.168.0.0/+1", "192.168.0.0/24/24", "2001:db8::/129", "2001:db8:::/32",
    "fe80::1%en0/24", "::ffff:192.168.0.1/24", "::ffff:c0a8:0/120", "192.168.0.0.0/24", "/24",
    "192.168.0.0/1000000000000000000000",
  ])
  func noRanges(text: String) {
    #expect(CallNotation.result("cidr('\(text)')") == "error conversion")
    #expect(CallNotation.result("isCIDR('\(text)')") == "false")
  }

  @Test(arguments: [
    ("ipFamily(ip('192.168.0.1'))", "4"), ("ipFamily(ip('2001:db8::68'))", "6"),
    ("isUnspecified(ip('0.0.0.0'))", "true"), ("isUnspecified(ip('127.0.0.1'))", "false"),
    ("isUnspecified(ip('::'))", "true"), ("isUnspecified(ip('::1'))", "false"),
    ("isLoopback(ip('127.0.0.1'))", "true"), ("isLoopback(ip('127.255.0.1'))", "true"),
    ("isLoopback(ip('1.2.3.4'))", "false"), ("isLoopback(ip('::1'))", "true"),
    ("isLoopback(ip('2001:db8::abcd'))", "false"), ("isGlobalUnicast(ip('192.168.0.1'))", "true"),
    ("isGlobalUnicast(ip('255.255.255.255'))", "false"),
    ("isGlobalUnicast(ip('0.0.0.0'))", "false"), ("isGlobalUnicast(ip('224.0.0.1'))", "false"),
    ("isGlobalUnicast(ip('127.0.0.1'))", "false"), ("isGlobalUnicast(ip('169.254.1.1'))", "false"),
    ("isGlobalUnicast(ip('2001:db8::abcd'))", "true"), ("isGlobalUnicast(ip('ff00::1'))", "false"),
    ("isGlobalUnicast(ip('fe80::1'))", "false"), ("isGlobalUnicast(ip('fd00::1'))", "true"),
    ("isLinkLocalMulticast(ip('224.0.0.1'))", "true"),
    ("isLinkLocalMulticast(ip('224.0.1.1'))", "false"),
    ("isLinkLocalMulticast(ip('ff02::1'))", "true"),
    ("isLinkLocalMulticast(ip('ff12::1'))", "true"),
    ("isLinkLocalMulticast(ip('fd00::1'))", "false"),
    ("isLinkLocalUnicast(ip('169.254.169.254'))", "true"),
    ("isLinkLocalUnicast(ip('192.168.0.1'))", "false"),
    ("isLinkLocalUnicast(ip('fe80::1'))", "true"), ("isLinkLocalUnicast(ip('febf::1'))", "true"),
    ("isLinkLocalUnicast(ip('fec0::1'))", "false"), ("isLinkLocalUnicast(ip('fd80::1'))", "false"),
    ("ipFamily('::1')", "error no-such-overload"),
    ("isLoopback(cidr('::1/1'))", "error no-such-overload"),
    ("isIP(cidr('192.168.0.0/24'))", "error no-such-overload"),
    ("isIP(1)", "error no-such-overload"), ("isCIDR(ip('::1'))", "error no-such-overload"),
    ("ip(missing)", "error no-such-attribute"),
    ("isCanonicalIP(ip('::1'))", "error no-such-overload"), ("cidr(1)", "error no-such-overload"),
  ])
  func kinds(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("containsIP(cidr('192.168.0.0/24'), ip('192.168.0.1'))", "true"),
    ("containsIP(cidr('192.168.0.0/24'), ip('192.168.1.1'))", "false"),
    ("containsIP(cidr('192.168.0.0/24'), '192.168.0.1')", "true"),
    ("containsIP(cidr('192.168.0.0/24'), '192.168.1.1')", "false"),
    ("containsIP(cidr('192.168.0.7/24'), '192.168.0.1')", "true"),
    ("containsIP(cidr('0.0.0.0/0'), '255.1.2.3')", "true"),
    ("containsIP(cidr('::/0'), '1.2.3.4')", "false"),
    ("containsIP(cidr('1.2.3.4/32'), '1.2.3.4')", "true"),
    ("containsIP(cidr('1.2.3.4/32'), '1.2.3.5')", "false"),
    ("containsIP(cidr('2001:db8::/32'), '2001:db8::1')", "true"),
    ("containsIP(cidr('2001:db8::/32'), ip('2001:dc8::1'))", "false"),
    ("containsIP(cidr('2001:db8::/32'), ip('192.168.1.1'))", "false"),
    ("containsIP(cidr('192.168.0.0/24'), 'not an address')", "error conversion"),
    ("containsIP(cidr('192.168.0.0/24'), 1)", "error no-such-overload"),
    ("containsIP(ip('::1'), ip('::1'))", "error no-such-overload"),
    ("containsCIDR(cidr('192.168.0.0/24'), cidr('192.168.0.0/25'))", "true"),
    ("containsCIDR(cidr('192.168.0.0/24'), cidr('192.168.0.0/23'))", "false"),
    ("containsCIDR(cidr('192.168.0.0/24'), cidr('192.169.0.0/25'))", "false"),
    ("containsCIDR(cidr('192.168.0.0/24'), '192.168.0.1/32')", "true"),
    ("containsCIDR(cidr('10.0.0.0/8'), cidr('10.0.0.0/8'))", "true"),
    ("containsCIDR(cidr('2001:db8::/32'), cidr('2001:db8::/33'))", "true"),
    ("containsCIDR(cidr('::/0'), '0.0.0.0/0')", "false"),
    ("containsCIDR(cidr('10.0.0.0/8'), '10.0.0.0')", "error conversion"),
    ("ipOfCIDR(cidr('192.168.1.5/24'))", "192.168.1.5"),
    ("ipOfCIDR(cidr('2001:db8::/32'))", "2001:db8::"),
    ("ipOfCIDR(ip('::1'))", "error no-such-overload"),
    ("masked(cidr('192.168.1.5/24'))", "192.168.1.0/24"),
    ("masked(cidr('192.168.1.5/32'))", "192.168.1.5/32"),
    ("masked(cidr('192.168.1.5/0'))", "0.0.0.0/0"),
    ("masked(cidr('2001:db8:ffff::1/33'))", "2001:db8:8000::/33"),
    ("masked(cidr('ffff::/0'))", "::/0"), ("prefixLength(cidr('192.168.0.0/24'))", "24"),
    ("prefixLength(cidr('2001:db8::/32'))", "32"), ("prefixLength(1)", "error no-such-overload"),
  ])
  func contains(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  /// Equality is a matter of the bytes: `sets.equivalent` compares as `==` does.
  @Test(arguments: [
    ("ip('127.0.0.1')", "ip('127.0.0.1')", true), ("ip('127.0.0.1')", "ip('10.0.0.1')", false),
    ("ip('::ffff:c0a8:1')", "ip('192.168.0.1')", true),
    ("ip('::ffff:c0a8:1')", "ip('192.168.10.1')", false),
    ("ip('2001:db8::1')", "ip('2001:DB8::1')", true), ("ip('::')", "ip('::ffff')", false),
    ("ip('::')", "ip('0.0.0.0')", false), ("cidr('127.0.0.0/8')", "cidr('127.0.0.0/8')", true),
    ("cidr('192.0.0.1/32')", "cidr('10.0.0.1/8')", false),
    ("cidr('10.0.0.1/8')", "cidr('10.0.0.0/8')", false),
    ("cidr('2001:db8::/32')", "cidr('10.0.0.1/32')", false),
    ("ip('10.0.0.1')", "cidr('10.0.0.1/32')", false), ("ip('10.0.0.1')", "'10.0.0.1'", false),
  ])
  func equality(left: String, right: String, expected: Bool) {
    #expect(CallNotation.result("setEquivalent([\(left)], [\(right)])") == "\(expected)")
  }
}
