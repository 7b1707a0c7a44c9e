// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CShims
public import CTollgate
internal import CivilTime
internal import Expressions
internal import Requests
internal import RuleEngine

/// Objects behind the opaque pointers of the interface.
extension OpaquePointer {
  // SAFETY: A pointer retains its object until the matching `_free` function releases it, once. The
  // header says that callers must not use it afterwards, and what NULL means.
  // Tests: LibraryTests.whatIsNotThereIsTold, Tools/library-tests.sh.

  /// A pointer that retains an object until it is freed.
  init(keeping object: AnyObject) {
    self.init(Unmanaged.passRetained(object).toOpaque())
  }

  /// The object, which lives until the caller frees it.
  func object<Object: AnyObject>(_: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(self)).takeUnretainedValue()
  }

  func free<Object: AnyObject>(_: Object.Type) {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(self)).release()
  }
}

func config(_ pointer: OpaquePointer?, _ name: String = "config") throws(LibraryError)
  -> PreparedConfig
{
  guard let pointer else { throw .null(name) }
  return pointer.object(PreparedConfig.self)
}

/// The time of the system's clock.
func presentTime() -> Instant {
  Instant(milliseconds: presentMilliseconds())
}

@c @implementation
public func tg_config_compile(
  _ json: UnsafePointer<CChar>?, _ count: Int, _ options: UnsafePointer<CChar>?,
  _ options_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
  _ diagnostics: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  // SAFETY: Every pointer of the caller is checked for NULL before it is used. Text is copied
  // first. Tests: LibraryTests.whatIsNotThereIsTold.
  out?.initialize(to: nil)
  return attempt(diagnostics) { () throws(LibraryError) in
    guard let out else { throw .null("out") }
    guard json != nil else { throw .null("json") }
    let text = try bytes(json, count, "json")
    let options = try request(options, options_count, "the options").value
    try checkMembers(options, ConfigOptions.names, "a config")
    let made = try asking { () throws(RequestError) in
      try PreparedConfig(
        text, try ConfigOptions.settings(options),
        isStrict: try options.givenTruth("strict") ?? false)
    }
    out.pointee = OpaquePointer(keeping: made)
    diagnostics?.pointee = tg_text(.list(made.text.findings(file: "config")))
  }
}

/// The options that a config is compiled with.
enum ConfigOptions {
  static let names = [
    "platform", "seed", "assigner", "timeZone", "products", "texts", "strict",
  ]

  static func settings(_ options: Value) throws(RequestError) -> PreparedConfig.Settings {
    var settings = PreparedConfig.Settings(clock: presentTime)
    settings.language = try options.givenLanguage("platform") ?? .standard
    settings.seed = try options.givenText("seed") ?? ""
    switch try options.givenText("assigner") {
    case nil: break
    case "hash"?: settings.assigner = .hash(salt: settings.seed)
    case "djb2"?: settings.assigner = .djb2
    default: throw .wrong("assigner", "hash or djb2")
    }
    settings.timeZone = try options.givenZone("timeZone") ?? "UTC"
    settings.products = try options.givenJSON("products").map { (json) throws(RequestError) in
      try ProductList.given(json)
    }
    settings.texts = try options.givenJSON("texts").map { (json) throws(RequestError) in
      try TextFile.given(json)
    }
    return settings
  }
}

@c @implementation
public func tg_config_describe(
  _ config: OpaquePointer?, _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    Array(try TollgateC.config(config).description.json.utf8)
  }
}

@c @implementation
public func tg_config_free(_ config: OpaquePointer?) { config?.free(PreparedConfig.self) }

// MARK: One user

@c @implementation
public func tg_decide(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    let config = try TollgateC.config(config)
    let body = try bytes(request, count, "request")
    return try asking { () throws(RequestError) in try config.decide(body) }
  }
}

/// Answers a question about a config. Each function names its own question, so that a linker can drop the other
/// questions.
private func answer(
  _ config: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?,
  _ question: (PreparedConfig, JSONRequest) throws(RequestError) -> Value
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    let config = try TollgateC.config(config)
    let body = try request(text, count)
    let value = try asking { () throws(RequestError) in try question(config, body) }
    return Array(value.json.utf8)
  }
}

@c @implementation
public func tg_explain(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.explain(body)
  }
}

@c @implementation
public func tg_render(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.render(body)
  }
}

@c @implementation
public func tg_check(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.check(body)
  }
}

@c @implementation
public func tg_match(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.match(body)
  }
}

@c @implementation
public func tg_products(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.products(body)
  }
}

@c @implementation
public func tg_cover(
  _ config: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(config, request, count, out) { (config, body) throws(RequestError) in
    try config.cover(body)
  }
}

@c @implementation
public func tg_diff(
  _ from: OpaquePointer?, _ to: OpaquePointer?, _ request: UnsafePointer<CChar>?, _ count: Int,
  _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    let (old, new) = (try config(from, "from"), try config(to, "to"))
    let body = try TollgateC.request(request, count)
    let value = try asking { () throws(RequestError) in try old.difference(to: new, body) }
    return Array(value.json.utf8)
  }
}

// MARK: One expression

@c @implementation
public func tg_evaluate(
  _ request: UnsafePointer<CChar>?, _ count: Int, _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    let body = try bytes(request, count, "request")
    let value = try asking { () throws(RequestError) in
      // Each level of a value can take two levels of nesting in the request.
      let context = try JSONRequest(body, nesting: 2 * Limits().dataNesting, name: "the request")
      return try SuperscriptEvaluation.answer(context.value)
    }
    return Array(value.json.utf8)
  }
}
