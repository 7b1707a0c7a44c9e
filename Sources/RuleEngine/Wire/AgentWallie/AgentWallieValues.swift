package import Expressions

/// The wire JSON of AgentWallie's model: the decoded values, completed by defaults.
extension AgentWallieModel {
  package var value: Value {
    .object([
      "campaigns": .list(campaigns.map { $0.value }),
      "paywalls": .map(
        paywalls.map { Value.Entry(key: .string($0.id), value: $0.schema.wireValue) }),
      "products": .list(products.map { $0.wireValue }),
    ])
  }
}

extension AgentWallieModel.Campaign {
  package var value: Value {
    .object([
      "id": .string(id), "name": .string(name), "status": .string(status.rawValue),
      "placements": .list(placements.map { $0.value }),
      "audiences": .list(audiences.map { $0.value }),
    ])
  }
}

extension AgentWallieModel.CampaignPlacement {
  package var value: Value {
    .object([
      "id": .string(id), "name": .string(name), "type": .string(kind.rawValue),
      "status": .string(status.rawValue),
    ])
  }
}

extension AgentWallieModel.CampaignAudience {
  package var value: Value {
    .members([
      "id": .string(id), "name": .string(name),
      "priority_order": priority == .max ? nil : .int(Int64(priority)),
      "filters": .list(filters.map { $0.wireValue }),
      "entitlement_check": entitlementCheck.map { .string($0) },
      "frequency_cap": cap?.value, "experiment": experiment?.value,
    ])
  }
}

extension AgentWallieModel.FrequencyCap {
  package var value: Value {
    .members(["type": .string(kind.rawValue), "limit": limit.map { .int(Int64($0)) }])
  }
}

extension AgentWallieModel.Experiment {
  package var value: Value {
    .object([
      "id": .string(id), "variants": .list(variants.map { $0.value }),
      "holdout_percentage": .wireNumber(holdoutPercentage), "status": .string(status.rawValue),
    ])
  }
}

extension AgentWallieModel.Variant {
  package var value: Value {
    .object([
      "id": .string(id), "paywall_id": .string(paywallID),
      "traffic_percentage": .wireNumber(trafficPercentage),
    ])
  }
}

extension Filter {
  package var wireValue: Value {
    .members([
      "field": .string(field), "operator": self.operator.map { .string($0.rawValue) },
      "value": value, "conjunction": conjunction.map { .string($0.rawValue) },
    ])
  }
}

extension ProductReference {
  package var wireValue: Value {
    let name = AgentWallieDecoder.stores.first { $0.store == store }?.name
    return .members([
      "id": .string(id), "name": self.name.map { .string($0) },
      "store": .string(name ?? store.rawValue), "store_product_id": .string(storeID),
      "entitlements": .list(entitlements.map { .string($0.id) }),
      "base_plan_id": basePlanID.map { .string($0) },
      "offer_ids": offerIDs.isEmpty ? nil : .list(offerIDs.map { .string($0) }),
      "display_price": displayPrice.map { .string($0) },
      "display_period": displayPeriod.map { .string($0) },
    ])
  }
}

extension ProductSlot {
  package var wireValue: Value {
    .members([
      "slot": .string(slot), "label": .string(label),
      "product_id": productID.map { .string($0) },
    ])
  }
}

extension PaywallSchema {
  package var wireValue: Value {
    .members([
      "version": .string(version), "name": .string(name), "settings": settings.wireValue,
      "theme": theme?.wireValue,
      "products": json["products"] == nil ? nil : .list(slots.map { $0.wireValue }),
      "components": .list(components.map(PaywallSchema.completed)),
    ])
  }

  /// Adds an empty list of children to a component that lacks the list.
  package static func completed(_ component: Value) -> Value {
    guard case .map(let entries) = component, let type = component["type"]?.text,
      containerTypes.contains(type), component["children"] == nil
    else { return component }
    return .map(entries + [Value.Entry(key: "children", value: .list([]))])
  }
}

extension PaywallSchema.Settings {
  package var wireValue: Value {
    .members([
      "presentation": .string(presentation.rawValue), "close_button": .bool(hasCloseButton),
      "close_button_delay_ms": .int(Int64(closeButtonDelay)),
      "background_color": .string(backgroundColor), "scroll_enabled": .bool(isScrollEnabled),
      "safe_area_insets": .bool(respectsSafeArea),
      "close_button_style": closeButtonStyle.map { .string($0) },
      "background_gradient": backgroundGradient,
    ])
  }
}

extension PaywallSchema.Theme {
  package var wireValue: Value {
    guard case .map(var entries) = value else { return value }
    if let fontFamilies {
      let families = fontFamilies.sorted { $0.key < $1.key }.map {
        Value.Entry(key: .string($0.key), value: .string($0.value))
      }
      entries.append(Value.Entry(key: "font_families", value: .map(families)))
    }
    return .map(entries)
  }
}

extension Value {
  /// A number for JSON. Whole numbers are written without a fraction.
  static func wireNumber(_ number: Double) -> Value {
    Int64(exactly: number).map { .int($0) } ?? .double(number)
  }
}

/// Decodes parts of AgentWallie's config, named by their type, and encodes them again.
package enum AgentWalliePart {
  /// - Returns: the part with its defaults, or nil if the part is unusable or its type is unknown, together with the
  ///   diagnostics.
  package static func decode(_ type: String, _ json: Value) -> Compilation<Value> {
    var decoder = AgentWallieDecoder()
    let element = ConfigElement(value: json, path: "")
    let value = decode(type, element, &decoder)
    return Compilation(output: value, diagnostics: decoder.log.diagnostics)
  }

  private static func decode(
    _ type: String, _ element: ConfigElement, _ decoder: inout AgentWallieDecoder
  ) -> Value? {
    switch type {
    case "config": decoder.model(element)?.value
    case "campaign": decoder.campaign(element)?.value
    case "placement": decoder.placement(element)?.value
    case "audience": decoder.audience(element)?.value
    case "filter": decoder.filter(element).wireValue
    case "frequency_cap": decoder.frequencyCap(element)?.value
    case "experiment": decoder.experiment(element)?.value
    case "variant": decoder.variant(element)?.value
    case "product": decoder.product(element)?.wireValue
    case "slot": decoder.slot(element)?.wireValue
    case "schema": decoder.schema(element)?.wireValue
    case "component": PaywallSchema.completed(decoder.component(element))
    case "settings": decoder.settings(element).wireValue
    case "theme": decoder.theme(element).wireValue
    case "font_families":
      .members(decoder.fontFamilies(element).mapValues { .string($0) })
    // Values that only matter for drawing a paywall are preserved unchanged.
    case "style", "gradient", "animation": element.isObject ? element.value : nil
    default: nil
    }
  }
}
