public import Expressions

/// The report that a page of a paywall came into view.
public struct PageView: Hashable, Sendable {
  public var pageNodeID: String
  public var flowPosition: Int
  public var pageName: String
  public var navigationNodeID: String
  public var previousPageNodeID: String?
  public var previousFlowPosition: Int?
  public var navigationType: String
  public var timeOnPreviousPage: Duration?

  /// Decodes a paywall's message. Missing members are empty.
  public init(decoding value: Value) {
    pageNodeID = value["pageNodeId"]?.text ?? ""
    flowPosition = value["flowPosition"]?.wholeNumber ?? 0
    pageName = value["pageName"]?.text ?? ""
    navigationNodeID = value["navigationNodeId"]?.text ?? ""
    previousPageNodeID = value["previousPageNodeId"]?.text
    previousFlowPosition = value["previousFlowPosition"]?.wholeNumber
    navigationType = value["navigationType"]?.text ?? ""
    timeOnPreviousPage = value["timeOnPreviousPageMs"]?.wholeNumber.map { .milliseconds($0) }
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    .members([
      "pageNodeId": .string(pageNodeID), "flowPosition": .whole(flowPosition),
      "pageName": .string(pageName), "navigationNodeId": .string(navigationNodeID),
      "previousPageNodeId": previousPageNodeID.map { .string($0) },
      "previousFlowPosition": previousFlowPosition.map { .whole($0) },
      "navigationType": .string(navigationType),
      "timeOnPreviousPageMs": timeOnPreviousPage.map { .int($0.milliseconds) },
    ])
  }
}
