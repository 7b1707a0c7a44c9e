internal import Expressions

/// The files that cases refer to: looked for beside the case file, then in the folder given with
/// `--support`, then among those that the tool carries.
final class CaseCompanions {
  private let folders: [String]
  private var known: [String: Value] = [:]

  /// - Parameters:
  ///   - caseFile: the path of the file with the cases.
  ///   - support: a folder, or nil.
  init(caseFile: String, support: String? = nil) {
    let folder = caseFile.lastIndex(of: "/").map { String(caseFile[...$0]) } ?? "./"
    folders = [folder] + [support].compactMap { $0 }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
  }

  /// The content of a file, read once.
  func value(_ name: String) throws(CaseFileError) -> Value {
    if let value = known[name] { return value }
    let value = try read(name)
    known[name] = value
    return value
  }

  private func read(_ name: String) throws(CaseFileError) -> Value {
    for folder in folders {
      guard let bytes = try? FileText.read(folder + name) else { continue }
      return try parse(bytes, folder + name)
    }
    if let carried = CarriedCompanions.text(name) { return try parse(Array(carried.utf8), name) }
    throw CaseFileError(
      message: "\(name) is missing: it is neither in \(folders.joined(separator: " nor in ")); "
        + "give its folder with --support")
  }

  private func parse(_ bytes: [UInt8], _ path: String) throws(CaseFileError) -> Value {
    do throws(JSONFault) {
      return try Value.parse(json: bytes)
    } catch {
      throw CaseFileError(message: "\(path): \(error.message) at byte \(error.offset)")
    }
  }
}

/// Copies of small companion files, so that case files can be run without them. A test holds them
/// against the corpus.
enum CarriedCompanions {
  static func text(_ name: String) -> String? {
    name == "pricing-fixtures.json" ? pricingFixtures : nil
  }

  private static let pricingFixtures = #"""
    {"@android-fixture":[
    {"basePlanId":"test-2","offerId":"free-trial-offer","tags":[],"phases":[{"price":"0","iso8601":"P1M","cycles":1},{"price":"9.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-2","offerId":"free-trial-one-week","tags":[],"phases":[{"price":"0","iso8601":"P1W","cycles":1},{"price":"9.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-2","offerId":"ignored-offer","tags":["sw-ignore-offer"],"phases":[{"price":"0","iso8601":"P1Y","cycles":1},{"price":"9.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-2","offerId":"trial-and-paid-offer","tags":[],"phases":[{"price":"0","iso8601":"P1M","cycles":1},{"price":"2.99","iso8601":"P1M","cycles":1},{"price":"9.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-2","offerId":"","tags":[],"phases":[{"price":"9.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-3","offerId":"paid-offer","tags":[],"phases":[{"price":"1.99","iso8601":"P1M","cycles":1},{"price":"2.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-3","offerId":"paid-offer-2","tags":[],"phases":[{"price":"5.99","iso8601":"P1Y","cycles":1},{"price":"2.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-3","offerId":"","tags":[],"phases":[{"price":"2.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"com-ui-tests-quarterly2","offerId":"base-plan-free-trial","tags":[],"phases":[{"price":"0","iso8601":"P1M","cycles":1},{"price":"18.99","iso8601":"P3M","cycles":0}]},
    {"basePlanId":"com-ui-tests-quarterly2","offerId":"","tags":[],"phases":[{"price":"18.99","iso8601":"P3M","cycles":0}]},
    {"basePlanId":"test-4","offerId":"paid-offer","tags":[],"phases":[{"price":"6.74","iso8601":"P1M","cycles":3},{"price":"8.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-4","offerId":"","tags":[],"phases":[{"price":"8.99","iso8601":"P1M","cycles":0}]},
    {"basePlanId":"test-5","offerId":"","tags":[],"phases":[{"price":"3.99","iso8601":"P1Y","cycles":0}]}
    ]}
    """#
}
