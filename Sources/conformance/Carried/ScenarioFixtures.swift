internal import Expressions
internal import Scenarios

extension Fixtures {
  /// Those of `corpus/sdk`, of which the program carries copies.
  static let carried: Result<Fixtures, CaseFileError> = {
    func source(_ name: String, _ text: String) -> Source {
      Source(name: name, bytes: Array(text.utf8))
    }
    return Result { () throws(CaseFileError) in
      try Fixtures(
        config: source(configName, CarriedFixtures.standardConfig),
        products: source(productsName, CarriedFixtures.products)
      ).withContract()
    }
  }()

  /// Those of a folder.
  init(folder: String) throws(CaseFileError) {
    func source(_ name: String) throws(CaseFileError) -> Source {
      Source(name: "\(folder)/\(name)", bytes: try CaseFile.bytes("\(folder)/\(name)"))
    }
    self = try Fixtures(config: source(Self.configName), products: source(Self.productsName))
      .withContract()
  }

  /// With the contract's schema, which is the same for all.
  private func withContract() -> Fixtures {
    var fixtures = self
    fixtures.contract = Self.carriedContract
    return fixtures
  }

  private static let carriedContract: ContractSchema? = {
    let schema = try? Value.parse(json: CarriedFixtures.contract.utf8)
    return schema.flatMap { ContractSchema($0) }
  }()
}
