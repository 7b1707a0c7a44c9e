internal import CivilTime

/// The store's charges and their dates. The timeline attributes are Tollgate's additions, with the same meaning in
/// every profile.
extension AttributeProducer {
  /// Writes `trialPhases`, `phases`, `chargedToday`, `firstChargeDate`, `renewsAt`, `endDateOfOffer` and
  /// `totalInFirstYear`. These attributes must be the last in a schema, because the slots of phases follow them.
  func writeTimeline(
    of product: PricedProduct, _ format: CurrencyFormat, to writer: inout AttributeWriter
  ) {
    let isEligible = context.mayHaveOffer(of: product) ?? true
    guard
      let timeline = try? PaymentTimeline(product, isEligible: isEligible, from: end.today)
    else {
      writer.add(int: 0)
      writer.add(phases: 0, from: 0)
      for _ in 0..<5 { writer.add("") }
      return
    }
    writer.add(int: Int64(timeline.offer.count))
    writer.add(phases: timeline.phases.count, from: writer.place + 6)
    let first = timeline.phases[0]
    write(
      first.mode == .free ? nil : first.displayPrice, timeline.chargedToday, format, to: &writer)
    write(timeline.firstPaid?.start, to: &writer)
    if timeline.renews {
      write(timeline.regular.displayPrice, timeline.regular.micros, format, to: &writer)
    } else {
      writer.add("")
    }
    write(timeline.offerEnd, to: &writer)
    if let total = try? timeline.totalInFirstYear() {
      writer.add(total, format)
    } else {
      writer.add("")
    }
    for phase in timeline.phases { write(phase, format, to: &writer) }
  }

  private func write(
    _ phase: PaymentPhase, _ format: CurrencyFormat, to writer: inout AttributeWriter
  ) {
    writer.add(phase.mode.rawValue)
    write(phase.displayPrice, phase.micros, format, isPhase: true, to: &writer)
    writer.add(plain: phase.micros)
    if let period = phase.period {
      writer.add { PeriodNames.writeEvery(period, to: &$0) }
    } else {
      writer.add("")
    }
    writer.add(int: Int64(phase.cycles ?? 0))
    if let length = phase.length {
      writer.add { device.periods.write(length, .long, to: &$0) }
    } else {
      writer.add("")
    }
    if let total = try? phase.total() { writer.add(total, format) } else { writer.add("") }
    write(phase.start, to: &writer)
    write(phase.end, to: &writer)
  }

  /// Writes a price: the store's own string, except on Android, where the SDK formats every price itself.
  private func write(
    _ text: String?, _ micros: Int64, _ format: CurrencyFormat, isPhase: Bool = false,
    to writer: inout AttributeWriter
  ) {
    guard let text, !profile.isAndroid else { return writer.add(micros, format) }
    // Caveats are about names of the schema, and members of phases are not in the schema.
    if !isPhase, !format.writes(micros, as: text) { writer.mark(.storeText, writer.place) }
    writer.add(text)
  }

  /// Writes a day in the profile's format for the end of a trial, or nothing if the day is nil.
  private func write(_ date: CivilDate?, to writer: inout AttributeWriter) {
    guard let date else { return writer.add("") }
    writer.add { (profile.isAndroid ? androidDate : device.dates).write(date, to: &$0) }
  }
}
