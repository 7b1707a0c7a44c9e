// Runs the suites of the corpus that the package can answer, and fails unless every case passes and as many as
// JavaScript/test/counts.json says. CORPUS=all runs all recorded programs, otherwise every eighth.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { runSuites } from "./suites.mjs";

const root = new URL("../../", import.meta.url);
const tollgate = await import(new URL("out/wasm/tollgate.js", root));
const superscript = await import(new URL("out/wasm/superscript.js", root));
const bytes = (name) => readFileSync(new URL(name, root));
const read = async (name) => (name.endsWith(".gz") ? gunzipSync(bytes(`corpus/${name}`)) : bytes(`corpus/${name}`)).toString();
const counts = JSON.parse(bytes("JavaScript/test/counts.json"));
const all = JSON.parse(bytes("corpus/counts.json"));
const isShort = process.env.CORPUS !== "all";
const recorded = ["superscript", "superscript-versions"];

const results = await runSuites({ tollgate, superscript, read }, isShort ? 8 : 1);
for (const [name, { passed, failed }] of Object.entries(results)) {
  test(name, () => {
    console.log(`${name}: ${passed} of ${passed + failed.length}`);
    assert.deepEqual(failed.slice(0, 5), []);
    if (!recorded.includes(name) || !isShort) assert.equal(passed, counts[name]);
    // All of what the command passes.
    if (recorded.includes(name)) assert.equal(counts[name], all[name].passed);
  });
}
