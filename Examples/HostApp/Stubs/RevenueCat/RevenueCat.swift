// The types of RevenueCat's public API (version 5) that RevenueCatController.swift uses. They do nothing.

public final class Purchases: Sendable {
  public static let shared = Purchases()

  public var appUserID: String { "" }
  public var customerInfoStream: AsyncStream<CustomerInfo> { AsyncStream { $0.finish() } }

  public func products(_ productIdentifiers: [String]) async -> [StoreProduct] { [] }
  public func purchase(product: StoreProduct) async throws -> PurchaseResultData {
    throw ErrorCode.unknownError
  }
  public func restorePurchases() async throws -> CustomerInfo { throw ErrorCode.unknownError }
  public func customerInfo(fetchPolicy: CacheFetchPolicy) async throws -> CustomerInfo {
    throw ErrorCode.unknownError
  }
}

public typealias PurchaseResultData = (
  transaction: StoreTransaction?, customerInfo: CustomerInfo, userCancelled: Bool
)

public final class StoreProduct: Sendable {}

public final class StoreTransaction: Sendable {}

public final class CustomerInfo: Sendable {
  public let entitlements = EntitlementInfos()
}

public final class EntitlementInfos: Sendable {
  public let active: [String: EntitlementInfo] = [:]
}

public final class EntitlementInfo: Sendable {}

public enum CacheFetchPolicy: Sendable {
  case fetchCurrent
}

public enum ErrorCode: Int, Error, Sendable {
  case unknownError = 0
  case purchaseCancelledError = 1
  case paymentPendingError = 20
}
