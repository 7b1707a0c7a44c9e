/// What `tollgate init` writes for AgentWallie's campaigns.
enum AgentWallieStarter {
  static let config = #"""
    {
      "campaigns": [
        {
          "id": "onboarding",
          "name": "Onboarding",
          "status": "active",
          "placements": [
            {"id": "onboarding-done", "name": "onboarding_done", "type": "custom", "status": "active"}
          ],
          "audiences": [
            {
              "id": "newcomers",
              "name": "Everybody without pro",
              "priority_order": 0,
              "entitlement_check": "pro",
              "filters": [],
              "experiment": {
                "id": "launch",
                "status": "running",
                "holdout_percentage": 20,
                "variants": [
                  {"id": "yearly-first", "paywall_id": "yearly", "traffic_percentage": 40},
                  {"id": "monthly-first", "paywall_id": "monthly", "traffic_percentage": 40}
                ]
              }
            }
          ]
        },
        {
          "id": "export",
          "name": "Export",
          "status": "active",
          "placements": [
            {"id": "export-tapped", "name": "export_tapped", "type": "custom", "status": "active"}
          ],
          "audiences": [
            {
              "id": "heavy",
              "name": "Free, many documents",
              "priority_order": 0,
              "filters": [
                {"field": "user.plan", "operator": "is", "value": "free"},
                {"field": "user.documents", "operator": "gt", "value": 20, "conjunction": "and"}
              ],
              "experiment": {
                "id": "export-heavy",
                "status": "running",
                "holdout_percentage": 0,
                "variants": [
                  {"id": "heavy-yearly", "paywall_id": "yearly", "traffic_percentage": 100}
                ]
              }
            },
            {
              "id": "free",
              "name": "Free, once a day",
              "priority_order": 1,
              "filters": [
                {"field": "user.plan", "operator": "is", "value": "free"}
              ],
              "frequency_cap": {"type": "once_per_day"},
              "experiment": {
                "id": "export-free",
                "status": "running",
                "holdout_percentage": 0,
                "variants": [
                  {"id": "free-monthly", "paywall_id": "monthly", "traffic_percentage": 100}
                ]
              }
            }
          ]
        }
      ],
      "paywalls": {
        "yearly": {
          "version": "1",
          "name": "Yearly, with a trial",
          "settings": {},
          "products": [{"slot": "primary", "product_id": "pro-yearly"}],
          "components": []
        },
        "monthly": {
          "version": "1",
          "name": "Monthly",
          "settings": {},
          "products": [{"slot": "primary", "product_id": "pro-monthly"}],
          "components": []
        }
      },
      "products": [
        {
          "id": "pro-yearly",
          "name": "Pro, yearly",
          "store": "apple",
          "store_product_id": "com.example.app.yearly",
          "entitlements": ["pro"]
        },
        {
          "id": "pro-monthly",
          "name": "Pro, monthly",
          "store": "apple",
          "store_product_id": "com.example.app.monthly",
          "entitlements": ["pro"]
        }
      ]
    }

    """#

  /// Who they are: dia has reached a limit, fay has bought, hao has a variant from before.
  static let users = #"""
    {"userId":"ada","user":{"plan":"free","documents":3}}
    {"userId":"ben","user":{"plan":"free","documents":48}}
    {"userId":"cem","user":{"plan":"free","documents":5}}
    {"userId":"dia","user":{"plan":"free","documents":2},"occurrences":{"export/free":["2026-03-01T08:30:00Z"]}}
    {"userId":"eva","user":{"plan":"free","documents":8},"occurrences":{"export/free":["2026-02-10T09:15:00Z"]}}
    {"userId":"fay","user":{"plan":"pro","documents":120},"entitlements":["pro"]}
    {"userId":"gus","user":{"plan":"trial","documents":60}}
    {"userId":"hao","user":{},"assignments":[{"experimentId":"launch","variantId":"monthly-first"}]}

    """#

  static let expected = """
    user_id,placement,result,audience,experiment,variant,paywall,errors
    ada,onboarding_done,paywall,0,launch,monthly-first,monthly,
    ada,export_tapped,paywall,1,export-free,free-monthly,monthly,
    ben,onboarding_done,holdout,0,launch,holdout,,
    ben,export_tapped,paywall,0,export-heavy,heavy-yearly,yearly,
    cem,onboarding_done,paywall,0,launch,monthly-first,monthly,
    cem,export_tapped,paywall,1,export-free,free-monthly,monthly,
    dia,onboarding_done,paywall,0,launch,monthly-first,monthly,
    dia,export_tapped,noAudienceMatch,,,,,
    eva,onboarding_done,paywall,0,launch,monthly-first,monthly,
    eva,export_tapped,paywall,1,export-free,free-monthly,monthly,
    fay,onboarding_done,noAudienceMatch,,,,,
    fay,export_tapped,noAudienceMatch,,,,,
    gus,onboarding_done,holdout,0,launch,holdout,,
    gus,export_tapped,noAudienceMatch,,,,,
    hao,onboarding_done,paywall,0,launch,monthly-first,monthly,
    hao,export_tapped,noAudienceMatch,,,,,

    """
}
