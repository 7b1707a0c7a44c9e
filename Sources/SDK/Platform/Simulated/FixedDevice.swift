/// A device whose facts do not change.
public struct FixedDevice: Device {
  public var facts: DeviceFacts

  public init(_ facts: DeviceFacts = DeviceFacts()) { self.facts = facts }
}
