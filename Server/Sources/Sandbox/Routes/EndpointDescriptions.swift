internal import Expressions
internal import HTTPTypes
internal import Service

/// The part of `/openapi.json` for the backend that apps use.
extension SandboxBackend {
  /// The description of an endpoint in addition to its path and its key.
  struct Details {
    var summary: String
    var body: Value?
    var answer: Value = APISchema.someObject
    var status = 200
    var type = "application/json"
    var errors: [Int] = []
    var parameters: [Value] = []
  }

  /// The operations of all endpoints and pages.
  var operations: [APIOperation] { endpoints.map(Self.operation) + Self.pages }

  private static func operation(_ endpoint: Endpoint) -> APIOperation {
    let details = details["\(endpoint.method) \(endpoint.path)"] ?? Details(summary: "")
    var operation = APIOperation(
      path: endpoint.path, method: endpoint.method.rawValue.lowercased(),
      summary: details.summary, body: details.body, needsBody: endpoint.needsBody,
      answer: details.answer, status: details.status, type: details.type, errors: details.errors,
      parameters: details.parameters)
    if endpoint.method == .post, details.body == nil { operation.errors += [400, 408, 413, 415] }
    switch endpoint.access {
    case .key: break
    case .queryKey: operation.key = .bearerOrQuery
    case .pathKey:
      operation.key = .none
      operation.errors.append(401)
    case .open: operation.key = .none
    case .owner, .ownerOrServer:
      operation.errors += [400, 403, 404]
      if !endpoint.path.contains("{project}") {
        operation.parameters.append(
          APISchema.query(
            "application", APISchema.text, "the application that the admin token acts on"))
      }
    }
    return operation
  }

  private static var pages: [APIOperation] {
    func told(_ path: String, _ method: String, _ summary: String, _ errors: [Int]) -> APIOperation
    {
      APIOperation(
        path: "\(Self.page)/{id}\(path)", method: method, summary: summary, answer: APISchema.text,
        type: "text/html", errors: errors + [404], key: .none)
    }
    return [
      told("", "get", "Show the page of a checkout.", []),
      told("/pay", "post", "Pay a checkout.", [409]),
      told("/leave", "post", "Leave a checkout.", [409]),
    ]
  }

  // MARK: Schemas

  private typealias Schema = APISchema

  private static let entitlement = Schema.object(
    [
      "id": Schema.text, "identifier": Schema.text, "type": Schema.one(of: "SERVICE_LEVEL"),
      "isActive": Schema.truth, "productIds": Schema.list(Schema.text),
      "expiresAt": Schema.whole, "store": Schema.text,
    ], required: ["id", "identifier", "type", "isActive", "productIds"])

  private static let customerInfo = Schema.object(
    [
      "subscriptions": Schema.list(
        Schema.object(
          [
            "transactionId": Schema.text, "productId": Schema.text, "purchaseDate": Schema.whole,
            "willRenew": Schema.truth, "isRevoked": Schema.truth, "isInGracePeriod": Schema.truth,
            "isInBillingRetryPeriod": Schema.truth, "isActive": Schema.truth,
            "expirationDate": Schema.whole, "store": Schema.text,
          ],
          required: [
            "transactionId", "productId", "purchaseDate", "willRenew", "isRevoked",
            "isInGracePeriod", "isInBillingRetryPeriod", "isActive",
          ])),
      "nonSubscriptions": Schema.list(Schema.someObject),
      "entitlements": Schema.list(entitlement),
    ], required: ["subscriptions", "nonSubscriptions", "entitlements"])

  private static let redemption = Schema.object(
    [
      "status": Schema.one(of: "pending", "failed", "complete"),
      "codes": Schema.list(
        Schema.object(
          [
            "code": Schema.text,
            "status": Schema.one(
              of: "SUCCESS", "ERROR", "CODE_EXPIRED", "INVALID_CODE", "EXPIRED_SUBSCRIPTION"),
          ], required: ["code", "status"])),
      "entitlements": Schema.list(entitlement), "customerInfo": customerInfo,
    ], required: ["codes", "entitlements", "customerInfo"])

  private static let pair = Schema.object(
    ["experiment_id": Schema.text, "variant_id": Schema.text],
    required: ["experiment_id", "variant_id"])

  private static let assignments = Schema.object(
    ["assignments": Schema.list(pair)], required: ["assignments"])

  private static let done = Schema.object(
    ["status": Schema.one(of: "ok")], required: ["status"])

  private static func listed(_ name: Value) -> Value {
    Schema.object([name: Schema.list(Schema.someObject)], required: [name])
  }

