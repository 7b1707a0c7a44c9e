/// The version of everything that is built from this package. Rules and servers see it as that of the SDK.
package enum SDKVersion {
  package static let current = "0.2.0"
}
