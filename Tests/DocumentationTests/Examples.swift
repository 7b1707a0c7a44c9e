// Made by Tools/make-examples.sh from docstrings and guides. Do not edit.
// swift-format-ignore-file
import CivilTime
import Expressions
import Pricing
import RuleBatch
import RuleEngine
import Testing

@Suite("Examples of docstrings and guides")
struct Examples {
  @Test("Sources/CivilTime/Instant.swift, milliseconds")
  func Sources_CivilTime_Instant_milliseconds() throws {
    let example = ExampleRun(results: 2)
    let start: Instant = 1_772_366_400_000
    example.same(start.text, "2026-03-01T12:00:00Z")
    example.same((start + 90_000) - start, 90_000)
    example.end()
  }

  @Test("Sources/Expressions/Checking/CustomFunction.swift, CustomFunction")
  func Sources_Expressions_Checking_CustomFunction_CustomFunction() throws {
    let example = ExampleRun(results: 2)
    let discount = CustomFunction("discount", arguments: 2) { arguments throws(EvaluationError) in
      guard case .double(let price) = arguments[0], case .string(let plan) = arguments[1] else {
        throw EvaluationError(.noSuchOverload)
      }
      return .double(plan == "student" ? price / 2 : price)
    }
    let environment = ExpressionEnvironment(functions: [discount])
    let program = try environment.compile("discount(params.price, user.plan) < 5.0").get()
    try example.same(program.evaluate(["params": ["price": 8.0], "user": ["plan": "student"]]), true)
    example.fails("no-such-overload") { try program.evaluate(["params": ["price": 8], "user": ["plan": "pro"]]) }
    example.end()
  }

  @Test("Sources/Expressions/Checking/ExpressionEnvironment.swift, ExpressionEnvironment")
  func Sources_Expressions_Checking_ExpressionEnvironment_ExpressionEnvironment() throws {
    let example = ExampleRun(results: 2)
    let environment = ExpressionEnvironment(roots: ["user", "device"], variables: ["now"])
    let program = try environment.compile("timestamp(now) > timestamp(user.until)").get()
    try example.same(program.evaluate(
  ["now": "2026-11-21T08:00:00Z", "user": ["until": "2026-11-20T00:00:00Z"]]), true)

    example.same(environment.compile("usr.until == now").diagnostics[0].code, .unknownAttribute)
    example.end()
  }

