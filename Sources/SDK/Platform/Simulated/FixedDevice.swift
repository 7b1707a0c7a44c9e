/// A device whose facts do not change.
package struct FixedDevice: Device {
  package var facts: DeviceFacts

  package init(_ facts: DeviceFacts = DeviceFacts()) { self.facts = facts }
}
