import Testing

@testable import Expressions

@Suite struct RenderingTests {
  /// Only a template that goes through a list knows which round it is.
  @Test func roundsOfPartials() throws {
    var environment = Rendered.shopify
    environment.templates = ["p": "[{{ forloop.index }}{{ p }}]"]
    let json = #"{"x": "x", "l": ["a", "b"]}"#
    for (tag, text) in [
      ("render 'p' with x", "[x]"), ("render 'p' for l", "[1a][2b]"), ("render 'p'", "[]"),
      ("render 'p', p: x", "[x]"),
    ] { #expect(try Rendered("{% \(tag) %}", json, environment).text == text, "\(tag)") }
  }

  /// Shopify's implementation looks for fragments: a text ends where its quote does, and what is
  /// written right behind it is passed over.
  @Test(arguments: [
    ("{{ 'a'b | upcase }}", "A"), ("{{ 'a''b' }}", "a"), ("{{ \"a\"x.y }}", "a"),
    ("{{ x'c' | upcase }}", ""), ("{{ , x | upcase }}", "X"), ("{{ x x | upcase }}", "X"),
  ])
  func laxFragments(template: String, text: String) throws {
    #expect(try Rendered(template, #"{"x": "x", "b": "b"}"#, Rendered.shopify).text == text)
  }

  @Test func escapesValuesForHTML() throws {
    let json = #"{"name":"<b>\"A\" & 'B'</b>"}"#
    let html = RenderOptions(escaping: .html)
    #expect(
      try Rendered("<i>{{ name }}</i>", json, options: html).text
        == "<i>&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;</i>")
    // What a filter has escaped is not escaped again, and what `raw` marks is left alone.
    #expect(try Rendered("{{ '<' | escape }}{{ '<' | raw }}", "{}", options: html).text == "&lt;<")
    #expect(try Rendered("{{ name }}", json).text == "<b>\"A\" & 'B'</b>")
  }

  @Test func doesNotEvaluateValues() throws {
    let json = #"{"a":"{{ b }}","b":"x"}"#
    #expect(try Rendered("{{ a }}<< a >>", json).text == "{{ b }}{{ b }}")
  }

  @Test func reportsErrorsBesideTheText() throws {
    let source = "a{{ 1 | divided_by: 0 }}b"
    let rendered = try Rendered(source, "{}", Rendered.shopify)
    #expect(rendered.text == "ab")
    #expect(rendered.errors.map(\.kind) == [.divisionByZero])
    let range = try #require(rendered.errors.first?.range)
    #expect(Array(source.utf8)[range.from..<range.to].elementsEqual("1 | divided_by: 0 ".utf8))
  }

