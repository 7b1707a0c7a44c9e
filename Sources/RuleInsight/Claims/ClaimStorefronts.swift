/// The App Store's storefronts and their currencies.
///
/// Sources: "App Store Connect Help, App Store pricing and availability: storefronts and currencies"
/// (developer.apple.com/help/app-store-connect/reference/app-store-localizations), and ISO 3166 for codes.
package enum ClaimStorefronts {
  /// The currency and the locale of prices by ISO 3166 alpha-3 code. Storefronts that are not
  /// listed charge USD.
  static let own: [String: String] = {
    var table: [String: String] = [:]
    let lines = """
      USA USD,CAN CAD,GBR GBP,AUS AUD,NZL NZD,JPN JPY,CHN CNY,KOR KRW,TWN TWD,HKG HKD,SGP SGD,MYS MYR,THA THB,IDN IDR,\
      PHL PHP,VNM VND,IND INR,PAK PKR,KAZ KZT,RUS RUB,TUR TRY,ISR ILS,ARE AED,SAU SAR,QAT QAR,EGY EGP,NGA NGN,TZA TZS,\
      ZAF ZAR,BRA BRL,MEX MXN,CHL CLP,COL COP,PER PEN,CHE CHF,SWE SEK,NOR NOK,DNK DKK,POL PLN,CZE CZK,HUN HUF,ROU RON,\
      DEU EUR,FRA EUR,ESP EUR,ITA EUR,PRT EUR,NLD EUR,BEL EUR,AUT EUR,IRL EUR,FIN EUR,GRC EUR,LUX EUR,SVK EUR,SVN EUR,\
      EST EUR,LVA EUR,LTU EUR,MLT EUR,CYP EUR,HRV EUR
      """
    for entry in lines.split(separator: ",") {
      table[String(entry.prefix(3))] = String(entry.suffix(3))
    }
    return table
  }()

  static func currency(_ storefront: String?) -> String? { storefront.flatMap { own[$0] } }

  /// The locales of `--locale all`: one for each language of each larger storefront.
  package static let locales = [
    "en_US", "en_GB", "en_CA", "fr_CA", "en_AU", "en_NZ", "en_IE", "en_SG", "en_IN", "en_ZA",
    "de_DE", "de_AT", "de_CH", "fr_FR", "fr_BE", "fr_CH", "es_ES", "es_MX", "es_CO", "es_CL",
    "pt_BR", "pt_PT", "it_IT", "nl_NL", "nl_BE", "sv_SE", "nb_NO", "da_DK", "fi_FI", "pl_PL",
    "cs_CZ", "hu_HU", "ro_RO", "el_GR", "tr_TR", "ru_RU", "he_IL", "ar_AE", "ar_SA", "ja_JP",
    "ko_KR", "zh_CN", "zh_TW", "zh_HK", "th_TH", "vi_VN", "id_ID", "ms_MY", "hi_IN", "uk_UA",
  ]
}
