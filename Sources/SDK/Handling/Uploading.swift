internal import Expressions
internal import RuleEngine

// MARK: Events for the backend's statistics

extension SDKState {
  /// Stores an event until the backend has it.
  mutating func collect(_ name: String, _ parameters: Value) {
    guard !settings.isAlone else { return }
    var event = CollectedEvent(
      id: newEventID(), name: name, parameters: parameters, createdAt: now)
    event.number = uploads.newNumber()
    event.apiKey = settings.apiKey
    outbox.add(.collect(event))
    guard uploads.isOn else { return }
    drop(uploads.add(event))
    scheduleUpload()
  }

  /// Begins uploads, including the events that an earlier process stored. Stored events of another app are dropped.
  mutating func beginUploading() {
    guard settings.trackingBehavior != .none else { return dropUploads() }
    let key = settings.apiKey
    drop(uploads.remove { !$0.apiKey.isEmpty && $0.apiKey != key })
    scheduleUpload()
  }

  /// Drops the waiting events, because uploads are now off.
  mutating func dropUploads() {
    drop(uploads.remove { _ in true })
    outbox.cancelTimer(.upload)
  }

  private mutating func drop(_ numbers: [Int]) {
    if !numbers.isEmpty { outbox.add(.dropEvents(numbers)) }
  }

  private mutating func scheduleUpload() {
    guard startup.phase == .configured, uploads.isOn, uploads.sending.isEmpty,
      !uploads.waiting.isEmpty
    else { return }
    if uploads.isFull { return upload() }
    if !outbox.armedTimers.contains(.upload) { outbox.startTimer(.upload, uploads.pause) }
  }

  /// Sends the oldest waiting events. Only one request runs at a time.
  mutating func upload() {
    guard startup.phase == .configured, uploads.isOn, uploads.sending.isEmpty,
      !uploads.waiting.isEmpty, !settings.isAlone
    else { return }
    outbox.cancelTimer(.upload)
    send(Endpoints.events(uploads.begin(), apiKey: settings.apiKey), for: .events, retries: 0)
  }

  /// Removes the events that the backend has accepted; all others are sent again.
  mutating func receiveUpload(_ outcome: Result<[UInt8], BackendError>) {
    switch outcome {
    case .success: drop(uploads.succeed())
    case .failure(.http(let status)) where [400, 413, 422].contains(status):
      let refused = uploads.refuse()
      drop(refused)
      if !refused.isEmpty {
        log(
          .error, .network,
          "an event is dropped: the backend rejects it",
          error: BackendError.http(status).message)
      }
    case .failure(let error):
      if uploads.failures == 0 {
        let message = "events could not be uploaded; they are stored and uploaded later"
        log(.warn, .network, message, error: error.message)
      }
      uploads.fail()
    }
    scheduleUpload()
  }
}
