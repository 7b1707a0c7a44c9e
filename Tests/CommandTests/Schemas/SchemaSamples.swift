import Expressions
import RuleEngine

/// Configs that have between them every key that a reader reads.
enum SchemaSamples {
  static func all(_ format: Config.Format) -> [String] {
    format == .superwall ? superwallSamples : [wallieCampaigns, walliePaywalls]
  }

  /// What a reader passes over in a config: of keys that mean the same one wins.
  static func isUnread(_ change: String, in config: Value) -> Bool {
    change.hasPrefix(".products = ") && config["products_v3"] != nil
      || change.hasPrefix(".products[0].period ")
  }

  static func superwall(rules: String = "", paywalls: String = "", more: String = "") -> String {
    """
    {"build_id":"b","log_level":10,"app_session_timeout_ms":1,
     "toggles":[{"key":"k","enabled":true}],"products":[],"postback":{},"disable_preload":{"all":false,"triggers":["t"]},
     "localization":{"locales":[{"locale":"en"}]},"paywall_responses":[\(paywalls)],\(more)
     "trigger_options":[{"event_name":"p","rules":[\(rules)]}]}
    """
  }

  private static let superwallSamples = [
    superwall(more: settings), superwall(rules: rules),
    superwall(
      paywalls: paywall(
        style: #"{"type":"DRAWER","height":60,"corner_radius":12}"#,
        products: #""products":[{"product_id":"x","product":"primary"}]"#)),
    superwall(
      paywalls: paywall(
        style: #"{"type":"POPUP","height":60,"width":80,"corner_radius":12}"#,
        products: #""products_v2":[\#(product)]"#)),
    superwall(
      paywalls: paywall(
        style: #"{"type":"MODAL","height":60}"#, products: #""products_v3":[\#(product)]"#,
        eligibility: "introductory_offer_eligibility")),
    // Android's list, which is read where there is no other.
    superwall().replacing(#""products":[]"#, with: #""products":[\#(product)]"#),
  ]

  private static let product = #"""
    {"reference_name":"primary","sw_composite_product_id":"x","store_product":{
     "product_identifier":"x","store":"APP_STORE","trial_days":7,"billing_plan_type":"MONTHLY"},
     "entitlements":[{"identifier":"pro","type":"SERVICE_LEVEL"}]}
    """#

  private static let settings = #"""
    "attribution_options":{"apple_search_ads":{"enabled":true}},"products_v3":[],
    "web2app_config":{"entitlements_max_age_ms":1000,"restore_access_url":"https://a.example",
     "url_schema":"a"},"ios_app_id":"1","bundle_id_config":"a.b","prioritized_campaign_id":"c",
    "test_mode_user_ids":[{"type":"userId","value":"u"}],"application":{"name":"A","icon_url":"i"},
    "requestId":"r",
    """#

  private static let rules = #"""
    {"experiment_id":"e","experiment_group_id":"g","expression_cel":"true",
     "preload":{"behavior":"IF_TRUE","requires_re_evaluation":false},
     "occurrence":{"key":"k","max_count":1,"interval":{"type":"MINUTES","minutes":60}},
     "computed_properties":[{"type":"DAYS_SINCE","event_name":"app_open"}],
     "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":50,
      "paywall_identifier":"pw"},{"variant_id":"h","variant_type":"HOLDOUT","percentage":50}]},
    {"experiment_id":"f","experiment_group_id":"g","expression":"x","expression_js":"y",
     "occurrence":{"key":"k","max_count":1,"interval":{"type":"INFINITY"}},
     "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100,
      "paywall_identifier":"pw"}]}
    """#

  static func paywall(
    style: String, products: String = #""products":[]"#,
    eligibility: String = "intro_offer_eligibility"
  ) -> String {
    #"""
    {"id":"1","identifier":"pw","name":"P","cache_key":"c","build_id":"b","url":"https://a.example",
     "url_config":{"endpoints":[{"url":"u","timeout_ms":1,"percentage":100}],"max_attempts":3},
     "paywalljs_event":"e","presentation_style":"MODAL","presentation_style_v2":"MODAL",
     "presentation_style_v3":\#(style),"presentation_delay":0,"presentation_condition":"ALWAYS",
     "background_color_hex":"#fff","dark_background_color_hex":"#000",\#(products),
     "feature_gating":"GATED","on_device_cache":"ENABLED","reroute_back_button":"DISABLED",
     "is_scroll_enabled":true,"\#(eligibility)":"AUTOMATIC","manifest":{},
     "computed_properties":[{"type":"DAYS_SINCE","event_name":"app_open"}],
     "surveys":[{"id":"1","assignment_key":"k","title":"t","message":"m",
      "presentation_condition":"ON_PURCHASE","options":[{"id":"1","title":"a"}],
      "presentation_probability":0.5,"include_other_option":true,"include_close_option":false}],
     "local_notifications":[{"id":"n","type":"TRIAL_STARTED","title":"t","subtitle":"s","body":"b",
      "delay":1000}]}
    """#
  }

  // MARK: AgentWallie

  private static let wallieCampaigns = #"""
    {"paywalls":{},"products":[{"id":"y","name":"Y","store":"apple","store_product_id":"x.y",
      "entitlements":["pro"],"base_plan_id":"b","offer_ids":["o"],"display_price":"$1",
      "display_period":"month","period":"month"}],
     "campaigns":[{"id":"c","name":"C","status":"active","description":"d","notes":"n",
      "placements":[{"id":"p1","name":"p","type":"custom","status":"active"}],
      "audiences":[{"id":"a","name":"A","priority_order":1,"entitlement_check":"pro",
       "frequency_cap":{"type":"n_times_total","limit":2},
       "filters":[{"field":"user.plan","operator":"is","value":"free","conjunction":"and"},
        {"field":"user.age","operator":"exists","value":true}],
       "experiment":{"id":"e","name":"E","status":"running","holdout_percentage":0,
        "variants":[{"id":"v","name":"V","paywall_id":"pw","traffic_percentage":100}]}},
       {"id":"b","name":"B","priority_order":2,"frequency_cap":"once_per_day","filters":[]}]}]}
    """#

  private static let walliePaywalls = #"""
    {"campaigns":[],"paywalls":{"pw":{"version":"1","name":"P",
      "settings":{"presentation":"modal","close_button":true,"close_button_delay_ms":0,
       "background_color":"#fff","scroll_enabled":true,"safe_area_insets":true,
       "close_button_style":"x","background_gradient":{}},
      "theme":{"background":"#fff","primary":"#fff","secondary":"#fff","text_primary":"#fff",
       "text_secondary":"#fff","accent":"#fff","surface":"#fff","font_family":"system",
       "corner_radius":12,"font_families":{"display":"a","heading":"b","body":"c","mono":"d"}},
      "products":[{"slot":"primary","label":"L","product_id":"y"}],
      "components":[{"type":"stack","children":[{"type":"cta_button","props":{"action":"purchase",
       "links":[{"action":"close"}]}},{"type":"text"}]}]}}}
    """#
}
