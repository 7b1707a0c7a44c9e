internal import Expressions
internal import RuleEngine

/// The rendered texts for the users of a chunk, as members of their outcome lines.
struct BatchTexts: ~Copyable {
  // SAFETY: There is an initialized renderer for each paywall; `deinit` deinitializes and frees
  // them. Records are views into the chunk, dropped with the block and by `forget()`.
  // Tests: PrecomputeTextsTests, asan.

  /// For each choice of the plan's table, the index of the paywall's texts in the plan, or -1.
  private let paywallOf: [Int32]
  /// Whether the plan has texts. If this is false, no other member may be used.
  let isActive: Bool
  private let renderers: UnsafeMutablePointer<PaywallRenderer>
  private let count: Int
  private let placements: Int
  /// The records of the block's rows.
  private var records: [ByteView] = []
  private var bytes: [UInt8] = []
  /// For each user and placement, the range of the texts in ``bytes``.
  private var ranges: [Range<Int>] = []
  /// For each paywall, the texts of the current user, if already rendered.
  private var ofUser: [Range<Int>?]
  /// The number of errors, by text and reason.
  private(set) var errors: [String: Int] = [:]
  /// The maximum number of different errors that are counted separately.
  private static let errorLimit = 64

  init(_ plan: BatchPlan) {
    let texts = plan.writesOutcomes ? plan.texts : nil
    isActive = texts != nil
    count = texts?.paywalls.count ?? 0
    placements = plan.placements.count
    ofUser = Array(repeating: nil, count: count)
    renderers = .allocate(capacity: max(count, 1))
    for (number, paywall) in (texts?.paywalls ?? []).enumerated() {
      (renderers + number).initialize(
        to: PaywallRenderer(paywall, texts?.options ?? RenderOptions()))
    }
    paywallOf = texts.map { BatchTexts.paywalls(of: plan, $0) } ?? []
  }

  private static func paywalls(of plan: BatchPlan, _ texts: TextPlan) -> [Int32] {
    var paywallOf = Array(repeating: Int32(-1), count: plan.table.choices.count)
    for (number, rule) in plan.ruleSet.rules.enumerated() {
      let choices = plan.table.rules[number].variants
      for choice in choices {
        guard case .paywall(let experiment) = rule.outcome(Int(choice - choices.lowerBound)),
          let identifier = experiment.variant.paywallID, let index = texts.index(of: identifier)
        else { continue }
        paywallOf[Int(choice)] = Int32(index)
      }
    }
    return paywallOf
  }

  deinit {
    renderers.deinitialize(count: count)
    renderers.deallocate()
  }

  /// Stores the record of the block's next row. The bytes must stay in place while it is used.
  mutating func addRow(_ record: ByteView) {
    if isActive { records.append(record) }
  }

  /// Renders the texts for the rows of a block, and discards the texts of the previous block.
  mutating func render(_ block: borrowing BatchBlock) {
    guard isActive else { return }
    bytes.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    for row in 0..<block.count {
      for number in 0..<count { ofUser[number] = nil }
      for placement in 0..<placements {
        let choice = block.choices[placement &* BlockShape.rows &+ row]
        let paywall = Int(paywallOf[Int(choice)])
        guard paywall >= 0 else {
          ranges.append(0..<0)
          continue
        }
        ranges.append(ofUser[paywall] ?? render(paywall, row))
      }
    }
    records.removeAll(keepingCapacity: true)
  }

  private mutating func render(_ paywall: Int, _ row: Int) -> Range<Int> {
    let start = bytes.count
    let (renderer, record) = (renderers + paywall, records[row])
    var failed: [String] = []
    renderer.pointee.append(record, to: &bytes) { path, error in
      failed.append("\(path): \(error.message)")
    }
    for key in failed where errors[key] != nil || errors.count < BatchTexts.errorLimit {
      errors[key, default: 0] += 1
    }
    ofUser[paywall] = start..<bytes.count
    return start..<bytes.count
  }

  /// Drops the records.
  mutating func forget() {
    records.removeAll(keepingCapacity: true)
    if isActive { for number in 0..<count { renderers[number].forget() } }
  }

  /// Appends the member for the outcome of a user at a placement, if there is one.
  ///
  /// - Parameter number: the user's index times the number of placements, plus the placement's
  ///   index.
  func append(_ number: Int, to output: inout [UInt8]) { output += bytes[ranges[number]] }
}
