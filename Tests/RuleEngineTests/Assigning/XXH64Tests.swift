import Testing

@testable import RuleEngine

/// The hash against its reference implementation.
@Suite struct XXH64Tests {
  private func hash(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { XXH64.hash($0) } }

  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
    ] as [(String, UInt64)])
  func texts(text: String, expected: UInt64) {
    #expect(hash(Array(text.utf8)) == expected)
  }

  /// Prefixes of the bytes `i * 131 + 7`, hashed with the xxHash library: every way that a length
  /// divides into blocks of 32, 8, 4 and 1.
  @Test(
    arguments: [
      (1, 0xA96C_7F0C_E858_BBB7), (2, 0xC22C_6A70_AD56_BBA6), (3, 0xBED4_3740_EE63_32BB),
      (4, 0xFA21_2AE4_4B3B_B23D), (5, 0xD339_DCC9_AC8E_6776), (7, 0x2744_460D_D675_D2C0),
      (8, 0x994B_676B_71CE_94DD), (9, 0x572B_84C1_8B98_3AF8), (11, 0x97F0_78DA_7A1A_590C),
      (12, 0xB92F_588C_E720_786E), (13, 0xDADC_8A62_55B4_829B), (15, 0x09E6_451E_D2FF_8B1D),
      (16, 0x94AD_0095_E72B_24D5), (17, 0x1464_F2EF_F23B_5FE1), (24, 0x0A3B_0194_F3AF_E0B8),
      (28, 0x01A6_F3D2_24FA_7D3B), (31, 0x6711_D55E_306B_5D8F), (32, 0x07F7_B8E3_BC5D_6E25),
      (33, 0x09F8_5EEB_4E1C_BE9F), (35, 0x25CC_31E4_544B_C8C9), (36, 0xE7AC_6252_22F2_B655),
      (39, 0xB13C_137A_0FB7_01C3), (40, 0xD251_5017_7BA4_6490), (47, 0x79BD_9D6D_D8C1_5570),
      (48, 0x2947_DE5E_3A6A_FECE), (63, 0xB7C9_968C_066C_B6A5), (64, 0x50D4_159A_0411_632E),
      (65, 0xD277_176B_FF86_3EFC), (71, 0x363A_593D_C9D7_38D1), (96, 0x18C8_F362_EB73_5341),
      (100, 0x9DDA_DA11_D3DC_2D8F), (127, 0x54CF_771B_5423_F6A7), (128, 0x0430_E433_B792_E757),
      (255, 0x15A6_DB05_D4E8_3DF4), (256, 0xA2DB_E913_9652_56FC), (257, 0xE9D3_CDD6_FF0D_DFD3),
      (300, 0xC68E_7EF3_9B5C_A10E),
    ] as [(Int, UInt64)])
  func prefixes(length: Int, expected: UInt64) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) }
    #expect(hash(bytes) == expected)
    // Wherever the bytes lie.
    let shifted = [0, 0, 0] + bytes
    #expect(
      shifted.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[3...])) } == expected
    )
  }

  /// What comes in pieces has the same hash, however it is cut, and so has a stream that goes on.
  @Test(arguments: [1, 3, 8, 31, 32, 33, 100])
  func pieces(size: Int) throws {
    for length in 0...100 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) }
      var stream = XXH64.Stream()
      for start in stride(from: 0, to: length, by: size) {
        Array(bytes[start..<min(start + size, length)]).withUnsafeBytes { stream.add($0) }
        let again = try #require(XXH64.Stream(state: stream.state, count: stream.count))
        #expect(again == stream)
      }
      #expect(stream.count == length && stream.finish() == hash(bytes), "\(length)")
    }
    #expect(XXH64.Stream(state: [0, 0, 0, 0, 1], count: 32) == nil)
    #expect(XXH64.Stream(state: [0, 0, 0, 0], count: -32) == nil)
  }
}
