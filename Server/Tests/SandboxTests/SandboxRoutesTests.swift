import Logging
import Service
import Testing

@testable import Sandbox

@Suite struct SandboxRoutesTests {
  @Test func receiptsAreVerifiedUnlessSomebodySaysOtherwise() {
    let options = SandboxOptions(fixtures: Fixtures(applications: []), log: Logger(label: "test"))
    #expect(options.verifiesReceipts)
  }
}