  @Test func saysWhichOfTwoEqualOutputsFailed() throws {
    let source = "{% if ok %}{{ n | divided_by: 0 }}{% endif %} {{ n | divided_by: 0 }}"
    let rendered = try Rendered(source, #"{"n":1}"#, Rendered.shopify)
    #expect(rendered.errors.count == 1)
    #expect((rendered.errors.first?.range?.from ?? 0) > 40)
  }

  @Test func printsNothingForWhatHasNoText() throws {
    for source in ["{{ o }}", "{{ 1 | divided_by: 0 }}", "{{ 'x' | times }}", "{{ list | join }}"] {
      let rendered = try Rendered(source, #"{"o":{"a":1},"list":[{"a":1}]}"#)
      #expect(rendered.text == "")
      #expect(rendered.errors.count == 1)
    }
  }

  @Test func understandsBothDelimitersInOneText() throws {
    let json = #"{"a":"A"}"#
    let source = "{{ a }} << a >> <<a>> <% if a %>y<% endif %>{% if a %}z{% endif %}"
    #expect(try Rendered(source, json).text == "A A A yz")
    var braces = TemplateEnvironment()
    braces.delimiters = .braces
    #expect(try Rendered("{{ a }} << a >>", json, braces).text == "A << a >>")
    braces.delimiters = .angles
    #expect(try Rendered("{{ a }} << a >>", json, braces).text == "{{ a }} A")
    #expect(try Rendered("1 << 2, 3 <% 4", json).text == "1 << 2, 3 <% 4")
  }

  @Test func understandsEntitiesInHTML() throws {
    var environment = TemplateEnvironment()
    environment.isHTML = true
    let source = "&lt;b&gt; &lt;&lt; a &gt;&gt; &lt;% if 2 &gt; 1 %&gt;y&lt;% endif %&gt;"
    #expect(try Rendered(source, #"{"a":"A"}"#, environment).text == "&lt;b&gt; A y")
  }

  @Test func neverCutsACharacterInTwo() throws {
    let family = "👨‍👩‍👧‍👦"
    for environment in [TemplateEnvironment(), Rendered.shopify] {
      for length in 0..<12 {
        let rendered = try Rendered(
          "{{ a | truncate: \(length), '' }}|{{ a | slice: 0, \(length) }}",
          #"{"a":"\#(family)é"}"#, environment)
        for part in rendered.text.split(separator: "|") {
          #expect(part == "\(family)" || part == "\(family)é", "\(length)")
        }
      }
      #expect(
        try Rendered("{{ a | split: '' | join: '/' }}", #"{"a":"\#(family)x"}"#, environment).text
          == "\(family)/x")
    }
  }

  @Test func keepsTheOffsetOfDatesUnlessThereIsAZone() throws {
    let source = "{{ d | date: '%d %H:%M %z' }}"
    let json = #"{"d":"2026-03-13T23:30:00-08:00"}"#
    #expect(try Rendered(source, json).text == "13 23:30 -0800")
    let zone = RenderOptions(zone: TemplateZone(named: "Europe/Berlin"))
    #expect(try Rendered(source, json, options: zone).text == "14 08:30 +0100")
    #expect(try Rendered("{{ 'now' | date: '%F' }}", "{}").errors.map(\.kind) == [.unknownValue])
    let now = RenderOptions(now: 0)
    #expect(try Rendered("{{ 'now' | date: '%F' }}", "{}", options: now).text == "1970-01-01")
  }

  @Test func formatsMoneyThroughItsCaller() throws {
    let money = MoneyFormatter { amount, currency, locale in
      currency == "XXX" ? nil : "\(currency) \(amount) (\(locale))"
    }
    let options = RenderOptions(locale: "de_DE", money: money)
    #expect(
      try Rendered(
        "{{ 4.5 | money: 'EUR' }}{{ '9.99' | money: currency: 'USD', locale: 'en_US' }}", "{}",
        options: options
      ).text
        == "EUR 4.5 (de_DE)USD 9.99 (en_US)")
    #expect(try Rendered("{{ 4.5 | money: 'XXX' }}", "{}", options: options).errors.count == 1)
    #expect(try Rendered("{{ 'abc' | money: 'EUR' }}", "{}", options: options).errors.count == 1)
    #expect(try Rendered("{{ 4.5 | money: 'EUR' }}").errors.count == 1)
  }

  @Test(arguments: [
    ("en_US", "1", "one"), ("en_US", "1.0", "other"), ("en_US", "0", "other"),
    ("fr_FR", "0", "one"),
    ("ru_RU", "21", "one"), ("ru_RU", "22", "few"), ("ru_RU", "25", "many"),
    ("ru_RU", "1.5", "other"),
    ("pl_PL", "1", "one"), ("pl_PL", "3", "few"), ("pl_PL", "12", "many"), ("ar", "0", "zero"),
    ("ar", "2", "two"), ("ar", "11", "many"), ("ar", "100", "other"), ("ja_JP", "1", "other"),
    ("cs_CZ", "1.5", "many"), ("lt_LT", "11", "other"), ("lt_LT", "21", "one"),
    ("sl_SI", "101", "one"),
    ("pt_BR", "0", "one"), ("pt_PT", "0", "other"), ("lv_LV", "10", "zero"), ("cy", "3", "few"),
  ]) func choosesPluralForms(_ locale: String, _ number: String, _ category: String) throws {
    let options = RenderOptions(locale: locale)
    let json = #"{"n":"\#(number)"}"#
    #expect(try Rendered("{{ n | plural }}", json, options: options).text == category)
    let forms = "one: '1', two: '2', few: 'f', many: 'm', zero: 'z', other: 'o'"
    let wanted = ["one": "1", "two": "2", "few": "f", "many": "m", "zero": "z", "other": "o"]
    #expect(
      try Rendered("{{ n | plural: \(forms) }}", json, options: options).text == wanted[category])
  }

  @Test func pluralTakesTwoForms() throws {
    let source = "{{ 1 | plural: 'day', 'days' }} {{ 7 | plural: 'day', 'days' }}"
    #expect(try Rendered(source).text == "day days")
  }

  @Test func usesItsBufferAgain() throws {
    let template = try #require(TemplateEnvironment().compile("{{ a }}").output)
    var frame = Frame(for: template.program)
    var text = RenderedText()
    for value in ["first", "a longer second text", ""] {
      try frame.fill(json: #"{"a":"\#(value)"}"#.utf8)
      template.render(in: &frame, into: &text)
      #expect(text.string == value)
      #expect(text.withBytes { $0.count } == value.utf8.count)
    }
  }

  @Test func sharesAFrameBetweenTemplates() throws {
    var builder = TemplateSetBuilder(TemplateEnvironment())
    builder.add("{{ a }}{% assign x = 1 %}{{ x }}")
    builder.add("{{ b }}{{ x }}")
    builder.add("{{ broken ")
    let texts = builder.build()
    var frame = Frame(for: texts.program)
    try frame.fill(json: #"{"a":"A","b":"B","x":"X"}"#.utf8)
    var text = RenderedText()
    var results: [String] = []
    for number in 0..<texts.count {
      texts.render(number, in: &frame, into: &text)
      results.append(text.string)
    }
    #expect(results == ["A1", "BX", ""])
  }

  /// What names are computed in is all data, and not an attribute of some name.
  @Test func computesNames() throws {
    let template = try #require(TemplateEnvironment().compile("{{ [key] }}").output)
    #expect(template.program.requirements == [AttributePath(["key"])])
    let json = #"{"key":"a","a":"A","\u0000all":{"a":"B"}}"#
    #expect(try Rendered("{{ [key] }}", json).text == "A")
  }
}
