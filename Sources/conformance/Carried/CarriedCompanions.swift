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
