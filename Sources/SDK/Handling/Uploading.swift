internal import Expressions
internal import RuleEngine

// MARK: Events for the backend's statistics

extension SDKState {
  /// Keeps an event until the backend has it.
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

  /// There is somebody to upload to: what an earlier process kept is uploaded too. What it kept for
  /// somebody else's statistics is not.
  mutating func beginUploading() {
    guard settings.trackingBehavior != .none else { return dropUploads() }
    let key = settings.apiKey
    drop(uploads.remove { !$0.apiKey.isEmpty && $0.apiKey != key })
    scheduleUpload()
  }

  /// Forgets what waits: from now on nothing is to be uploaded.
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

  /// Sends the oldest of what waits. One request is on its way at a time.
  mutating func upload() {
    guard startup.phase == .configured, uploads.isOn, uploads.sending.isEmpty,
      !uploads.waiting.isEmpty, !settings.isAlone
    else { return }
    outbox.cancelTimer(.upload)
    send(Endpoints.events(uploads.begin(), apiKey: settings.apiKey), for: .events, retries: 0)
  }

  /// What the backend has accepted is not kept any more; everything else comes again.
  mutating func receiveUpload(_ outcome: Result<[UInt8], BackendError>) {
    switch outcome {
    case .success: drop(uploads.succeed())
    case .failure(.http(let status)) where [400, 413, 422].contains(status):
      let refused = uploads.refuse()
      drop(refused)
      if !refused.isEmpty {
        log(
          .error, .network,
          "an event is given up: the backend refuses it",
          error: BackendError.http(status).message)
      }
    case .failure(let error):
      if uploads.failures == 0 {
        let message = "events could not be uploaded; they are kept and uploaded later"
        log(.warn, .network, message, error: error.message)
      }
      uploads.fail()
    }
    scheduleUpload()
  }
}
