public import Expressions

/// A paywall that is drawn natively, as AgentWallie's configs describe it.
public struct PaywallSchema: Hashable, Sendable {
  /// How the paywall is shown and closed. Everything has a default.
  public struct Settings: Hashable, Sendable {
    public enum Presentation: String, Hashable, Sendable, CaseIterable {
      case modal, fullscreen, sheet, inline
    }

    public var presentation: Presentation
    public var hasCloseButton: Bool
    /// Milliseconds until the close button is there.
    public var closeButtonDelay: Int
    public var backgroundColor: String
    public var isScrollEnabled: Bool
    public var respectsSafeArea: Bool
    public var closeButtonStyle: String?
    /// Colours and direction, as the config has them.
    public var backgroundGradient: Value?

    public init(
      presentation: Presentation = .modal, hasCloseButton: Bool = true, closeButtonDelay: Int = 0,
      backgroundColor: String = "#FFFFFF", isScrollEnabled: Bool = true,
      respectsSafeArea: Bool = true, closeButtonStyle: String? = nil,
      backgroundGradient: Value? = nil
    ) {
      self.presentation = presentation
      self.hasCloseButton = hasCloseButton
      self.closeButtonDelay = closeButtonDelay
      self.backgroundColor = backgroundColor
      self.isScrollEnabled = isScrollEnabled
      self.respectsSafeArea = respectsSafeArea
      self.closeButtonStyle = closeButtonStyle
      self.backgroundGradient = backgroundGradient
    }
  }

  /// Colours, corners and fonts that components and texts refer to. Everything has a default.
  public struct Theme: Hashable, Sendable {
    public var background = "#FFFFFF"
    public var primary = "#007AFF"
    public var secondary = "#5856D6"
    public var textPrimary = "#000000"
    public var textSecondary = "#6B7280"
    public var accent = "#34C759"
    public var surface = "#F2F2F7"
    public var cornerRadius = 12.0
    public var fontFamily = "system"
    /// Fonts by use: `display`, `heading`, `body`, `mono`, as far as the config names them.
    public var fontFamilies: [String: String]?

    public init() {}

    /// What conditions and texts read below `theme`.
    public var value: Value {
      .object([
        "background": .string(background), "primary": .string(primary),
        "secondary": .string(secondary), "text_primary": .string(textPrimary),
        "text_secondary": .string(textSecondary), "accent": .string(accent),
        "surface": .string(surface), "corner_radius": .double(cornerRadius),
        "font_family": .string(fontFamily),
      ])
    }
  }

  public var version: String
  public var name: String
  public var settings: Settings
  public var theme: Theme?
  public var slots: [ProductSlot]
  /// The components as the config has them, with the defaults of their types; those of unknown types
  /// are kept as they are.
  public var components: [Value]
  /// The whole schema as the config has it.
  public var json: Value

  public init(
    version: String, name: String, settings: Settings = Settings(), theme: Theme? = nil,
    slots: [ProductSlot] = [], components: [Value] = [], json: Value = .map([])
  ) {
    self.version = version
    self.name = name
    self.settings = settings
    self.theme = theme
    self.slots = slots
    self.components = components
    self.json = json
  }
}

extension PaywallSchema {
  /// The types of components that are known; others are kept as they are.
  public static let componentTypes = [
    "text", "image", "cta_button", "product_picker", "feature_list", "link_row", "spacer",
    "divider", "stack", "countdown_timer", "video", "drawer", "carousel", "slides", "toggle",
    "survey", "custom_view", "badge", "rating",
  ]

  /// The types whose components have components of their own under `children`.
  static let containerTypes = ["stack", "drawer", "carousel"]

  /// Properties that a component of a type has although its config does not say so.
  private static let defaults: [String: [(key: String, value: Value)]] = [
    "product_picker": [("show_price", true)]
  ]

  /// A component with the defaults of its type, and so the components in it, wherever they stand.
  static func withDefaults(_ value: Value) -> Value {
    switch value {
    case .list(let elements): return .list(elements.map(withDefaults))
    case .map(var entries):
      for i in entries.indices { entries[i].value = withDefaults(entries[i].value) }
      guard case .string(let type)? = value["type"], let defaults = defaults[type] else {
        return .map(entries)
      }
      let place = entries.firstIndex { $0.key == "props" }
      var props: [Value.Entry] = []
      if let place {
        guard case .map(let written) = entries[place].value else { return .map(entries) }
        props = written
      }
      for (key, value) in defaults {
        props.removeAll { $0.key == .string(key) && $0.value == .null }
        if !props.contains(where: { $0.key == .string(key) }) {
          props.append(Value.Entry(key: .string(key), value: value))
        }
      }
      if let place {
        entries[place].value = .map(props)
      } else {
        entries.append(Value.Entry(key: "props", value: .map(props)))
      }
      return .map(entries)
    default: return value
    }
  }

  /// What a tap does.
  static let actions = [
    "none", "purchase", "select_product", "restore", "close", "open_url", "custom_action",
    "custom_placement", "navigate_page", "request_review",
  ]

  /// What a button hands to its action: the product to buy or to select (the selected one when
  /// none is named), the name of an action or a placement, a URL. Nil for actions that take
  /// nothing.
  ///
  /// - Parameter props: the component's properties, with `action` and what belongs to it.
  public static func actionParameter(_ props: Value) -> String? {
    func text(_ key: String) -> String? {
      if case .string(let text)? = props[key] { text } else { nil }
    }
    switch text("action") {
    case "purchase", "select_product": return text("product") ?? "selected"
    case "custom_action": return text("action_name")
    case "custom_placement": return text("placement_name")
    case "open_url": return text("url")
    default: return nil
    }
  }
}
