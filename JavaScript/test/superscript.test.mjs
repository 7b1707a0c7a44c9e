// Tests of superscript.js beside the recorded programs, which corpus.test.mjs runs.
import assert from "node:assert/strict";
import test from "node:test";

const superscript = await import(new URL("../../out/wasm/superscript.js", import.meta.url));
const { evaluateWithContext, evaluate_with_context } = superscript;

const yes = '{"Ok":{"type":"bool","value":true}}';
const text = (value) => ({ type: "string", value });
const user = (members) => ({ map: { user: { type: "map", value: members } } });

test("asks the host, at once or later", async () => {
  const asked = [];
  const answer = (name, args) => {
    asked.push([name, ...args]);
    return { type: "uint", value: args[0]?.value === "app_open" ? 4 : 9 };
  };
  const input = {
    variables: user({ event: text("app_open") }),
    device: { daysSince: [] }, computed: { daysSince: [], hoursSince: [] },
    expression: 'device.daysSince("app_open") == 4 && computed.hoursSince("x") == 9',
  };
  const hosts = [
    { device_property: answer, computed_property: answer },
    { device_property: async (...all) => answer(...all), computed_property: async (...all) => answer(...all) },
  ];
  for (const host of hosts) assert.equal(await evaluateWithContext(input, host), yes);
  assert.deepEqual(asked.slice(0, 2), [["daysSince", text("app_open")], ["hoursSince", text("x")]]);
  for (const expression of ["device.daysSince(user.event) == 4", 'device.daysSince("other") == 9']) {
    assert.equal(await evaluateWithContext({ ...input, expression }, hosts[1]), yes, expression);
  }
  const rejecting = { ...hosts[0], device_property: () => { throw new Error("offline"); } };
  await assert.rejects(evaluateWithContext(input, rejecting), /offline/);
  const silent = { device_property: () => undefined, computed_property: () => ({ type: "date", value: 3 }) };
  assert.equal(await evaluateWithContext({ ...input, expression: 'device.daysSince("a") == null && computed.hoursSince("b") == null' }, silent), yes);
});

test("follows the generation of the web SDK", async () => {
  const input = { variables: user({ age: text("25") }), expression: "user.age > 18" };
  assert.equal(await evaluateWithContext(input, {}), yes);
  assert.match(await evaluateWithContext(input, {}, { evaluator: "text" }), /^\{"Err"/);
  assert.equal(superscript.default.evaluateWithContext, evaluateWithContext);
  await assert.rejects(evaluateWithContext({ ...input, expression: "1 / 0 == 1" }, {}), /panics/);
});

test("answers what it cannot read with an error", async () => {
  for (const input of [
    undefined, null, {}, { expression: 3 }, { expression: "user.age >" },
    { variables: { map: { user: { type: "word", value: 1 } } }, expression: "1" },
    { variables: { map: { user: { type: "int", value: "1" } } }, expression: "1" },
  ]) {
    assert.match(await evaluateWithContext(input, {}), /^\{"Err":"/, JSON.stringify(input));
  }
  assert.match(await evaluate_with_context("{", {}), /^\{"Err":"/);
});
