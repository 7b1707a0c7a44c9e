/// What `tollgate init` writes for Superwall's static config.
enum SuperwallStarter {
  static let config = #"""
    {
      "build_id": "1",
      "log_level": 10,
      "app_session_timeout_ms": 3600000,
      "postback": {},
      "toggles": [],
      "disable_preload": {"all": false, "triggers": []},
      "localization": {"locales": []},
      "trigger_options": [
        {
          "event_name": "onboarding_done",
          "rules": [
            {
              "experiment_id": "101",
              "experiment_group_id": "1",
              "expression_cel": "device.subscriptionStatus != \"ACTIVE\"",
              "preload": {"behavior": "ALWAYS"},
              "variants": [
                {
                  "variant_id": "1011",
                  "variant_type": "TREATMENT",
                  "percentage": 40,
                  "paywall_identifier": "yearly"
                },
                {
                  "variant_id": "1012",
                  "variant_type": "TREATMENT",
                  "percentage": 40,
                  "paywall_identifier": "monthly"
                },
                {
                  "variant_id": "1013",
                  "variant_type": "HOLDOUT",
                  "percentage": 20
                }
              ]
            }
          ]
        },
        {
          "event_name": "export_tapped",
          "rules": [
            {
              "experiment_id": "201",
              "experiment_group_id": "2",
              "expression_cel": "has(user.plan) && user.plan == \"free\" && has(params.pages) && params.pages > 20",
              "preload": {"behavior": "NEVER"},
              "variants": [
                {
                  "variant_id": "2011",
                  "variant_type": "TREATMENT",
                  "percentage": 100,
                  "paywall_identifier": "yearly"
                }
              ]
            },
            {
              "experiment_id": "202",
              "experiment_group_id": "2",
              "expression_cel": "has(user.plan) && user.plan == \"free\" && device.daysSinceInstall >= 7",
              "occurrence": {
                "key": "export_weekly",
                "max_count": 1,
                "interval": {"type": "MINUTES", "minutes": 10080}
              },
              "preload": {"behavior": "NEVER"},
              "variants": [
                {
                  "variant_id": "2021",
                  "variant_type": "TREATMENT",
                  "percentage": 100,
                  "paywall_identifier": "monthly"
                }
              ]
            }
          ]
        }
      ],
      "paywall_responses": [
        {
          "id": "1",
          "identifier": "yearly",
          "name": "Yearly, with a trial",
          "build_id": "1",
          "cache_key": "1",
          "url": "https://paywalls.example/yearly",
          "url_config": {"endpoints": [], "max_attempts": 1},
          "paywalljs_event": "",
          "background_color_hex": "#FFFFFF",
          "presentation_style_v2": "MODAL",
          "presentation_style_v3": {"type": "MODAL"},
          "presentation_delay": 0,
          "presentation_condition": "CHECK_USER_SUBSCRIPTION",
          "products_v2": [
            {
              "reference_name": "primary",
              "sw_composite_product_id": "com.example.app.yearly",
              "store_product": {"store": "APP_STORE", "product_identifier": "com.example.app.yearly"},
              "entitlements": [{"identifier": "pro", "type": "SERVICE_LEVEL"}]
            }
          ]
        },
        {
          "id": "2",
          "identifier": "monthly",
          "name": "Monthly",
          "build_id": "1",
          "cache_key": "1",
          "url": "https://paywalls.example/monthly",
          "url_config": {"endpoints": [], "max_attempts": 1},
          "paywalljs_event": "",
          "background_color_hex": "#FFFFFF",
          "presentation_style_v2": "MODAL",
          "presentation_style_v3": {"type": "MODAL"},
          "presentation_delay": 0,
          "presentation_condition": "CHECK_USER_SUBSCRIPTION",
          "products_v2": [
            {
              "reference_name": "primary",
              "sw_composite_product_id": "com.example.app.monthly",
              "store_product": {"store": "APP_STORE", "product_identifier": "com.example.app.monthly"},
              "entitlements": [{"identifier": "pro", "type": "SERVICE_LEVEL"}]
            }
          ]
        }
      ],
      "products": []
    }

    """#

  /// Who they are: dia has reached a limit, fay has bought, hao has a variant from before.
  static let users = #"""
    {"userId":"ada","user":{"plan":"free"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":0},"params":{"pages":3}}
    {"userId":"ben","user":{"plan":"free"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":2},"params":{"pages":48}}
    {"userId":"cem","user":{"plan":"free"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":12},"params":{"pages":5}}
    {"userId":"dia","user":{"plan":"free"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":30},"params":{"pages":2},"occurrences":{"export_weekly":["2026-02-27T18:30:00Z"]}}
    {"userId":"eva","user":{"plan":"free"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":45},"params":{"pages":8},"occurrences":{"export_weekly":["2026-02-10T09:15:00Z"]}}
    {"userId":"fay","user":{"plan":"pro"},"device":{"subscriptionStatus":"ACTIVE","daysSinceInstall":90},"params":{"pages":120}}
    {"userId":"gus","user":{"plan":"trial"},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":5},"params":{"pages":60}}
    {"userId":"hao","user":{},"device":{"subscriptionStatus":"INACTIVE","daysSinceInstall":60},"params":{"pages":9},"assignments":[{"experimentId":"101","variantId":"1013"}]}

    """#

  static let expected = """
    user_id,placement,result,audience,experiment,variant,paywall,errors
    ada,onboarding_done,holdout,0,101,1013,,
    ada,export_tapped,noAudienceMatch,,,,,
    ben,onboarding_done,paywall,0,101,1012,monthly,
    ben,export_tapped,paywall,0,201,2011,yearly,
    cem,onboarding_done,paywall,0,101,1011,yearly,
    cem,export_tapped,paywall,1,202,2021,monthly,
    dia,onboarding_done,paywall,0,101,1011,yearly,
    dia,export_tapped,noAudienceMatch,,,,,
    eva,onboarding_done,paywall,0,101,1011,yearly,
    eva,export_tapped,paywall,1,202,2021,monthly,
    fay,onboarding_done,noAudienceMatch,,,,,
    fay,export_tapped,noAudienceMatch,,,,,
    gus,onboarding_done,paywall,0,101,1012,monthly,
    gus,export_tapped,noAudienceMatch,,,,,
    hao,onboarding_done,holdout,0,101,1013,,
    hao,export_tapped,noAudienceMatch,,,,,

    """
}
