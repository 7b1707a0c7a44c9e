/// The Liquid templates of report pages. The page is XHTML as well, so that every reader of XML can
/// check it; values are escaped by the rendering.
enum ReportTemplates {
  static let page = """
    <!DOCTYPE html>
    <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta name="color-scheme" content="light dark"/>
    <meta name="generator" content="tollgate"/>
    <title>{{ page.title }}</title>
    <style>
    \(ReportStyle.css)
    {%- for label in page.labels %}
    @media (max-width:44rem){.{{ label.set }} td:nth-child({{ label.column }})::before\
    {content:"{{ label.name }}"} }
    {%- endfor %}
    </style>
    </head>
    <body>
    <a class="skip" href="#content">Skip to the numbers</a>
    <header>
    <h1>{{ page.title }}</h1>
    <dl class="facts">
    {%- for fact in page.facts -%}
    <div><dt>{{ fact.name }}</dt><dd>{{ fact.value }}</dd></div>
    {%- endfor -%}
    </dl>
    </header>
    <div class="bar">
    <nav aria-label="Sections">
    {%- for section in page.sections -%}
    {%- unless section.placement %}<a href="#{{ section.id }}">{{ section.title }}</a>
    {%- endunless -%}
    {%- endfor -%}
    </nav>
    {%- if page.placements.size > 1 %}
    <form id="filter" hidden="hidden" role="search">
    <label for="wanted">Placement</label>
    <input id="wanted" type="search" list="names" autocomplete="off" placeholder="all of them"/>
    <datalist id="names">
    {%- for name in page.placements -%}<option value="{{ name }}"></option>{%- endfor -%}
    </datalist>
    <output id="shown" aria-live="polite"></output>
    </form>
    {%- endif %}
    </div>
    <main id="content">
    {%- for section in page.sections %}
    <section id="{{ section.id }}"
    {%- if section.placement %} data-p="{{ section.placement }}"{% endif -%}
    >
    <h2>{{ section.title }}</h2>
    {%- if section.about %}<p class="about">{{ section.about }}</p>{% endif -%}
    {%- for block in section.blocks -%}{%- render "block", block: block -%}{%- endfor -%}
    </section>
    {%- endfor %}
    </main>
    <script>
    \(ReportStyle.script)
    </script>
    </body>
    </html>

    """

  /// The parts that the page is made of, by name.
  static let parts = [
    "block": block, "table": table, "cell": cell, "chart": chart, "legend": legend, "bars": bars,
  ]

  private static let block = """
    {%- case block.kind -%}
    {%- when "text" %}<p>{{ block.text }}</p>
    {%- when "cards" %}<dl class="cards">
    {%- for card in block.cards -%}
    <div><dt>{{ card.name }}</dt><dd>{{ card.value }}
    {%- if card.note -%}<small>{{ card.note }}</small>{%- endif -%}</dd></div>
    {%- endfor -%}</dl>
    {%- when "findings" %}<ul class="findings">
    {%- for finding in block.findings -%}
    <li class="{{ finding.tone }}"
    {%- if finding.placement %} data-p="{{ finding.placement }}"{% endif -%}
    >{{ finding.text }}
    {%- if finding.section %} <a href="#{{ finding.section }}">Numbers</a>{% endif -%}</li>
    {%- endfor -%}</ul>
    {%- when "table" -%}
    {%- if block.table.folded -%}<details><summary>{{ block.table.title }}</summary>
    {%- render "table", table: block.table, named: false -%}</details>
    {%- else -%}{%- render "table", table: block.table, named: true -%}{%- endif -%}
    {%- when "chart" -%}{%- render "chart", chart: block.chart -%}
    {%- when "commands" %}<details class="why"><summary>{{ block.title }}</summary><ul class="commands">
    {%- for command in block.commands -%}
    <li><span>{{ command.purpose }}</span><pre>
    {%- for line in command.lines -%}{%- unless forloop.first %}
    {% endunless -%}{{ line }}{%- endfor -%}</pre></li>
    {%- endfor -%}</ul></details>
    {%- endcase -%}
    """