  @Test("Sources/Expressions/Checking/ExpressionEnvironment.swift, AttributePath")
  func Sources_Expressions_Checking_ExpressionEnvironment_AttributePath() throws {
    let example = ExampleRun(results: 2)
    let program = try ExpressionEnvironment().compile("user.plan == device.tier || has(user.trial.end)").get()
    example.same(program.requirements[0] == AttributePath(["user", "plan"]), true)
    example.same(program.requirements.map { "\($0)" }, ["user.plan", "device.tier", "user.trial.end"])
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/Compilation.swift, Compilation")
  func Sources_Expressions_Diagnostics_Compilation_Compilation() throws {
    let example = ExampleRun(results: 1)
    let compiled = ExpressionEnvironment().compile("(user.age >= 18")
    if let program = compiled.output {
      print(program.requirements)
    } else {
      example.same(compiled.diagnostics.map(\.message), ["'(' is not closed"])
    }
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/Compilation.swift, get")
  func Sources_Expressions_Diagnostics_Compilation_get() throws {
    let example = ExampleRun(results: 1)
    let program = try ExpressionEnvironment().compile("user.age >= 18").get()
    try example.same(program.evaluate(["user": ["age": 29]]), true)
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/Compilation.swift, CompilationError")
  func Sources_Expressions_Diagnostics_Compilation_CompilationError() throws {
    let example = ExampleRun(results: 3)
    do {
      _ = try ExpressionEnvironment().compile("user.plan = 'pro'").get()
    } catch {
      example.same(error.diagnostics.map(\.code), [.syntaxError])
      let lines = "\(error)".split(separator: "\n")
      example.same(lines[2], "   | user.plan = 'pro'")
      example.same(lines[3], "   |           ^")
    }
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/Diagnostic.swift, Diagnostic")
  func Sources_Expressions_Diagnostics_Diagnostic_Diagnostic() throws {
    let example = ExampleRun(results: 4)
    let diagnostic = ExpressionEnvironment().compile("user.age >= 18 and user.plan").diagnostics[0]
    example.same(diagnostic.code, .syntaxError)
    example.same(diagnostic.message, "'and' is not an operator")
    example.same(diagnostic.range, SourceRange(from: 15, to: 18))
    example.same(diagnostic.suggestion, "write '&&'")
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/DiagnosticCode.swift, Code")
  func Sources_Expressions_Diagnostics_DiagnosticCode_Code() throws {
    let example = ExampleRun(results: 2)
    let expired = Diagnostic.Code(rawValue: "rule-expired")
    example.same(Diagnostic.Code.syntaxError.rawValue, "syntax-error")
    example.same([expired, .syntaxError].map(\.rawValue), ["rule-expired", "syntax-error"])
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/DiagnosticText.swift, text")
  func Sources_Expressions_Diagnostics_DiagnosticText_text() throws {
    let example = ExampleRun(results: 5)
    let source = "usr.plan == 'free'"
    let text = ExpressionEnvironment().compile(source).diagnostics[0].text(in: source, file: "rules.txt")
    let lines = text.split(separator: "\n")
    example.same(lines[0], "error[unknown-attribute]: 'usr' is not declared")
    example.same(lines[1], "  --> rules.txt:1:1")
    example.same(lines[2], "   | usr.plan == 'free'")
    example.same(lines[3], "   | ^^^")
    example.same(lines[4], "   = help: did you mean 'user'?")
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/EvaluationError.swift, EvaluationError")
  func Sources_Expressions_Diagnostics_EvaluationError_EvaluationError() throws {
    let example = ExampleRun(results: 2)
    let program = try ExpressionEnvironment().compile("user.credits / user.days > 3").get()
    do throws(EvaluationError) {
      _ = try program.evaluate(["user": ["credits": 10, "days": 0]])
    } catch {
      example.same(error.kind, .divisionByZero)
      example.same(program.range(of: error, in: program.entries[0]), SourceRange(from: 0, to: 24))
    }
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/Limits.swift, Limits")
  func Sources_Expressions_Diagnostics_Limits_Limits() throws {
    let example = ExampleRun(results: 2)
    let strict = ExpressionEnvironment(limits: Limits(sourceBytes: 1_000, nesting: 20, steps: 3))
    let program = try strict.compile("user.tags.exists(t, t == 'beta')").get()
    try example.same(program.evaluate(["user": ["tags": ["a", "b", "c"]]]), false)
    example.fails("limit-exceeded") { try program.evaluate(["user": ["tags": ["a", "b", "c", "d"]]]) }
    example.end()
  }

  @Test("Sources/Expressions/Diagnostics/SourceRange.swift, SourceRange")
  func Sources_Expressions_Diagnostics_SourceRange_SourceRange() throws {
    let example = ExampleRun(results: 1)
    let source = "user.name == 'Zoé' && user.nam != ''"
    let program = try ExpressionEnvironment().compile(source).get()
    let error = try #require(throws: EvaluationError.self) {
      try program.evaluate(["user": ["name": "Zoé"]])
    }
    let range = program.range(of: error, in: program.entries[0])!
    example.same(String(decoding: Array(source.utf8)[range.from..<range.to], as: UTF8.self), "user.nam != ''")
    example.end()
  }

  @Test("Sources/Expressions/Functions/Liquid/OutputBuffer.swift, MoneyFormatter")
  func Sources_Expressions_Functions_Liquid_OutputBuffer_MoneyFormatter() throws {
    let example = ExampleRun(results: 1)
    let money = MoneyFormatter { amount, currency, _ in "\(amount) \(currency)" }
    let template = try TemplateEnvironment().compile("Only {{ p.amount | money: p.code }}").get()
    let rendered = try template.render(
      ["p": ["amount": 9.5, "code": "EUR"]], RenderOptions(money: money))
    example.same(rendered.text, "Only 9.5 EUR")
    example.end()
  }

  @Test("Sources/Expressions/Program/Clause.swift, Clause")
  func Sources_Expressions_Program_Clause_Clause() throws {
    let example = ExampleRun(results: 5)
    let program = try ExpressionEnvironment().compile("user.plan == 'free' && device.sessions > 3").get()
    var frame = Frame(for: program)
    try frame.fill(["user": ["plan": "pro"], "device": ["sessions": 7]])
    let clauses = program.clauses(of: program.entries[0], in: &frame)
    example.same(clauses.map(\.text), ["user.plan == 'free'", "device.sessions > 3"])
    example.same(clauses.map(\.outcome), [.false, .true])
    example.same(clauses.map(\.wasReached), [true, false])
    example.same(clauses[0].reads[0].path.description, "user.plan")
    example.same(clauses[0].reads[0].value, "pro")
    example.end()
  }

  @Test("Sources/Expressions/Program/Frame.swift, Frame")
  func Sources_Expressions_Program_Frame_Frame() throws {
    let example = ExampleRun(results: 1)
    let program = try ExpressionEnvironment().compile("user.plan == 'free'").get()
    var frame = Frame(for: program)
    for (line, isFree) in [(#"{"user":{"plan":"free"}}"#, true), (#"{"user":{}}"#, false)] {
      try frame.fill(json: line.utf8)
      example.same(program.isTrue(in: &frame) == isFree, true)
    }
    example.end()
  }

  @Test("Sources/Expressions/Program/Program.swift, Program")
  func Sources_Expressions_Program_Program_Program() throws {
    let example = ExampleRun(results: 1)
    let program = try ExpressionEnvironment().compile("user.tags.filter(t, t.startsWith(params.prefix))").get()
    let value = try program.evaluate(
      ["user": ["tags": ["beta", "staff", "b2b"]], "params": ["prefix": "b"]])
    example.same(value, ["beta", "b2b"])
    example.end()
  }

  @Test("Sources/Expressions/Program/Program.swift, text")
  func Sources_Expressions_Program_Program_text() throws {
    let example = ExampleRun(results: 2)
    let program = try ExpressionEnvironment().compile("user.name != '' && 10 / user.n > 3").get()
    let entry = program.entries[0]
    do throws(EvaluationError) {
      _ = try program.evaluate(["user": ["name": "Ann", "n": 0]])
    } catch {
      let lines = program.text(of: error, in: entry).split(separator: "\n")
      example.same(lines[0], "error[division-by-zero]: division by zero")
      example.same(lines[3], "   |                    ^^^^^^^^^^^")
    }
    example.end()
  }

  @Test("Sources/Expressions/Program/ProgramBuilder.swift, ProgramBuilder")
  func Sources_Expressions_Program_ProgramBuilder_ProgramBuilder() throws {
    let example = ExampleRun(results: 3)
    var builder = ProgramBuilder(ExpressionEnvironment())
    example.same(builder.add("device.country == 'DE'"), [])
    example.same(builder.add("device.country == 'DE' && user.age >= 18"), [])
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["device": ["country": "DE"], "user": ["age": 17]])
    try example.same(program.entries.map { try program.evaluate($0, in: &frame) }, [true, false])
    example.end()
  }

  @Test("Sources/Expressions/Templates/Rendering.swift, RenderOptions")
  func Sources_Expressions_Templates_Rendering_RenderOptions() throws {
    let example = ExampleRun(results: 1)
    let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
    let rendered = try template.render(["user": ["name": "<Ann>"]], RenderOptions(escaping: .html))
    example.same(rendered.text, "Hello &lt;Ann&gt;")
    example.end()
  }

  @Test("Sources/Expressions/Templates/Rendering.swift, TemplateZone")
  func Sources_Expressions_Templates_Rendering_TemplateZone() throws {
    let example = ExampleRun(results: 1)
    let template = try TemplateEnvironment().compile("{{ user.end | date: '%H:%M' }}").get()
    let options = RenderOptions(zone: TemplateZone(named: "Europe/Berlin"))
    try example.same(template.render(["user": ["end": "2026-03-01T12:00:00Z"]], options).text, "13:00")
    example.end()
  }

  @Test("Sources/Expressions/Templates/Rendering.swift, RenderError")
  func Sources_Expressions_Templates_Rendering_RenderError() throws {
    let example = ExampleRun(results: 2)
    let template = try TemplateEnvironment(dialect: .shopify).compile("{{ a | divided_by: 0 }}").get()
    let rendered = try template.render(["a": 3])
    example.same(rendered.text, "")
    example.same(rendered.errors.map(\.kind), [.divisionByZero])
    example.end()
  }

  @Test("Sources/Expressions/Templates/Template.swift, Template")
  func Sources_Expressions_Templates_Template_Template() throws {
    let example = ExampleRun(results: 1)
    let template = try TemplateEnvironment().compile("Hello {{ user.name }}").get()
    try example.same(template.render(["user": ["name": "Ann"]]).text, "Hello Ann")
    example.end()
  }

  @Test("Sources/Expressions/Templates/TemplateDialect.swift, TemplateDialect")
  func Sources_Expressions_Templates_TemplateDialect_TemplateDialect() throws {
    let example = ExampleRun(results: 2)
    let environment = TemplateEnvironment(dialect: .shopify)
    example.same(environment.dialect == .liquidjs, false)
    try example.same(environment.compile("{{ 6 | divided_by: 4.0 }}").get().render([:]).text, "1.5")
    example.end()
  }

  @Test("Sources/Expressions/Templates/TemplateDialect.swift, TemplateLimits")
  func Sources_Expressions_Templates_TemplateDialect_TemplateLimits() throws {
    let example = ExampleRun(results: 1)
    let small = TemplateEnvironment(limits: TemplateLimits(outputBytes: 10))
    let rendered = try small.compile("{% for i in (1..9) %}abc{% endfor %}").get().render([:])
    example.same(rendered.errors.map(\.kind), [.limitExceeded])
    example.end()
  }

  @Test("Sources/Expressions/Templates/TemplateDialect.swift, TemplateEnvironment")
  func Sources_Expressions_Templates_TemplateDialect_TemplateEnvironment() throws {
    let example = ExampleRun(results: 1)
    let environment = TemplateEnvironment()
    example.same(environment.compile("Only {{ products.primary.price }}").diagnostics.isEmpty, true)
    example.end()
  }

  @Test("Sources/Expressions/Values/JSONCursor.swift, JSONFault")
  func Sources_Expressions_Values_JSONCursor_JSONFault() throws {
    let example = ExampleRun(results: 2)
    do throws(JSONFault) {
      _ = try Value.parse(json: #"{"plan": "free",}"#.utf8)
    } catch {
      example.same(error.offset, 16)
      example.same(error.message, "this is not valid JSON")
    }
    example.end()
  }

  @Test("Sources/Expressions/Values/Value.swift, Value")
  func Sources_Expressions_Values_Value_Value() throws {
    let example = ExampleRun(results: 7)
    let user: Value = ["plan": "free", "age": 29, "score": 4.5, "tags": ["a", "b"]]
    example.same(user["age"], .int(29))
    example.same(user["plan"]?.text, "free")
    example.same(user["score"]?.wholeNumber, nil)
    example.same(user["tags"]?.elements?.count, 2)
    example.same(user.members?.map(\.key), ["plan", "age", "score", "tags"])
    example.same(user.json, #"{"plan":"free","age":29,"score":4.5,"tags":["a","b"]}"#)
    try example.same(Value.parse(json: "[1, 1.0, 18446744073709551615]".utf8), [1, 1.0, .uint(.max)])
    example.end()
  }

  @Test("Sources/Pricing/Products/Platform.swift, Platform")
  func Sources_Pricing_Products_Platform_Platform() throws {
    let example = ExampleRun(results: 2)
    example.same(Platform(rawValue: "android"), .android)
    example.same(TrialRules(mode: .eligible, platform: .android).platform, .android)
    example.end()
  }

  @Test("Sources/RuleBatch/BatchPlan.swift, BatchPlan")
  func Sources_RuleBatch_BatchPlan_BatchPlan() throws {
    let example = ExampleRun(results: 3)
    let audience = Audience(
      index: 0, experimentID: "spring", expression: "user.plan == 'free'",
      variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "annual")])
    let config = Config(placements: [Placement(name: "export", audiences: [audience])])
    let plan = BatchPlan(
      try RuleSet.compile(config).get(), now: 1_772_366_400_000, assigner: .hash(salt: "spring"),
      layout: OutcomeLayout.long, form: OutcomeForm.csv)


    var worker = BatchWorker(plan)
    let users = [
      #"{"userId": "u1", "user": {"plan": "free"}}"#, #"{"userId": "u2", "user": {"plan": "pro"}}"#,
      #"{"userId": 3}"#,
    ]
    let output = worker.process(Array(users.joined(separator: "\n").utf8))
    example.same(String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").count, 2)
    example.same(output.rejected.map(\.line), [2])
    let tally: Tally = output.tally
    example.same(tally.placements[0].paywall, 1)
    example.end()
  }

  @Test("Sources/RuleEngine/Assigning/Assigner.swift, Assigner")
  func Sources_RuleEngine_Assigning_Assigner_Assigner() throws {
    let example = ExampleRun(results: 3)
    let audience = Audience(
      index: 0, experimentID: "spring",
      variants: [
        Variant(id: "a", kind: .treatment, weight: 50, paywallID: "annual"),
        Variant(id: "b", kind: .treatment, weight: 50, paywallID: "monthly"),
      ])
    example.same(audience.chooseVariant(subjectID: "u1", .draw(0.25))?.id, "a")
    let again = audience.chooseVariant(subjectID: "u1", .hash(salt: "2026"))
    example.same(again == audience.chooseVariant(subjectID: "u1", .hash(salt: "2026")), true)
    example.same(Assigner.usual(for: .agentWallie), .djb2)
    example.end()
  }

  @Test("Sources/RuleEngine/Assigning/Ratio.swift, Ratio")
  func Sources_RuleEngine_Assigning_Ratio_Ratio() throws {
    let example = ExampleRun(results: 2)
    let share = Ratio(20, 60)
    example.same(share.description, "1/3")
    example.same(share.double, 1.0 / 3)
    example.end()
  }

  @Test("Sources/RuleEngine/Compiling/RuleSet.swift, RuleSet")
  func Sources_RuleEngine_Compiling_RuleSet_RuleSet() throws {
    let example = ExampleRun(results: 7)
    let audience = Audience(
      index: 0, experimentID: "spring", expression: "user.plan == 'free'",
      variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "annual")])
    let config = Config(placements: [Placement(name: "export", audiences: [audience])])
    let rules = try RuleSet.compile(config).get()
    example.same(rules.requirements.map(\.description), ["user.plan"])

    var frame = Frame(for: rules.program)
    try frame.fill(["user": ["plan": "free"]])
    let state = DecisionState(subjectID: "u1", now: 1_772_366_400_000)
    let assigner = Assigner.hash(salt: "")
    let decision: Decision = rules.decide("export", frame: &frame, state: state, assigner: assigner)
    example.same(decision.outcome.code, "paywall")
    example.same(decision.effects, [.storeAssignment(experimentID: "spring", variantID: "v1")])
    example.same(decision.assignmentSource, AssignmentSource.only)
    example.same(PresentationResult(TriggerResult(decision.outcome)).type, "Paywall")

    let explanation: Explanation = rules.explain(
      "export", frame: &frame, state: state, assigner: assigner)
    example.same(explanation.audiences[0].clauses.map(\.text), ["user.plan == 'free'"])
    let distribution: Distribution = rules.distribution(
      "export", frame: &frame, state: state, assigner: assigner)
    example.same(distribution.shares.map(\.probability), [.one])
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Assignment.swift, Assignment")
  func Sources_RuleEngine_Config_Assignment_Assignment() throws {
    let example = ExampleRun(results: 1)
    let stored = Assignment(experimentID: "checkout", variantID: "b")
    example.same(stored.isSentToServer, true)
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Audience.swift, OccurrenceLimit")
  func Sources_RuleEngine_Config_Audience_OccurrenceLimit() throws {
    let example = ExampleRun(results: 2)
    let daily = OccurrenceLimit(key: "upsell", maxCount: 2, interval: .minutes(1_440))
    let now: Instant = 1_772_366_400_000
    let count = daily.count([now - 90_000_000, now - 3_600_000], now: now)
    example.same(count, 1)
    example.same(daily.allows(storedCount: count), true)
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Config.swift, Config")
  func Sources_RuleEngine_Config_Config_Config() throws {
    let example = ExampleRun(results: 4)
    let year = ProductReference(
      id: "year", store: .appStore, storeID: "com.example.year", entitlements: [Entitlement(id: "pro")])
    let paywall = Paywall(identifier: "annual", name: "Annual", featureGating: .gated, products: [year])
    let audience = Audience(
      index: 0, experimentID: "spring",
      variants: [
        Variant(id: "v1", kind: .treatment, weight: 90, paywallID: "annual"),
        Variant(id: "v2", kind: .holdout, weight: 10),
      ])
    let config = Config(
      placements: [Placement(name: "export", audiences: [audience])], paywalls: [paywall],
      products: [year])
    example.same(config.entitlements(ofProduct: "com.example.year").map(\.id), ["pro"])
    example.same(config.placement("export")?.audiences[0].isEverybody, true)
    example.same(config.variant(of: Assignment(experimentID: "spring", variantID: "v2"))?.kind, .holdout)

    let decoded = Config.decode(superwall: #"{"trigger_options": 7}"#.utf8)
    example.same(decoded.diagnostics[0].code, .decodeFailure)
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Experiment.swift, ExperimentStatus")
  func Sources_RuleEngine_Config_Experiment_ExperimentStatus() throws {
    let example = ExampleRun(results: 1)
    let audience = Audience(index: 0, experimentID: "spring")
    example.same(audience.experimentStatus, .running)
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Paywall.swift, Survey")
  func Sources_RuleEngine_Config_Paywall_Survey() throws {
    let example = ExampleRun(results: 2)
    let paywall = Paywall.decode(superwall: [
      "identifier": "annual",
      "surveys": [
        [
          "id": "s1", "assignment_key": "why", "title": "Why not?", "message": "",
          "presentation_condition": "ON_MANUAL_CLOSE", "presentation_probability": 0.5,
          "options": [["id": "1", "title": "Too expensive"]],
        ]
      ],
    ])
    let survey = paywall?.surveys.first
    example.same(survey?.options, [Survey.Option(id: "1", title: "Too expensive")])
    example.same(survey?.isAsked(draw: 0.7), false)
    example.end()
  }

  @Test("Sources/RuleEngine/Config/Paywall.swift, LocalNotification")
  func Sources_RuleEngine_Config_Paywall_LocalNotification() throws {
    let example = ExampleRun(results: 1)
    let reminder = LocalNotification(
      kind: .trialStarted, title: "Your trial ends soon", body: "Two days left", delay: 432_000_000)
    example.same(reminder.delay / 86_400_000, 5)
    example.end()
  }

  @Test("Sources/RuleEngine/Context/EventHistory.swift, EventHistory")
  func Sources_RuleEngine_Context_EventHistory_EventHistory() throws {
    let example = ExampleRun(results: 1)
    let audience = Audience(
      index: 0, experimentID: "e", expression: #"device.daysSince("app_open") >= 7"#)
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try RuleSet.compile(config).get()
    var events = EventHistory()
    events.record("app_open", at: 1_771_675_200_000)
    var frame = Frame(for: rules.program)
    try frame.fill(["user": [:], "device": [:]])
    try rules.answer(events, at: HistoryClock(now: 1_772_366_400_000), in: &frame)
    let state = DecisionState(subjectID: "u1", now: 1_772_366_400_000)
    example.same(rules.steps("p", frame: &frame, state: state)[0].reason, .matched)
    example.end()
  }

  @Test("Sources/RuleEngine/Context/Platform.swift, RuleLanguage")
  func Sources_RuleEngine_Context_Platform_RuleLanguage() throws {
    let example = ExampleRun(results: 1)
    let audience = Audience(index: 0, experimentID: "e", expression: "user.visits < 3")
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let state = DecisionState(subjectID: "u1", now: 0)
    var reasons: [String] = []
    for language in [RuleLanguage.cel, .superscript(.ios)] {
      let rules = try RuleSet.compile(config, language: language).get()
      var frame = Frame(for: rules.program)
      try frame.fill(["user": ["plan": "free"]])
      reasons.append(rules.steps("p", frame: &frame, state: state)[0].reason.code)
    }
    example.same(reasons, ["expressionError", "matched"])
    example.end()
  }

  @Test("Sources/RuleEngine/Context/SDKProfile.swift, SDKProfile")
  func Sources_RuleEngine_Context_SDKProfile_SDKProfile() throws {
    let example = ExampleRun(results: 2)
    let audience = Audience(index: 0, experimentID: "e", expression: "user.visits < 3")
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try RuleSet.compile(config, language: .superscript(.android)).get()
    example.same(rules.language.platform, .android)
    example.same(SDKProfile.ios.platform, .ios)
    example.end()
  }

  @Test("Sources/RuleEngine/Context/UserRecord.swift, UserRecordReader")
  func Sources_RuleEngine_Context_UserRecord_UserRecordReader() throws {
    let example = ExampleRun(results: 3)
    let audience = Audience(index: 0, experimentID: "e", expression: "user.plan == 'free'")
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try RuleSet.compile(config).get()
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 1_772_366_400_000))
    try reader.read(json: #"{"userId": "u1", "user": {"plan": "free"}}"#.utf8, into: &frame)
    let state = reader.state(now: 1_772_366_400_000)
    example.same(state.subjectID, "u1")
    example.same(rules.steps("p", frame: &frame, state: state)[0].reason, .matched)
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: #"{"userId": "u2", "user": "free"}"#.utf8, into: &frame)
    } catch {
      example.same(error.reason, "'user' must be an object, not a string")
    }
    example.end()
  }

  @Test("Sources/RuleEngine/Deciding/RuleError.swift, RuleError")
  func Sources_RuleEngine_Deciding_RuleError_RuleError() throws {
    let example = ExampleRun(results: 2)
    let audience = Audience(index: 0, experimentID: "e", expression: "user.email.endsWith('.org')")
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try RuleSet.compile(config, language: .cel).get()
    var frame = Frame(for: rules.program)
    try frame.fill(["user": [:]])
    let errors = rules.errors("p", frame: &frame, state: DecisionState(subjectID: "u1", now: 0))
    example.same(errors[0].path, "user.email")
    example.same(errors[0].message, "user.email is missing, and endsWith needs a string")
    example.end()
  }

  @Test("Sources/RuleEngine/Effects/FeatureGate.swift, PaywallCloseReason")
  func Sources_RuleEngine_Effects_FeatureGate_PaywallCloseReason() throws {
    let example = ExampleRun(results: 1)
    example.same(PaywallCloseReason(rawValue: "manualClose"), .manualClose)
    example.end()
  }

  @Test("Sources/RuleEngine/Effects/PlacementEvaluator.swift, PlacementEvaluator")
  func Sources_RuleEngine_Effects_PlacementEvaluator_PlacementEvaluator() throws {
    let example = ExampleRun(results: 2)
    let audience = Audience(
      index: 0, experimentID: "long-texts", expression: "params.pages > 10",
      variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "export")])
    let config = Config(placements: [Placement(name: "export_pdf", audiences: [audience])])
    var evaluator = PlacementEvaluator(
      ruleSet: try RuleSet.compile(config).get(), subjectID: "user-1",
      attributes: ["user": ["plan": "free"], "device": ["country": "DE"]])
    let now: Instant = 1_772_366_400_000
    example.same(evaluator.presentationResult("export_pdf", params: ["pages": 12], now: now).type, "Paywall")
    example.same(evaluator.assignments.map(\.variantID), ["v1"])
    example.end()
  }

  @Test("Sources/RuleEngine/Effects/PresentationRequestReason.swift, PresentationRequestReason")
  func Sources_RuleEngine_Effects_PresentationRequestReason_PresentationRequestReason() throws {
    let example = ExampleRun(results: 2)
    let reason = PresentationRequestReason.noAudienceMatch
    example.same(reason.status, PresentationRequestStatus.noPresentation)
    example.same(PresentationResult(reason).type, "NoAudienceMatch")
    example.end()
  }

  @Test("Sources/RuleEngine/Effects/SuperwallEventName.swift, SuperwallEventName")
  func Sources_RuleEngine_Effects_SuperwallEventName_SuperwallEventName() throws {
    let example = ExampleRun(results: 2)
    example.same(SuperwallEventName(decoding: "transactionAbandon").placementName, "transaction_abandon")
    example.same(SuperwallEventName.isReserved("transaction_abandon"), true)
    example.end()
  }

  @Test("Sources/RuleEngine/Wire/ProductList.swift, ProductList")
  func Sources_RuleEngine_Wire_ProductList_ProductList() throws {
    let example = ExampleRun(results: 1)
    let list = ProductList.decode(
      json: #"[{"identifier": "com.example.year", "price": "59.99", "currency": "USD", "period": "P1Y"}]"#.utf8)
    let product = try list.get().products[0]
    example.same(product.price == Money(micros: 59_990_000, .usd), true)
    example.end()
  }

  @Test("docs/dates.md, block 1")
  func docs_dates_md_block_1() throws {
    let example = ExampleRun(results: 7)
    try example.cel("date(\"2026-11-21\", \"Europe/Berlin\")", "timestamp(\"2026-11-20T23:00:00Z\")")
    try example.cel("timestamp(\"2026-11-21T23:30:00Z\").startOfDay(\"Europe/Berlin\")", "date(\"2026-11-22\", \"Europe/Berlin\")")
    try example.cel("timestamp(\"2026-03-28T12:00:00Z\").addDays(1, \"Europe/Berlin\")", "timestamp(\"2026-03-29T11:00:00Z\")")
    try example.cel("timestamp(\"2026-03-28T12:00:00Z\") + days(1)", "timestamp(\"2026-03-29T12:00:00Z\")")
    try example.cel("timestamp(\"2026-01-31T12:00:00Z\").addMonths(1)", "timestamp(\"2026-02-28T12:00:00Z\")")
    try example.cel("timestamp(\"2026-11-21T23:59:00Z\").daysUntil(timestamp(\"2026-11-22T00:01:00Z\"))", "1")
    try example.cel("days(3)", "duration(\"72h\")")
    example.end()
  }

  @Test("docs/dates.md, block 2")
  func docs_dates_md_block_2() throws {
    let example = ExampleRun(results: 5)
    try example.cel("timestamp(params.now) >= date(\"2026-11-27\", device.timezone)\n&& timestamp(params.now) < date(\"2026-12-01\", device.timezone)")
    try example.cel("timestamp(params.now) < timestamp(user.installedAt) + days(params.trialDays)")
    try example.cel("timestamp(params.now).daysUntil(timestamp(user.expiresAt), device.timezone) == 1")
    try example.cel("timestamp(params.now) - timestamp(params.now).startOfDay(device.timezone) < duration(\"1h\")")
    try example.cel("timestamp(user.signedUpAt).addMonths(12).startOfDay() == timestamp(params.now).startOfDay()")
    example.end()
  }

  @Test("docs/dates.md, block 3")
  func docs_dates_md_block_3() throws {
    let example = ExampleRun(results: 5)
    try example.cel("date(\"2026-02-30\")", "error conversion")
    try example.cel("date(\"21.11.2026\")", "error conversion")
    try example.cel("date(\"2026-11-21\", \"Berlin\")", "error conversion")
    try example.cel("timestamp(\"9999-12-31T12:00:00Z\").addDays(1)", "error overflow")
    try example.cel("days(200000)", "error overflow")
    example.end()
  }

  @Test("docs/expressions.md, block 1")
  func docs_expressions_md_block_1() throws {
    let example = ExampleRun(results: 2)
    let environment = ExpressionEnvironment(roots: ["user"])
    let program = try environment.compile("user.age >= 18 && 'pro' in user.plans").get()
    try example.same(program.evaluate(["user": ["age": 29, "plans": ["pro"]]]), true)
    example.same(program.requirements.map { "\($0)" }, ["user.age", "user.plans"])
    example.end()
  }

  @Test("docs/expressions.md, block 2")
  func docs_expressions_md_block_2() throws {
    let example = ExampleRun(results: 5)
    let source = "user.plan = 'pro'"
    let diagnostic = ExpressionEnvironment().compile(source).diagnostics[0]
    example.same(diagnostic.code, .syntaxError)
    example.same(diagnostic.range, SourceRange(from: 10, to: 11))
    let lines = diagnostic.text(in: source, file: "rules.txt").split(separator: "\n")
    example.same(lines[1], "  --> rules.txt:1:11")
    example.same(lines[2], "   | user.plan = 'pro'")
    example.same(lines[3], "   |           ^")
    example.end()
  }

  @Test("docs/expressions.md, block 3")
  func docs_expressions_md_block_3() throws {
    let example = ExampleRun(results: 4)
    let program = try ExpressionEnvironment().compile("user.credits / user.days > 3").get()
    do throws(EvaluationError) {
      _ = try program.evaluate(["user": ["credits": 10, "days": 0]])
    } catch {
      example.same(error.kind, .divisionByZero)
      example.same("\(error)", "division by zero")
      let lines = program.text(of: error, in: program.entries[0]).split(separator: "\n")
      example.same(lines[0], "error[division-by-zero]: division by zero")
      example.same(lines[3], "   | ^^^^^^^^^^^^^^^^^^^^^^^^")
    }
    example.end()
  }

  @Test("docs/expressions.md, block 4")
  func docs_expressions_md_block_4() throws {
    let example = ExampleRun(results: 3)
    let initials = CustomFunction("initials", arguments: 1, isMethod: true) { arguments throws(EvaluationError) in
      guard case .string(let name) = arguments[0] else { throw EvaluationError(.noSuchOverload) }
      return .string(name.split(separator: " ").map { String($0.prefix(1)) }.joined())
    }
    let environment = ExpressionEnvironment(functions: [initials])
    let program = try environment.compile("user.name.initials() == 'AL'").get()
    try example.same(program.evaluate(["user": ["name": "Ada Lovelace"]]), true)
    example.fails("no-such-overload") { try program.evaluate(["user": ["name": 7]]) }
    example.same(environment.compile("initials(user.name)").diagnostics[0].suggestion, "write a.initials()")
    example.end()
  }

  @Test("docs/libraries.md, block 1")
  func docs_libraries_md_block_1() throws {
    let example = ExampleRun(results: 3)



    let json = #"""
      {"build_id": "1", "log_level": 10, "app_session_timeout_ms": 3600000, "toggles": [],
       "disable_preload": {"all": false, "triggers": []}, "localization": {"locales": []},
       "products": [], "postback": {},
       "paywall_responses": [{
         "id": "1", "identifier": "export-trial", "name": "Export", "build_id": "1", "cache_key": "1",
         "url": "https://paywalls.example/export", "paywalljs_event": "",
         "url_config": {"endpoints": [], "max_attempts": 1}, "background_color_hex": "#FFFFFF",
         "presentation_style_v2": "MODAL", "presentation_style_v3": {"type": "MODAL"},
         "presentation_delay": 0, "presentation_condition": "CHECK_USER_SUBSCRIPTION"}],
       "trigger_options": [{"event_name": "export_report", "rules": [{
         "experiment_id": "export", "experiment_group_id": "g", "expression_cel": "user.plan == 'free'",
         "preload": {"behavior": "ALWAYS"},
         "variants": [{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "export-trial"}]}]}]}
      """#
    let config = Config.decode(superwall: json.utf8)
    example.same(config.diagnostics.count, 0)
    let rules = try RuleSet.compile(config.get()).get()


    var frame = Frame(for: rules.program)
    try frame.fill(json: #"{"user":{"plan":"free"},"device":{"country":"DE"}}"#.utf8)

    let state = DecisionState(subjectID: "u1", now: 1_772_366_400_000)
    let decision = rules.decide("export_report", frame: &frame, state: state, assigner: .hash(salt: "demo"))
    example.same(PresentationResult(TriggerResult(decision.outcome)).type, "Paywall")

    let explanation = rules.explain(
      "export_report", frame: &frame, state: state, assigner: .hash(salt: "demo"))
    example.same(explanation.text.contains("user.plan is \"free\""), true)
    example.end()
  }

  @Test("docs/libraries.md, block 2")
  func docs_libraries_md_block_2() throws {
    let example = ExampleRun(results: 2)

    var product = PricedProduct(identifier: "com.example.year", price: try Money("59.99", .usd), locale: "en_US")
    product.period = Period(.year, 1)


    var producer = try AttributeProducer(.iosStoreKit2, PricingContext(now: 1_772_366_400_000))
    let attributes = try producer.attributes(of: product)
    example.same(attributes["monthlyPrice"], "$4.99")

    example.same(PriceLocale("hi_IN").format(for: .usd).text(micros: 1_234_567_890_000), "$12,34,567.89")
    example.end()
  }

  @Test("docs/libraries.md, block 3")
  func docs_libraries_md_block_3() throws {
    let example = ExampleRun(results: 2)

    let program = try ExpressionEnvironment().compile("user.age >= 18 && user.tags.exists(t, t == 'beta')").get()
    try example.same(program.evaluate(["user": ["age": 29, "tags": ["beta"]]]), true)
    example.same(program.requirements.map(\.description), ["user.age", "user.tags"])
    example.end()
  }

  @Test("docs/names.md, block 1")
  func docs_names_md_block_1() throws {
    let example = ExampleRun(results: 2)

    struct Config { var retries = 3 }
    example.same(Config().retries, 3)
    example.same(RuleEngine.Config().placements.count, 0)
    example.end()
  }

  @Test("docs/names.md, block 2")
  func docs_names_md_block_2() throws {
    let example = ExampleRun(results: 1)

    typealias PaywallConfig = RuleEngine.Config
    example.same(PaywallConfig(placements: [Placement(name: "export", audiences: [])]).placements.count, 1)
    example.end()
  }

  @Test("docs/superscript.md, block 1")
  func docs_superscript_md_block_1() throws {
    let example = ExampleRun(results: 1)

    let audience = Audience(
      index: 0, experimentID: "return", expression: #"user.visits < 3 && device.daysSince("app_open") > 2"#,
      variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "welcome-back")])
    let config = Config(placements: [Placement(name: "session_start", audiences: [audience])])
    var evaluator = PlacementEvaluator(
      ruleSet: try RuleSet.compile(config).get(), subjectID: "user-1", attributes: ["user": ["plan": "free"]])
    evaluator.events.record("app_open", at: 1_771_934_400_000)
    example.same(evaluator.presentationResult("session_start", now: 1_772_366_400_000).type, "Paywall")
    example.end()
  }

  @Test("docs/templates.md, block 1")
  func docs_templates_md_block_1() throws {
    let example = ExampleRun(results: 5)
    try example.liquid("Only << products.selected.price >> a << products.selected.period >>", "Only $59.99 a year")
    try example.liquid("{{ products.primary.monthlyPrice }} a month, not {{ products.secondary.price }}", "$4.99 a month, not $9.99")
    try example.liquid("{{ products.primary.trialPeriodText }} trial until {{ products.primary.trialPeriodEndDate }}", "7-day trial until Mar 8, 2026")
    try example.liquid("{% if products.secondary.trialPeriodDays > 0 %}Try it{% else %}Subscribe{% endif %}", "Subscribe")
    try example.liquid("{{ primary.price }}", "$59.99")
    example.end()
  }

  @Test("docs/templates.md, block 2")
  func docs_templates_md_block_2() throws {
    let example = ExampleRun(results: 4)
    try example.liquid("Hi {{ user.firstName }}!", "Hi Mara!")
    try example.liquid("Hi {{ user.lastName | default: \"there\" }}!", "Hi there!")
    try example.liquid("{% if user.lastName %}Dear {{ user.lastName }}{% else %}Dear customer{% endif %}", "Dear customer")
    try example.liquid("{% unless user.streak %}Start{% else %}{{ user.streak }} days in a row{% endunless %}", "3 days in a row")
    example.end()
  }

  @Test("docs/templates.md, block 3")
  func docs_templates_md_block_3() throws {
    let example = ExampleRun(results: 3)

    let template = try TemplateEnvironment().compile("Save {{ 10 | divided_by: user.months }}%").get()
    let rendered = try template.render(["user": ["months": 0]])
    example.same(rendered.text, "Save %")
    example.same(rendered.errors.map(\.kind), [.conversion])
    example.same(rendered.errors[0].range, SourceRange(from: 5, to: 39))
    example.end()
  }

  @Test("docs/templates.md, block 4")
  func docs_templates_md_block_4() throws {
    let example = ExampleRun(results: 4)
    try example.liquid("{% for f in user.features %}{{ forloop.index }}. {{ f | capitalize }}{% unless forloop.last %}, {% endunless %}{% endfor %}", "1. Plans, 2. Coach")
    try example.liquid("{% assign months = 12 %}{{ 59.99 | divided_by: months | round: 2 }}", "5")
    try example.liquid("{% case user.streak %}{% when 1, 2 %}a start{% when 3 %}well done{% endcase %}", "well done")
    try example.liquid("{{ user.features | join: \" and \" | upcase }}", "PLANS AND COACH")
    example.end()
  }

  @Test("docs/templates.md, block 5")
  func docs_templates_md_block_5() throws {
    let example = ExampleRun(results: 7)
    try example.liquid("{{ \"2026-03-01T12:00:00Z\" | date_add: 7, \"days\" | date: \"%B %-d\" }}", "March 8")
    try example.liquid("{{ \"now\" | date: \"%Y\" }}", "2026")
    try example.liquid("{{ 1234.5 | money: \"EUR\" }}", "€1,234.50")
    try example.liquid("{{ 1234.5 | money: \"JPY\" }}", "¥1,234")
    try example.liquid("{{ 1234.5 | money: currency: \"EUR\", locale: \"de_DE\" }}", "1.234,50 €")
    try example.liquid("{{ user.streak | plural: one: \"day\", other: \"days\" }}", "days")
    try example.liquid("{{ 1 | plural: one: \"day\", other: \"days\" }}", "day")
    example.end()
  }

  @Test("docs/templates.md, block 6")
  func docs_templates_md_block_6() throws {
    let example = ExampleRun(results: 1)

    let template = try TemplateEnvironment().compile("Hi {{ user.firstName }}!").get()
    for name in ["Mara", "Noor"] {
      try example.same(template.render(["user": ["firstName": .string(name)]]).text == "Hi \(name)!", true)
    }
    example.end()
  }
}
