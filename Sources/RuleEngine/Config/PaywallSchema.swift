package import Expressions

/// A paywall that the SDK draws natively, as AgentWallie's configs describe it.
package struct PaywallSchema: Hashable, Sendable {
  /// How the paywall is shown and closed. Every setting has a default.
  package struct Settings: Hashable, Sendable {
    package enum Presentation: String, Hashable, Sendable, CaseIterable {
      case modal, fullscreen, sheet, inline
    }

    package var presentation: Presentation
    package var hasCloseButton: Bool
    /// Milliseconds until the close button appears.
    package var closeButtonDelay: Int
    package var backgroundColor: String
    package var isScrollEnabled: Bool
    package var respectsSafeArea: Bool
    package var closeButtonStyle: String?
    /// The colours and direction of the gradient, unchanged from the config.
    package var backgroundGradient: Value?

    package init(
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

  /// Colours, corners and fonts that components and texts refer to. Every value has a default.
  package struct Theme: Hashable, Sendable {
    package var background = "#FFFFFF"
    package var primary = "#007AFF"
    package var secondary = "#5856D6"
    package var textPrimary = "#000000"
    package var textSecondary = "#6B7280"
    package var accent = "#34C759"
    package var surface = "#F2F2F7"
    package var cornerRadius = 12.0
    package var fontFamily = "system"
    /// The fonts that the config names, by use: `display`, `heading`, `body` and `mono`.
    package var fontFamilies: [String: String]?

    package init() {}

    /// The value that conditions and texts read below `theme`.
    package var value: Value {
      .object([
        "background": .string(background), "primary": .string(primary),
        "secondary": .string(secondary), "text_primary": .string(textPrimary),
        "text_secondary": .string(textSecondary), "accent": .string(accent),
        "surface": .string(surface), "corner_radius": .double(cornerRadius),
        "font_family": .string(fontFamily),
      ])
    }
  }

  package var version: String
  package var name: String
  package var settings: Settings
  package var theme: Theme?
  package var slots: [ProductSlot]
  /// The components of the config, completed by the defaults of their types. Components of unknown types stay
  /// unchanged.
  package var components: [Value]
  /// The complete schema, unchanged from the config.
  package var json: Value

  package init(
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
  /// The known types of components. Components of other types stay unchanged.
  package static let componentTypes = [
    "text", "image", "cta_button", "product_picker", "feature_list", "link_row", "spacer",
    "divider", "stack", "countdown_timer", "video", "drawer", "carousel", "slides", "toggle",
    "survey", "custom_view", "badge", "rating",
  ]

  /// The types of components that contain other components under `children`.
  static let containerTypes = ["stack", "drawer", "carousel"]

  /// Default properties by type, for components whose config omits them.
  private static let defaults: [String: [(key: String, value: Value)]] = [
    "product_picker": [("show_price", true)]
  ]

  /// Completes a component and its nested components by the defaults of their types.
  static func withDefaults(_ value: Value) -> Value {
    switch value {
    case .list(let elements): return .list(elements.map(withDefaults))
    case .map(var entries):
      for i in entries.indices { entries[i].value = withDefaults(entries[i].value) }
      guard let type = value["type"]?.text, let defaults = defaults[type] else {
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

  /// The possible actions of a tap.
  package static let actions = [
    "none", "purchase", "select_product", "restore", "close", "open_url", "custom_action",
    "custom_placement", "navigate_page", "request_review",
  ]

  /// The argument of a button's action: the product to buy or to select (by default the selected product), the name of
  /// an action or a placement, or a URL. Nil for actions without an argument.
  ///
  /// - Parameter props: the component's properties, including `action` and its argument.
  package static func actionParameter(_ props: Value) -> String? {
    func text(_ key: String) -> String? {
      props[key]?.text
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
