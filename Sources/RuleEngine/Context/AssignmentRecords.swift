/// Assignments of many subjects, by subject and experiment. IDs are never joined, so different pairs of IDs never share
/// an entry.
package struct AssignmentRecords: Hashable, Sendable {
  private struct Key: Hashable, Sendable {
    var subject: [UInt8]
    var experiment: [UInt8]

    init(_ subjectID: String, _ experimentID: String) {
      subject = Array(subjectID.utf8)
      experiment = Array(experimentID.utf8)
    }
  }

  private var records: [Key: Assignment] = [:]

  package init() {}

  /// Saves an assignment, which replaces the subject's previous assignment in the experiment.
  package mutating func save(_ assignment: Assignment, of subjectID: String) {
    records[Key(subjectID, assignment.experimentID)] = assignment
  }

  package func assignment(of subjectID: String, in experimentID: String)
    -> Assignment?
  {
    records[Key(subjectID, experimentID)]
  }

  /// All assignments of a subject, in the order of the experiments' IDs.
  package func assignments(of subjectID: String) -> [Assignment] {
    let subject = Array(subjectID.utf8)
    return records.filter { $0.key.subject == subject }
      .sorted { $0.key.experiment.lexicographicallyPrecedes($1.key.experiment) }.map { $0.value }
  }

  package mutating func remove(of subjectID: String, in experimentID: String) {
    records[Key(subjectID, experimentID)] = nil
  }

  package mutating func removeAll(of subjectID: String) {
    let subject = Array(subjectID.utf8)
    records = records.filter { $0.key.subject != subject }
  }

  package mutating func removeAll() { records = [:] }
}
