extension Config {
  /// Assigns variants to a subject when a config is applied, as the SDKs do after fetching one.
  ///
  /// A stored variant stays as long as its experiment still has that variant, whatever its weight is. Otherwise a new
  /// variant is chosen, which fails if the experiment has no variants. Assignments to experiments that are not in the
  /// config stay unchanged.
  ///
  /// In Superwall's configs, all placements of a campaign have the same rules, so only the rules of the campaign's
  /// first placement are read. A placement belongs to the campaign of its first audience.
  ///
  /// - Parameters:
  ///   - existing: the stored assignments.
  ///   - subjectID: the ID of the subject.
  ///   - assigner: returns the assigner for an experiment ID.
  /// - Returns: all assignments afterwards. New assignments are not yet sent to the server.
  public func chooseAssignments(
    existing: [Assignment], subjectID: String, assigner: (String) -> Assigner
  ) -> [Assignment] {
    var assignments = existing
    for audience in assignableAudiences where audience.experimentStatus == .running {
      let id = audience.experimentID
      let known = assignments.last { $0.experimentID.utf8.elementsEqual(id.utf8) }
      if let known, audience.hasVariant(known.variantID) { continue }
      assignments.removeAll { $0.experimentID.utf8.elementsEqual(id.utf8) }
      if let variant = audience.chooseVariant(subjectID: subjectID, assigner(id)) {
        assignments.append(
          Assignment(
            experimentID: id, variantID: variant.id, isSentToServer: false))
      }
    }
    return assignments
  }

  /// The audiences whose experiments get variants when a config is applied.
  private var assignableAudiences: [Audience] {
    guard format == .superwall else { return placements.flatMap({ $0.audiences }) }
    var seen: Set<[UInt8]> = []
    return placements.flatMap { placement -> [Audience] in
      guard let campaign = placement.audiences.first?.campaignID,
        seen.insert(Array(campaign.utf8)).inserted
      else { return [] }
      return placement.audiences
    }
  }

  /// Overwrites local assignments with the server's. Assignments to experiments or variants that are not in the config
  /// are ignored.
  public func transferAssignments(
    server: [Assignment], local: [Assignment]
  ) -> [Assignment] {
    var assignments = local
    let audiences = placements.flatMap { $0.audiences }
    for pair in server {
      let id = pair.experimentID
      let isKnown = audiences.contains {
        $0.experimentID.utf8.elementsEqual(id.utf8) && $0.hasVariant(pair.variantID)
      }
      guard isKnown else { continue }
      assignments.removeAll { $0.experimentID.utf8.elementsEqual(id.utf8) }
      assignments.append(
        Assignment(
          experimentID: id, variantID: pair.variantID, isSentToServer: true))
    }
    return assignments
  }

  /// The variant of an assignment, or nil if the config does not contain the variant.
  public func variant(of assignment: Assignment) -> Variant? {
    for audience in placements.flatMap({ $0.audiences })
    where audience.experimentID.utf8.elementsEqual(assignment.experimentID.utf8) {
      let variant = audience.variants.first {
        $0.id.utf8.elementsEqual(assignment.variantID.utf8)
      }
      if let variant { return variant }
    }
    return nil
  }
}

extension Audience {
  package func hasVariant(_ id: String) -> Bool {
    variants.contains { $0.id.utf8.elementsEqual(id.utf8) }
  }

  /// The variant that an assigner chooses for a subject, or nil if the audience has no variants.
  public func chooseVariant(subjectID: String, _ assigner: Assigner) -> Variant? {
    // SAFETY: Views of the two strings stay in their closures. Tests: AssignmentFlowTests,
    // AssignerTests.
    let weights = WeightTable(variants.map { $0.weight })
    var (experiment, subject) = (experimentID, subjectID)
    let draw = experiment.withUTF8 { experiment in
      subject.withUTF8 {
        assigner.draw(experiment: experiment, subject: $0, range: weights.drawRange)
      }
    }
    return weights.variant(draw: draw).map { variants[$0] }
  }
}
