package import Expressions
internal import RuleEngine

/// The diagnostics for claims. Each problem is reported once, at its position.
package enum ClaimFindings {
  private static let offerKinds: Set<Claim.Kind> = [
    .free, .trial, .noPayment, .length, .offerPrice, .then, .end,
  ]

  /// Findings about the claims of one text.
  package static func diagnostics(
    _ result: ClaimCheck.Result, in source: String, isNative: Bool = false
  ) -> [Diagnostic] {
    let failing = result.claims.filter { $0.fails }
    var groups: [(first: Claim, others: [Claim])] = []
    var seen: Set<String> = []
    for claim in failing.filter({ !$0.isForIneligibleOnly })
      + failing.filter({ $0.isForIneligibleOnly })
    {
      // In a sentence about one offer, the first problem implies the other problems.
      let subject = offerKinds.contains(claim.kind) ? "offer" : claim.kind.rawValue
      guard seen.insert("\(subject) \(claim.product) \(claim.slot) \(sentence(claim))").inserted
      else {
        continue
      }
      if let place = groups.firstIndex(where: {
        $0.first.kind == claim.kind && $0.first.range == claim.range
          && $0.first.isForIneligibleOnly == claim.isForIneligibleOnly
      }) {
        groups[place].others.append(claim)
      } else {
        groups.append((claim, []))
      }
    }
    var found = groups.map { diagnostic($0.first, $0.others, isNative: isNative) }
    for gap in [result.unchecked, result.isInKnownLanguage == false ? result.gap : nil] {
      guard let gap, found.last?.message != gap else { continue }
      found.append(
        Diagnostic(
          .uncheckedClaim, gap, severity: .note,
          range: SourceRange(from: 0, to: min(1, source.utf8.count)),
          suggestion: gap == result.unchecked ? nil : "pass the words with --claim-words"))
    }
    return found.sorted { ($0.range?.from ?? 0) < ($1.range?.from ?? 0) }
  }

  private static func sentence(_ claim: Claim) -> String {
    claim.kind == .value ? "\(claim.range.from)-\(claim.range.to)" : claim.sentence
  }

  private static func diagnostic(_ claim: Claim, _ others: [Claim], isNative: Bool) -> Diagnostic {
    guard case .fails(let reason) = claim.verdict else {
      return Diagnostic(.falseClaim, "", range: claim.range)
    }
    let words = shortened(claim.words.trimmed)
    let code: Diagnostic.Code =
      claim.isForIneligibleOnly
      ? .ineligibleClaim
      : claim.kind == .value
        ? .noValue : claim.kind == .language || claim.kind == .style ? .mixedFormats : .falseClaim
    var message =
      claim.kind == .value || code == .mixedFormats ? reason : "says '\(words)'; \(reason)"
    if claim.isForIneligibleOnly { message += ", for users that are not eligible for the offer" }
    var notes: [String] = []
    if let selected = claim.selected { notes.append("seen when '\(selected)' is selected") }
    for other in others.prefix(9) {
      if case .fails(let reason) = other.verdict { notes.append(reason) }
    }
    if others.count > 9 { notes.append("and \(others.count - 9) more products") }
    return Diagnostic(
      code, message, severity: claim.isForIneligibleOnly && isNative ? .note : .warning,
      range: claim.range, notes: notes, suggestion: advice(claim), subject: claim.product)
  }

  private static func shortened(_ words: String) -> String {
    words.count > 90 ? String(words.prefix(87)) + "..." : words
  }

  private static func advice(_ claim: Claim) -> String? {
    let slot = claim.slot.isEmpty ? "selected" : claim.slot
    if claim.isForIneligibleOnly {
      return offerKinds.contains(claim.kind) || claim.kind == .price || claim.kind == .savings
        ? "put it inside '{% if products.hasIntroductoryOffer %}', because the product alone "
          + "says nothing about the user"
        : nil
    }
    switch claim.kind {
    case .free, .noPayment: return "put it inside '{% if products.\(slot).isTrialFree %}'"
    case .value:
      return
        "test it with '{% if products.\(slot).period != \"\" %}', or write a different text for this product"
    case .cancel, .renewal: return "use this text only for subscriptions that renew"
    default: return nil
    }
  }
}