  private static func context(
    _ name: Value, _ more: KeyValuePairs<Value, Value> = [:], required: [Value] = []
  ) -> Value {
    let all = [(name, Schema.name)] + more.map { ($0.key, $0.value) }
    return [
      "type": "object", "properties": .map(all.map { .init(key: $0.0, value: $0.1) }),
      "required": .list([name] + required),
    ]
  }

  private static let preview = Schema.object(
    ["id": Schema.text, "identifier": Schema.text, "name": Schema.text],
    required: ["id", "identifier", "name"])

  private static let link = Schema.object(
    ["redemptionUrl": Schema.text], required: ["redemptionUrl"])

  private static let price: Value = [
    "type": ["object", "null"],
    "properties": ["amount": ["type": "number"], "currency": Schema.text],
    "required": ["amount", "currency"],
  ]

  private static let product = Schema.object(
    [
      "object": Schema.one(of: "product"), "identifier": Schema.text,
      "platform": Schema.one(of: "ios", "android", "stripe", "paddle", "superwall", "custom"),
      "price": price, "subscription": Schema.objectOrNull,
      "entitlements": Schema.list(entitlement), "storefront": Schema.text,
    ], required: ["object", "identifier", "platform", "entitlements", "storefront"])

  private static let faultScript = Schema.object(
    [
      "faults": [
        "type": "array", "maxItems": 100,
        "items": [
          "type": "object", "required": ["path"], "additionalProperties": false,
          "properties": [
            "path": ["type": "string", "pattern": "^[/*]", "maxLength": 1_000],
            "application": Schema.textOrNull, "method": Schema.textOrNull,
            "status": number(200, 599), "delay": number(0, 600_000),
            "drop": ["type": ["boolean", "null"]], "count": number(0, 1_000_000),
            "skip": number(0, 1_000_000), "body": Schema.anything, "happened": Schema.anything,
          ],
        ],
      ]
    ], required: ["faults"])

  private static func number(_ least: Value, _ most: Value) -> Value {
    ["type": ["integer", "null"], "minimum": least, "maximum": most]
  }

  private static let pathOfArtifact: [Value] = [
    [
      "name": "version", "in": "path", "required": true, "schema": Schema.one(of: "v1"),
    ]
  ]

  // MARK: Endpoints

  /// The details of each endpoint, by method and path.
  static let details: [String: Details] = {
    var all: [String: Details] = [:]
    for group in [configDetails, clientDetails, buyingDetails, wallieDetails, consoleDetails] {
      all.merge(group) { $1 }
    }
    return all
  }()

  private static let configDetails: [String: Details] = [
    "GET /api/v1/static_config": Details(summary: "The config.", errors: [304, 404]),
    "GET /api/v1/paywall/{identifier}": Details(summary: "A paywall.", errors: [404]),
    "POST /api/v1/paywall": Details(
      summary: "The paywall that a user gets at a placement, or the first paywall of the config.",
      body: Schema.object([
        "app_user_id": Schema.textOrNull,
        "event": [
          "type": ["object", "null"], "properties": ["event_name": Schema.text],
          "required": ["event_name"],
        ],
      ]), errors: [404]),
    "GET /api/v1/paywalls": Details(summary: "All paywalls.", answer: listed("paywalls")),
    "GET /v2/paywalls/resolve": Details(
      summary: "A paywall by its ID, for the debugger.", answer: preview, errors: [404],
      parameters: [Schema.query("id", Schema.text, "the ID or the identifier")]),
    "GET /v2/paywalls/preview-list": Details(
      summary: "All paywalls, for the debugger.",
      answer: Schema.object(["data": Schema.list(preview)], required: ["data"])),
    "POST /api/v1/enrich": Details(
      summary: "Attributes to add.",
      answer: Schema.object(
        ["user": Schema.someObject, "device": Schema.someObject], required: ["user", "device"])),
    "POST /api/v1/apple-search-ads/token": Details(
      summary: "Returns nothing, because the sandbox has no ads."),
    "POST \(subscriptions)/app-store/intro-eligibility/jws": Details(
      summary: "Returns nothing: the sandbox has no tokens for introductory offers."),
    "POST /api/match": Details(
      summary: "Returns nothing, because the sandbox matches no installs.",
      answer: Schema.object(["matched": Schema.truth], required: ["matched"])),
    "GET /config-api/read/{group}/{name}/{resource}/{version}": Details(
      summary: "An artifact of the config API.", errors: [404], parameters: pathOfArtifact),
    "GET /config-api/public/manifest/{group}/{name}/{resource}": Details(
      summary: "An artifact by its manifest.", errors: [404]),
  ]

