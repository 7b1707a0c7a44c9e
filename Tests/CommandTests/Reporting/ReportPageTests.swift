import Expressions
import Foundation
import Testing

@testable import tollgate

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A page as a reader of XML sees it.
final class PageReader: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
  }

  private(set) var elements: [Element] = []
  /// The rows of tables, with what their cells say.
  private(set) var rows: [(section: String, cells: [String])] = []
  private(set) var fault: String?
  private var section = ""
  private var isInCell = false
  private var open: [Int] = []

  init(_ page: Data) {
    super.init()
    let parser = XMLParser(data: page)
    parser.delegate = self
    if !parser.parse() {
      fault =
        "\(parser.lineNumber):\(parser.columnNumber) \(String(describing: parser.parserError))"
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes))
    switch name {
    case "section": section = attributes["id"] ?? ""
    case "tr": rows.append((section, []))
    case "th", "td":
      rows[rows.count - 1].cells.append("")
      isInCell = true
    default: break
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    open.removeLast()
    if name == "th" || name == "td" { isInCell = false }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    for element in open { elements[element].text += text }
    guard isInCell, let row = rows.indices.last, let cell = rows[row].cells.indices.last else {
      return
    }
    rows[row].cells[cell] += text
  }

  func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  /// What stands under a heading, up to the next section.
  func section(_ id: String) -> Element? { all("section").first { $0.attributes["id"] == id } }
}

@Suite struct ReportPageTests {
  private static let hostile = [
    "<script>alert(1)</script>", "\"' onmouseover='x", "{{ 7 | times: 6 }}", "{% if %}", "a&amp;b",
    "]]><!--", "\u{0}\u{8}\u{202E}\u{FFFE}", "https://example.com/x.png",
  ]

  private func chart(_ text: String) -> ReportChart {
    ReportChart(
      title: text, about: text,
      series: [.init(text, .first, [1, 2]), .init(text, .none, [0, 3])],
      times: [text, text], note: text)
  }

  private func page(_ text: String) -> ReportPage {
    ReportPage(
      title: text, facts: [.init(text, text)],
      sections: [
        ReportSection(
          id: "s1", title: text, about: text, placement: text,
          blocks: [
            .text(text), .cards([.init(name: text, value: text, note: text)]),
            .findings([.init(tone: .bad, text: text, section: "s1", placement: text)]),
            .table(
              ReportTable(
                title: text, columns: [.text(text), .number(text), .bar(text)],
                rows: [
                  .init(
                    [
                      .link(text, section: "s1"), .count(text),
                      .bar([.init(tone: .first, from: 0, to: 1)]),
                    ], placement: text),
                  .init([.named(text, code: text), .mark(.good, text), .code(text)]),
                  .init([.text(text), .lines(gone: [text], new: [text]), .chart(chart(text))]),
                  .init([.noted(text, text), .shaded(7, 0.3), .shaded(8, nil)]),
                ], legend: [(.first, text)], note: text)),
            .chart(chart(text)),
            .commands(.init(title: text, commands: [.init(purpose: text, lines: [text])])),
          ]),
        ReportSection(
          id: "s2", title: "plain", placement: "other",
          blocks: [.table(ReportTable(title: "t", columns: [], rows: [], isFolded: true))]),
      ])
  }

  @Test(arguments: hostile)
  func namesStayText(_ name: String) throws {
    let html = try page(name).html()
    let found = PageReader(Data(html))
    #expect(found.fault == nil)
    let same = PageReader(Data(try page("A name").html()))
    #expect(found.elements.map(\.name) == same.elements.map(\.name))
    #expect(
      found.elements.map { $0.attributes.keys.sorted() }
        == same.elements.map { $0.attributes.keys.sorted() })
    let shown = DiagnosticText.visible(name).replacing("\u{FFFE}", with: "\u{FFFD}")
    #expect(found.all("title").first?.text == shown)
    #expect(found.all("pre").first?.text == shown)
    #expect(found.section("s1")?.attributes["data-p"] == shown)
    #expect(found.all("option").first?.attributes["value"] == shown)
    #expect(found.all("td").map(\.text).contains(shown))
    // Neither the style sheet nor the script has anything of it.
    #expect(found.all("style").map(\.text) == same.all("style").map(\.text))
    #expect(found.all("script").map(\.text) == same.all("script").map(\.text))
  }

  @Test func pagesNeedNothingElse() throws {
    let found = PageReader(Data(try page("x").html()))
    let foreign = ["link", "img", "iframe", "object", "embed", "base", "image", "use"]
    #expect(!found.elements.contains { foreign.contains($0.name) })
    for element in found.elements {
      #expect(element.attributes["src"] == nil && element.attributes["style"] == nil)
      if let target = element.attributes["href"] { #expect(target.hasPrefix("#")) }
      #expect(!element.attributes.keys.contains { $0.hasPrefix("on") })
    }
    for name in ["style", "script"] {
      let text = found.all(name).map(\.text).joined()
      #expect(text.count > 500)
      for word in ["http", "url(", "@import", "fetch", "XMLHttp", "innerHTML", "localStorage"] {
        #expect(!text.contains(word), "\(name): \(word)")
      }
    }
  }

  /// On a narrow screen a row says what its numbers are; names that come from data never get there.
  @Test func narrowScreensHaveLabels() throws {
    var page = page("x")
    page.sections[1].blocks = [
      .table(ReportTable(columns: [.text("placement"), .number("held back")], rows: [])),
      .table(ReportTable(columns: [.text("a"), .number("variant")], rows: [], stacks: false)),
      .table(ReportTable(columns: [.text("a"), .number("};x")], rows: [])),
    ]
    let style = PageReader(Data(try page.html())).all("style").map(\.text).joined()
    #expect(style.contains(#"td:nth-child(2)::before{content:"held back"}"#))
    #expect(!style.contains(#""variant""#))
    #expect(!style.contains("};x"))
  }
}
