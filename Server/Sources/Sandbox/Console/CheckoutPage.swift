internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Service

extension SandboxBackend {
  /// The page that a checkout redirects to, for paying or declining. Access requires only the page's address, as for a
  /// real checkout.
  func addPages(to routes: some RouterMethods<ServiceContext>) {
    routes.get("\(Self.page)/{id}") { _, context in
      let checkout = try await checkout(context) { _ in }
      return Self.page(checkout)
    }
    routes.post("\(Self.page)/{id}/pay") { _, context in
      do {
        return Self.page(try await checkout(context) { try $0.complete() })
      } catch let error as ServiceError where error.code == Checkout.declined {
        return Self.page(try await checkout(context) { _ in }, isDeclined: true)
      }
    }
    routes.post("\(Self.page)/{id}/leave") { _, context in
      Self.page(try await checkout(context) { try $0.abandon() })
    }
  }

  private func checkout(
    _ context: ServiceContext, _ change: @escaping @Sendable (inout Checkout) throws -> Void
  ) async throws -> (Checkout, SandboxApplication) {
    let id = context.parameters.get("id")?.percentDecoded ?? ""
    for application in applications {
      if let checkout = try await store.checkout(id, in: application, now: now(), change) {
        return (checkout, application)
      }
    }
    throw ServiceError.notFound("there is no such checkout")
  }

  /// - Parameter isDeclined: whether a payment was just declined.
  private static func page(
    _ found: (checkout: Checkout, application: SandboxApplication), isDeclined: Bool = false
  ) -> Response {
    let checkout = found.checkout
    let content: String
    switch checkout.state {
    case .created, .processing:
      content = """
        <p>\(isDeclined ? "The payment was declined. Nothing was paid." : "This is a sandbox: nothing is charged.")</p>
        <form method="post" action="\(page)/\(checkout.id)/pay"><button>Pay</button></form>
        <form method="post" action="\(page)/\(checkout.id)/leave"><button>Cancel</button></form>
        """
    case .completed:
      let url = redemptionLink(found.checkout, found.application).escapedForHTML
      content = "<p>Paid.</p><p><a href=\"\(url)\">Open the app and redeem it</a></p><p>\(url)</p>"
    case .abandoned, .expired: content = "<p>This checkout is over; nothing was paid.</p>"
    }
    let html = """
      <!doctype html><html lang="en"><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>Checkout (sandbox)</title>
      <style>body{font:16px system-ui;max-width:30em;margin:4em auto;padding:0 1em}
      button{font:inherit;padding:.5em 2em;margin:.25em 0}</style>
      <h1>Checkout</h1><p>\(checkout.product.escapedForHTML)</p>\(content)</html>
      """
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
          + "frame-ancestors 'none'",
      ],
      body: .init(byteBuffer: ByteBuffer(string: html)))
  }
}

extension String {
  fileprivate var escapedForHTML: String {
    var text = ""
    // Escape scalars, because a character may combine a markup sign with another scalar.
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The string with `%41` decoded as `A`, or unchanged if an escape is not UTF-8.
  var percentDecoded: String {
    var bytes: [UInt8] = []
    let source = Array(utf8)
    var i = 0
    while i < source.count {
      if source[i] == UInt8(ascii: "%"), i + 2 < source.count,
        let high = Character(UnicodeScalar(source[i + 1])).hexDigitValue,
        let low = Character(UnicodeScalar(source[i + 2])).hexDigitValue
      {
        bytes.append(UInt8(high * 16 + low))
        i += 3
      } else {
        bytes.append(source[i])
        i += 1
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? self
  }
}