  private static let clientDetails: [String: Details] = [
    "GET /api/v1/assignments": Details(
      summary: "Confirmed assignments.", answer: assignments),
    "POST /api/v1/confirm_assignments": Details(
      summary: "Confirm assignments, all or none.",
      body: Schema.object(
        ["assignments": ["type": "array", "maxItems": 100, "items": pair]],
        required: ["assignments"]),
      answer: Schema.object(
        ["status": Schema.one(of: "ok"), "assignments": Schema.list(pair)],
        required: ["status", "assignments"])),
    "POST /api/v1/events": Details(
      summary: "Events of the app.",
      body: Schema.object(["events": Schema.list(Schema.anything)], required: ["events"]),
      answer: Schema.object(
        ["status": Schema.one(of: "ok"), "invalid_indexes": Schema.list(Schema.whole)],
        required: ["status"])),
    "POST /api/v1/session_events": Details(
      summary: "Transactions of a session.",
      body: Schema.object(["transactions": Schema.anything]), answer: done),
    "POST \(subscriptions)/redeem": Details(
      summary: "Redeem codes, and return the entitlements.",
      body: Schema.object(
        [
          "deviceId": Schema.name, "appUserId": Schema.textOrNull,
          "codes": [
            "type": "array", "maxItems": 1_000,
            "items": Schema.object(["code": Schema.text], required: ["code"]),
          ],
          "receipts": Schema.anything,
        ], required: ["deviceId", "codes"]), answer: redemption),
    "GET \(subscriptions)/users/{user}/entitlements": Details(
      summary: "Entitlements of a user.",
      answer: Schema.object(
        ["entitlements": Schema.list(entitlement), "customerInfo": customerInfo],
        required: ["entitlements", "customerInfo"]),
      parameters: [Schema.query("deviceId", Schema.text, "the ID of the device")]),
    "GET \(subscriptions)/products": Details(
      summary: "Products.",
      answer: Schema.object(
        ["object": Schema.one(of: "list"), "data": Schema.list(product)],
        required: ["object", "data"]),
      parameters: [
        Schema.query("amounts", Schema.text, "'decimal' for amounts in the currency itself")
      ]),
  ]

  private static let buyingDetails: [String: Details] = [
    "POST \(subscriptions)/checkout/session": Details(
      summary: "Begin a checkout.",
      body: Schema.object(
        [
          "productIdentifier": [
            "type": "string", "pattern": "^(live|test):[^:]{1,100}:(no-trial|[0-9]{1,3})$",
          ],
          "store": Schema.textOrNull, "stripeCustomerId": Schema.textOrNull,
          "allowedCheckoutDirectives": [
            "type": "array", "minItems": 1,
            "items": Schema.one(of: "redirect", "drawer", "embedded"),
          ],
          "context": Schema.someObject,
        ], required: ["productIdentifier", "allowedCheckoutDirectives", "context"]),
      answer: Schema.object(
        [
          "directive": Schema.object(
            [
              "directive": Schema.one(of: "redirect", "drawer", "embedded"),
              "checkoutSessionId": Schema.text,
            ], required: ["directive", "checkoutSessionId"]), "checkoutContextId": Schema.text,
        ], required: ["directive", "checkoutContextId"])),
    "POST \(subscriptions)/checkout/status": Details(
      summary: "The state of a checkout.", body: context("checkoutId"),
      answer: Schema.object(
        [
          "status": Schema.one(of: "pending", "completed", "abandoned"),
          "paymentStatus": Schema.text, "redemptionUrl": Schema.text,
        ], required: ["status", "paymentStatus"])),
    "POST \(subscriptions)/checkout/session/confirm": Details(
      summary: "Confirm a checkout once its payment is set up.",
      body: context(
        "checkoutContextId", ["setupIntentId": Schema.name, "email": Schema.textOrNull],
        required: ["setupIntentId"]),
      answer: Schema.object(
        ["customerId": Schema.text, "subscriptionId": Schema.text, "redemptionUrl": Schema.text],
        required: ["customerId", "subscriptionId", "redemptionUrl"]), errors: [402, 409]),
    "POST \(subscriptions)/checkout/session/complete": Details(
      summary: "Complete a checkout.", body: context("checkoutContextId"), answer: link,
      errors: [409]),
    "POST \(subscriptions)/checkout/session/poll-redemption-result": Details(
      summary: "The redemption of a checkout.",
      body: context(
        "checkoutContextId", ["deviceId": Schema.textOrNull, "appUserId": Schema.textOrNull]),
      answer: redemption),
  ]

