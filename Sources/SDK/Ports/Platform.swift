/// Whose rules apply where the platforms differ.
public enum Platform: String, Hashable, Sendable {
  case iOS = "ios"
  case android
}