  private static let table = """
    {%- if named and table.title %}<h3>{{ table.title }}</h3>{% endif -%}
    {%- render "legend", legend: table.legend %}<div class="scroll"><table
    {%- if table.set %} class="{{ table.set }}"{% endif -%}><thead><tr>
    {%- for column in table.columns -%}
    <th{% if column.form %} class="{{ column.form }}"{% endif %}>{{ column.name }}</th>
    {%- endfor -%}</tr></thead><tbody>
    {%- for row in table.rows %}
    <tr{% if row.placement %} data-p="{{ row.placement }}"{% endif %}>
    {%- for cell in row.cells -%}
    {%- if forloop.first -%}
    <th>{%- render "cell", cell: cell -%}</th>
    {%- elsif cell.shade -%}<td class="{{ cell.shade }}">{{ cell.number }}</td>
    {%- elsif cell.number -%}<td>{{ cell.number }}</td>
    {%- else -%}<td class="l">{%- render "cell", cell: cell -%}</td>
    {%- endif -%}
    {%- endfor -%}</tr>
    {%- endfor -%}</tbody></table></div>
    {%- if table.note %}<p class="note">{{ table.note }}</p>{% endif -%}
    """

  private static let legend = """
    {%- if legend.size > 0 -%}<ul class="legend">
    {%- for entry in legend -%}
    <li><i class="{{ entry.tone }}"></i>{{ entry.name }}</li>
    {%- endfor -%}</ul>
    {%- endif -%}
    """

  /// The lines of a chart are stretched to its place, so that all text stands beside it.
  private static let bars = """
    <svg class="d" viewBox="{{ chart.box }}" preserveAspectRatio="none" role="img" \
    aria-label="{{ chart.about }}">
    {%- for bars in chart.paths -%}
    {%- if bars.path != "" -%}<path class="{{ bars.tone }}" d="{{ bars.path }}"/>{%- endif -%}
    {%- endfor -%}</svg>
    """

  private static let chart = """
    <figure>
    {%- if chart.title -%}<figcaption>{{ chart.title }}</figcaption>{%- endif -%}
    {%- render "legend", legend: chart.legend -%}
    <div class="plot"><div class="axis"><span>{{ chart.top }}</span>
    {%- if chart.middle -%}<span>{{ chart.middle }}</span>{%- endif -%}<span>0</span></div>
    {%- render "bars", chart: chart -%}
    <div class="times">
    {%- for time in chart.times -%}<span>{{ time }}</span>{%- endfor -%}</div></div>
    {%- if chart.note %}<p class="note">{{ chart.note }}</p>{% endif -%}
    </figure>
    """

  private static let cell = """
    {%- if cell.parts -%}<svg role="none">
    {%- for part in cell.parts -%}
    <rect class="{{ part.tone }}"{% if part.from %} x="{{ part.from }}"{% endif %} \
    width="{{ part.width }}"/>
    {%- endfor -%}</svg>
    {%- elsif cell.chart -%}{%- render "bars", chart: cell.chart -%}
    {%- elsif cell.new -%}
    {%- for line in cell.gone -%}<del><code>{{ line }}</code></del>{%- endfor -%}
    {%- for line in cell.new -%}<ins><code>{{ line }}</code></ins>{%- endfor -%}
    {%- elsif cell.section -%}<a href="#{{ cell.section }}">{{ cell.text }}</a>
    {%- elsif cell.tone -%}<span class="mark {{ cell.tone }}">{{ cell.text }}</span>
    {%- elsif cell.note -%}{{ cell.text }}<small>{{ cell.note }}</small>
    {%- elsif cell.code -%}{{ cell.text }}<code>{{ cell.code }}</code>
    {%- elsif cell.number -%}{{ cell.number }}
    {%- else -%}{{ cell.text }}
    {%- endif -%}
    """
}