  private static let wallieProduct = Schema.object(
    [
      "name": Schema.name, "store": Schema.one(of: "apple", "google", "stripe"),
      "storeProductId": Schema.textOrNull, "store_product_id": Schema.textOrNull,
      "entitlements": Schema.list(Schema.text),
    ], required: ["name", "store", "entitlements"])

  private static let wallieDetails: [String: Details] = [
    "GET /v1/config/{key}": Details(summary: "AgentWallie's config.", errors: [404]),
    "POST /v1/events/{key}": Details(
      summary: "Events of an app with AgentWallie.",
      body: Schema.object(["events": Schema.list(Schema.anything)], required: ["events"]),
      answer: Schema.object(
        ["status": Schema.one(of: "ok"), "accepted": Schema.whole],
        required: ["status", "accepted"]), status: 202),
    "POST /v1/receipts/{key}": Details(
      summary: "Send a transaction signed by the App Store.",
      body: Schema.object(
        [
          "signed_transaction_info": Schema.name, "user_id": Schema.name,
          "device_id": Schema.textOrNull,
        ], required: ["signed_transaction_info", "user_id"]),
      answer: Schema.object(
        [
          "valid": Schema.truth, "transaction_id": Schema.text,
          "original_transaction_id": Schema.text, "product_id": Schema.text,
          "entitlements": Schema.list(Schema.text), "expires_date": Schema.textOrNull,
          "status": Schema.text,
        ], required: ["valid", "transaction_id", "product_id", "entitlements", "status"])),
    "GET /v1/subscriptions/{key}/{user}": Details(
      summary: "Subscriptions of a user.",
      answer: Schema.object(
        [
          "user_id": Schema.text, "status": Schema.one(of: "active", "inactive", "expired"),
          "entitlements": Schema.list(Schema.text), "subscriptions": Schema.list(Schema.someObject),
        ], required: ["user_id", "status", "entitlements", "subscriptions"])),
    "GET /v1/projects/{project}/products": Details(
      summary: "AgentWallie's products.", answer: listed("products")),
    "POST /v1/projects/{project}/products": Details(
      summary: "Add a product.", body: wallieProduct, status: 201),
  ]

  private static let consoleDetails: [String: Details] = [
    "GET \(console)/events": Details(
      summary: "Received events and their consequences.", answer: listed("events"),
      parameters: [
        Schema.query("after", ["type": "integer", "minimum": 0], "only events after this ID"),
        Schema.query("source", Schema.text, "the source: superwall, agentwallie or server"),
        Schema.query("name", Schema.text, "only events with this name"),
        Schema.query(
          "limit", ["type": "integer", "minimum": 1, "maximum": 1_000],
          "the maximum number of events"),
      ]),
    "GET \(console)/checkouts": Details(summary: "Checkouts.", answer: listed("checkouts")),
    "POST \(console)/checkouts/{id}/complete": Details(summary: "Pay a checkout.", errors: [409]),
    "POST \(console)/checkouts/{id}/abandon": Details(
      summary: "Abandon a checkout.", errors: [409]),
    "GET \(console)/codes": Details(summary: "Codes.", answer: listed("codes")),
    "POST \(console)/codes": Details(
      summary: "Add a code.", body: Schema.object(["code": Schema.name], required: ["code"]),
      answer: Schema.object(["code": Schema.text], required: ["code"]), status: 201,
      errors: [409]),
    "POST \(console)/codes/{code}/expire": Details(summary: "Expire a code."),
    "GET \(console)/subscriptions": Details(
      summary: "Subscriptions.", answer: listed("subscriptions")),
    "POST \(console)/subscriptions/{id}/revoke": Details(summary: "Revoke a subscription."),
    "POST \(console)/subscriptions/{id}/expire": Details(summary: "End a subscription."),
    "GET \(console)/faults": Details(
      summary: "Injected faults.", answer: listed("faults")),
    "PUT \(console)/faults": Details(
      summary: "Inject faults into the application, or with the admin token into the server.",
      body: faultScript, answer: listed("faults")),
    "POST \(console)/reset": Details(
      summary: "Delete everything except the fixtures.", answer: done),
    "POST \(console)/receipts": Details(
      summary: "Sign a transaction.",
      body: Schema.object([
        "product": Schema.textOrNull, "transactionId": Schema.textOrNull,
        "days": number(-36_500, 36_500), "revoked": Schema.anything,
      ]),
      answer: Schema.object(
        ["signed_transaction_info": Schema.text], required: ["signed_transaction_info"])),
  ]
}
