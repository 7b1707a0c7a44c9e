package import Expressions
package import Pricing

/// The SDK that decides: the newest SDK, a fixed version, or the SDK in each user's record.
package enum SDKSelection: Hashable, Sendable {
  /// The newest SDK of the requested platform.
  case newest
  /// A version of the requested platform, for every user.
  case version(SDKVersion, SDKProfile.Packaging)
  /// A version for the platform of each user's device. Platforms without a version use the newest SDK.
  case versions([SDKName: Pinned])
  /// The SDK that each user's record reports.
  case record
  /// The same after an update. Newer SDKs stay, and SDKs of platforms without a version.
  indirect case updated(SDKSelection)

  package struct Pinned: Hashable, Sendable {
    package var version: SDKVersion
    package var packaging: SDKProfile.Packaging
  }

  /// The reason why a string is not a valid selection.
  package struct Fault: Error {
    package let message: String
  }

  /// Reads `newest`, `record`, `4.12.5`, `4.12.5+pods`, or `ios=4.12.5,android=2.6.8`.
  package init(_ text: String) throws(Fault) {
    switch text {
    case "newest": self = .newest
    case "record": self = .record
    default:
      guard text.contains("=") else {
        let pinned = try Self.pinned(text)
        self = .version(pinned.version, pinned.packaging)
        return
      }
      var versions: [SDKName: Pinned] = [:]
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let sdk = SDKName(rawValue: String(sides[0])) else {
          throw Fault(
            message: "'\(part)' is not an SDK with a version; write for example ios=4.12.5")
        }
        guard versions[sdk] == nil else {
          throw Fault(message: "'\(text)' gives a version for \(sdk.rawValue) twice")
        }
        versions[sdk] = try Self.pinned(String(sides[1]))
      }
      self = .versions(versions)
    }
  }

  private static func pinned(_ text: String) throws(Fault) -> Pinned {
    let isPod = text.hasSuffix("+pods")
    guard let version = SDKVersion(text), isPod || !text.contains("+") else {
      throw Fault(
        message: "'\(text)' is not an SDK version; write newest, record, a version such as 4.12.5, "
          + "or ios=4.12.5,android=2.6.8")
    }
    return Pinned(version: version, packaging: isPod ? .pods : .swiftPM)
  }

  /// The form that ``init(_:)`` reads.
  package var text: String {
    func text(_ pinned: Pinned) -> String {
      "\(pinned.version)" + (pinned.packaging == .pods ? "+pods" : "")
    }
    switch self {
    case .newest: return "newest"
    case .record: return "record"
    case .updated(let target): return "record..\(target.text)"
    case .version(let version, let packaging):
      return text(Pinned(version: version, packaging: packaging))
    case .versions(let versions):
      return SDKName.allCases.compactMap { sdk in
        versions[sdk].map { "\(sdk.rawValue)=\(text($0))" }
      }.joined(separator: ",")
    }
  }

  /// Reads two selections as `4.11.2..4.16.2`.
  package static func range(_ text: String) throws(Fault) -> (old: SDKSelection, new: SDKSelection)
  {
    guard let dots = text.firstRange(of: "..") else {
      throw Fault(message: "'\(text)' is not a range of SDK versions; write 4.11.2..4.16.2")
    }
    let (old, new) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let (from, to) = (
      try SDKSelection(String(old)), try SDKSelection(new.isEmpty ? "newest" : String(new))
    )
    return (from, from == .record && to != .record ? .updated(to) : to)
  }

  /// The SDK that users of an SDK have after an update to the selection; nil if theirs is not older.
  ///
  /// - Parameter usual: the platform of a version without a platform.
  package func update(of profile: SDKProfile, usual: SDKName) -> SDKProfile? {
    guard let old = profile.version else { return nil }
    let target: Pinned?
    switch self {
    case .newest, .record, .updated:
      let newest = SDKProfile(profile.sdk)
      return newest.known > old ? newest : nil
    case .version(let version, let packaging):
      target =
        profile.sdk == usual ? Pinned(version: version, packaging: packaging) : nil
    case .versions(let versions): target = versions[profile.sdk]
    }
    guard let target, target.version > old else { return nil }
    return SDKProfile(
      profile.sdk, target.version, target.packaging == .pods ? .pods : profile.packaging)
  }

  /// Whether the selection depends on users' records.
  package var readsRecords: Bool {
    switch self {
    case .newest, .version: false
    case .versions, .record, .updated: true
    }
  }

  /// The SDK for users whose records do not name an SDK.
  ///
  /// - Parameter usual: the SDK of the requested platform.
  package func profile(usual: SDKName) -> SDKProfile {
    switch self {
    case .newest, .record, .updated: SDKProfile(usual)
    case .version(let version, let packaging): SDKProfile(usual, version, packaging)
    case .versions(let versions): profile(usual, in: versions)
    }
  }

  /// The selected version of an SDK. Nil if users' records or the newest SDK decide.
  package func version(of sdk: SDKName) -> SDKVersion? {
    switch self {
    case .newest, .record, .updated: nil
    case .version(let version, _): version
    case .versions(let versions): versions[sdk]?.version
    }
  }

  private func profile(_ sdk: SDKName, in versions: [SDKName: Pinned]) -> SDKProfile {
    versions[sdk].map { SDKProfile(sdk, $0.version, $0.packaging) } ?? SDKProfile(sdk)
  }

  /// The SDK of a user.
  ///
  /// - Parameters:
  ///   - device: the SDK data of the user's record.
  ///   - usual: the platform of users whose records name no platform.
  package func choice(_ device: DeviceSDK, usual: SDKName) -> Choice {
    if case .newest = self { return Choice(profile: profile(usual: usual)) }
    if case .version = self { return Choice(profile: profile(usual: usual)) }
    if case .updated(let target) = self {
      var choice = SDKSelection.record.choice(device, usual: usual)
      choice.profile = target.update(of: choice.profile, usual: usual) ?? choice.profile
      return choice
    }
    let isOwn = usual == .agentWallie
    let named = isOwn ? usual : device.platform.flatMap { SDKName(devicePlatform: $0) }
    let sdk = named ?? usual
    let odd = named == nil ? device.platform.map { Choice.Problem.platform($0, as: usual) } : nil
    if case .versions(let versions) = self {
      return Choice(profile: profile(sdk, in: versions), problem: odd)
    }
    let texts = [device.version, device.paddedVersion].compactMap { $0 }
    guard let version = texts.compactMap({ SDKVersion($0) }).first else {
      let problem = texts.first.map { Choice.Problem.unreadable($0) } ?? .missing
      return Choice(profile: SDKProfile(sdk), problem: odd ?? problem)
    }
    let profile = SDKProfile(sdk, version, device.hasWrapper ? .pods : .swiftPM)
    let isNew = version > SDKFacts.newest(sdk).notes
    return Choice(
      profile: profile, problem: odd ?? (isNew ? .newer("\(sdk.rawValue) \(version)") : nil))
  }

  /// The SDK of a user, and any problem with the data of the record.
  package struct Choice: Hashable, Sendable {
    package var profile: SDKProfile
    package var problem: Problem?

    package enum Problem: Hashable, Sendable {
      /// The record has no version.
      case missing
      case unreadable(String)
      /// The version is newer than all known versions.
      case newer(String)
      /// A platform that no SDK sends, and the SDK that is used instead.
      case platform(String, as: SDKName)
    }
  }
}

/// The data in a user's record about the SDK on the device.
package struct DeviceSDK: Hashable, Sendable {
  package var platform: String?
  package var version: String?
  package var paddedVersion: String?
  /// Whether a framework such as Expo or Flutter wraps the SDK. A wrapped SDK is installed as a pod.
  package var hasWrapper = false

  package init() {}

  /// Reads the members of `device`.
  package init(device: Value?) {
    func text(_ name: String) -> String? { device?[name]?.sdkText }
    platform = text("platform")
    version = text("sdkVersion")
    paddedVersion = text("sdkVersionPadded")
    hasWrapper = text("platformWrapper") != nil || text("platform_wrapper") != nil
  }
}

extension Value {
  /// The value as a string, or nil for null and the empty string. Some exports contain versions as numbers.
  package var sdkText: String? {
    if self == .null { return nil }
    let text = text ?? json
    return text.isEmpty ? nil : text
  }
}

extension PricingContext {
  /// Divides prices as the selected SDK versions do. A version without a platform is an iOS version.
  package mutating func follow(_ selection: SDKSelection) {
    iosEra = selection.profile(usual: .ios).priceEra
    if case .version = selection { return }
    androidEra = selection.profile(usual: .android).priceEra
  }
}
