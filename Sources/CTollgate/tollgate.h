/* Tollgate: which paywall a user sees, and what it says about prices.
 *
 * Memory. Results belong to the caller. `tg_config`, `tg_plan` and `tg_report` must be passed to their `_free`
 * functions, a `tg_text` to `tg_text_free`, and Arrow structures to their own `release`. Every function with
 * `out` parameters sets all of them, even if it fails: handles to NULL, texts to a valid text or to {NULL, 0},
 * Arrow structures to released ones. So a caller may always free all results. Arguments stay the caller's, and
 * are not stored, except where the comment says "taken".
 *
 * Threads. A config and a plan never change: any number of threads may use one at the same time. Free a config or a
 * plan when no thread uses it any more. A report may be used by several threads. A stream is used by one thread at a time.
 *
 * Texts are UTF-8 and have a length in bytes. A returned text also ends with a zero byte, which `count` does not
 * include. Requests and answers are JSON, with the same names as in the HTTP service (docs/server.md). Unknown
 * members of options are rejected. In user records they are ignored, because records may have more members than
 * rules read.
 *
 * Errors. A function that fails returns one of the codes below, and a text (JSON) with the reason and the place:
 *
 *   {"code": "bad-column", "message": "the column 'age' holds decimals ...", "column": "age"}
 *
 * "code" is for programs and does not change, "message" is a sentence for people. "column" and "row" name a
 * place in a table, "path" a member of a request, "offset" a byte of invalid JSON, "diagnostics" is a list of
 * findings as printed by `tollgate check --json`.
 */
#ifndef TOLLGATE_H
#define TOLLGATE_H

#include <stddef.h>
#include <stdint.h>

#if __has_include("arrow.h")
#include "arrow.h"
#else
#include "../CArrow/arrow.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define TG_NONNULL _Nonnull
#define TG_NULLABLE _Nullable
#else
#define TG_NONNULL
#define TG_NULLABLE
#endif

/* ---- Return values of all functions ---- */

#define TG_OK 0
/* A required pointer is NULL, or a text is not JSON or not UTF-8. */
#define TG_BAD_ARGUMENT 1
/* A config is unusable. The text has "diagnostics". */
#define TG_BAD_CONFIG 2
/* A request or an option names something that does not exist, or has the wrong type. */
#define TG_BAD_REQUEST 3
/* A table lacks a required column, or a column has the wrong type. The text has "column". */
#define TG_BAD_COLUMN 4
/* An array contradicts itself or its schema, or a stream of arrays failed. */
#define TG_BAD_ARRAY 5
/* A limit was reached. */
#define TG_TOO_LARGE 6

/* ---- Versions ---- */

/* Increases when a function of this header changes or is removed. Callers built for another version must stop. */
#define TG_ABI_VERSION 1
uint32_t tg_abi_version(void);
/* "1.0.0": the version of the library, the command and the packages. Must not be freed. */
const char *TG_NONNULL tg_version(void);

/* ---- Texts ---- */

typedef struct {
  char *TG_NULLABLE bytes;
  size_t count;
} tg_text;

void tg_text_free(tg_text text);

/* ---- Configs ---- */

/* A compiled config: Superwall's or AgentWallie's. */
typedef struct tg_config tg_config;

/* Compiles a config.
 *
 * All options are optional, and so is the whole text (NULL):
 *   "platform"  "ios", "android", "web" or "cel": how conditions are evaluated (default: "ios")
 *   "seed"      the input of variant draws, in addition to the user (default: "")
 *   "assigner"  "hash" or "djb2" (default: by the config's format)
 *   "timeZone"  for questions such as "today" (default: "UTC")
 *   "products"  the products with their prices, as for `tollgate render --products`, or as a string
 *   "texts"     the texts of paywalls, as for `tollgate precompute --render`, or as a string
 *   "strict"    true: a config with errors in some rules is rejected, and not used without these rules
 *
 * On success, `diagnostics` receives the findings as a JSON list, or "[]" if there are none. On failure,
 * `diagnostics` receives the error. The pointer may be NULL. */
int32_t tg_config_compile(
    const char *TG_NULLABLE json, size_t count, const char *TG_NULLABLE options, size_t options_count,
    tg_config *TG_NULLABLE *TG_NULLABLE out, tg_text *TG_NULLABLE diagnostics);

/* {"format": "superwall", "placements": ["export_report"], "requirements": ["user.plan"], "attributes": [..],
 *  "events": ["app_open"], "paywalls": ["annual"], "assigner": "hash", "seed": "", "timeZone": "UTC"}: the contents of
 * the config, the attributes that rules read, and the events that they ask about.
 *
 * "attributes" describes what rules need of each attribute:
 *
 *   {"path": "user.plan", "kinds": ["string"], "placements": ["export_report"]}
 *
 * "kinds": "string", "number", "integer" (CEL computes with it and an integer), "boolean", "date" (a timestamp, or a
 * string such as 2026-03-01T12:00:00Z), "map", "list", or "list<..>" of one of these. The first kind is the
 * most specific. If the list is empty, rules only ask whether there is a value. "placements" are the placements that
 * read the attribute. "derivedFrom" lists the attributes that replace a missing attribute; [] if the clock is enough.
 * Without this member, the attribute is not derived. */
int32_t tg_config_describe(const tg_config *TG_NULLABLE config, tg_text *TG_NULLABLE out);

void tg_config_free(tg_config *TG_NULLABLE config);

/* ---- One user ----
 *
 * Request and answer are JSON. `out` receives the answer, or the error. */

/* Decides placements for one user. The request is a user record with additional members:
 *
 *   {"userId": "u-1", "user": {"plan": "free"}, "placements": ["export_report"], "now": "2026-03-01T12:00:00Z"}
 *
 * The additional members: "placements" (default: all), "now" (default: the present time), "seed",
 * "sdkVersion" (the SDK that decides: "newest", "record" for the device's SDK, or a version such as "4.12.5"), and
 * true for "reasons", "explain", "products", "texts". The answer has an outcome for each placement:
 *
 *   {"decisions": [{"userId": "u-1", "placement": "export_report", "audience": 0, "paywall": "annual",
 *     "result": {"result": "paywall", "experiment": {"id": "e", "groupId": "g",
 *       "variant": {"id": "v", "type": "TREATMENT", "paywallId": "annual"}}}}]} */
int32_t tg_decide(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"user": {record}, "placement": "export_report" (default: all), "audience": 0, "set": {"user.plan": "pro"},
 * "now": "..", "seed": "..", "sdkVersion": ".."} -> an explanation, or a list of them. With "audience" (its number, ID, experiment or
 * name) the explanation only covers that audience, and has the smallest change that makes it take the user:
 * {"changes": [{"path": "user.plan", "from": "pro", "to": "free"}]}. With "text": true the answer is
 * {"text": "..."}: the explanation for people. */
int32_t tg_explain(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"template": "Only << products.selected.price >>", "products": [..], "user": {record}, "dialect": "superwall",
 * "html": false, "select": "primary", "locale": "de_DE", "profile": "..", "timeZone": "..", "now": "..",
 * "eligible": false (for users without the introductory offer; default: as in the record)}
 * -> {"text", "isComplete", "errors"}. With "paywall": "annual" instead of "template": the texts of a paywall from
 * the options of the config, {"texts": {"title": ".."}, "errors": [..]}. */
int32_t tg_render(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"schema": {..}, "now": ".."} -> {"diagnostics": [..], "counts": {"error": 0, "warning": 1, "note": 0}}:
 * the findings of `tollgate check`. */
int32_t tg_check(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"users": [records] or a string with one per line, "placements": [..], "distribution": false, "now": "..",
 * "seed": "..", "sdkVersion": ".."} -> {"users": 2, "rejected": 0, "placements": {..}}: the number of users that each
 * audience reaches, matches and takes, as printed by `tollgate match --json`. */
int32_t tg_match(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"products": [..], "locale": "de_DE", "profile": "..", "timeZone": "..", "eligible": false, "now": ".."}
 * -> {"products": [{"slot": "primary", "productId": "..", "attributes": {"price": "..", ..}}]}: what paywalls can say
 * about products. */
int32_t tg_products(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"users": [records] or a string with one per line, "placements": [..], "now": ".."} -> the output of
 * `tollgate diff --json`: with users, the users that move and why, otherwise a proof or a witness for each
 * placement. */
int32_t tg_diff(
    const tg_config *TG_NULLABLE from, const tg_config *TG_NULLABLE to, const char *TG_NULLABLE request,
    size_t count, tg_text *TG_NULLABLE out);

/* {"tests": [..] or a string with one per line, "now": ".."} -> the output of `tollgate cover --json`: the parts
 * that no test exercises. */
int32_t tg_cover(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"database": "duckdb", "table": "users", "names": "dots", "types": {"user.ltv": "double"}, "placements": [..],
 * "noHistory": true, "now": "..", "seed": "..", "sdkVersion": ".."} -> the output of `tollgate sql --json`, with a
 * "summary" for people: {"sql": "WITH ..", "columns": [{"path": "user.plan", "names": ["user.plan"], "kind": "text",
 * "type": "VARCHAR"}], "placements": [..], "audiences": {"total": 4, "covered": 3}, ..}. "sql" is null if no placement
 * can be written in SQL. Only "database" is required: "duckdb", "bigquery", "snowflake", "postgres" or "spark". */
int32_t tg_sql(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* ---- One expression ---- */

/* superscript's input with the host's answers instead of its callbacks:
 *
 *   {"variables": {"map": {"user": {"type": "map", "value": {"age": {"type": "int", "value": 3}}}}},
 *    "device": {"daysSince": []}, "answers": {"daysSince(\"app_open\")": {"type": "uint", "value": 4}},
 *    "expression": "user.age > 2", "evaluator": "text"}
 *
 * -> {"Ok": {"type": "bool", "value": true}} or {"Err": ".."}. "evaluator" is "raw", "numeric", "skip" or "text", the
 * generation of superscript. With "questions": true the answer has the calls that need answers:
 * {"questions": [{"call": "daysSince(\"app_open\")", "function": "daysSince", "argument": "app_open"}]}. */
int32_t tg_evaluate(const char *TG_NULLABLE request, size_t count, tg_text *TG_NULLABLE out);

/* ---- Counts of many users ---- */

/* Counts of decisions, over any number of calls and streams. */
typedef struct tg_report tg_report;

int32_t tg_report_make(tg_report *TG_NULLABLE *TG_NULLABLE out);

/* {"users": 2, "rejected": 1, "placements": {..}, "rejects": [{"row": 2, "reason": "'userId' is NULL; it is required"}],
 * "warnings": [{"code": "column-kind", "column": "user.age", "path": "user.age", "message": ".."}]}:
 * users and placements as in the summary of `tollgate precompute`, and the first 100 rows without an outcome.
 * "warnings", if there are any, have a "message" for people: "column-kind" reports a column of a type that rules are
 * not written for, "untrimmed-id" reports IDs that begin or end with white space ("users" is their number), and
 * "rejected-rows" reports a table in which no row has an outcome.
 * Rows count from 0 in the table of a call or a stream. "placements" is {} before the first use with a plan. If an
 * error has ended a stream, "failure" is that error as returned by functions, with "column" and "row" if they are
 * known. The stream itself only has the message. */
int32_t tg_report_read(const tg_report *TG_NULLABLE report, tg_text *TG_NULLABLE out);

void tg_report_free(tg_report *TG_NULLABLE report);

/* ---- Plans: many users, as Arrow tables ---- */

typedef struct tg_plan tg_plan;

/* Decides every row of a table.
 *
 * All options are optional:
 *   "placements"      names (default: all of the config)
 *   "now"             the time of all decisions (default: the time at which the plan is made)
 *   "seed"            overrides the seed of the config
 *   "layout"          "wide": a struct for each placement. Other layouts are rejected
 *   "fields"          from ["result", "audience", "experiment", "variant", "paywall", "reason"] (default: all but
 *                     "audience" and "reason"). A reason is a JSON string, as written by `tollgate precompute
 *                     --reasons`, or NULL if there is none
 *                     [] for tables with rows and no columns, if only the report is needed
 *   "codes"           true: one number for each placement instead of a struct, see tg_plan_describe's "choices"
 *   "texts"           "string_view", "utf8" or "dictionary": the type of string columns (default: "utf8")
 *   "subject"         the column with the users' identities (default: "userId")
 *   "root"            "user" or "device": the root of the attributes in columns without a root
 *   "columns"         {"user.plan": "plan"}: the column of an attribute, if names differ
 *   "nulls"           "missing": NULL is a missing attribute; "null": JSON's null. An element of a list that is NULL
 *                     is always null
 *   "missingColumns"  "error" or "ignore": the treatment of attributes without a column
 *   "sdkVersion"      "newest" or a version such as "4.12.5": the SDK that decides every row; "record": by the columns
 *                     device.platform, device.sdkVersion and device.platformWrapper; "ios=4.12.5,android=2.6.8"
 *
 * `users` is the schema of the tables. If it is NULL, the schema of each table is checked when the table is decided.
 * A plan with a schema rejects tables with another schema. */
int32_t tg_plan_make(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE options, size_t count,
    const struct ArrowSchema *TG_NULLABLE users, tg_plan *TG_NULLABLE *TG_NULLABLE out,
    tg_text *TG_NULLABLE error);

/* {"placements": [..], "now": "..", "requirements": [..], "attributes": [..], "fields": [..], "choices": [{"result": "paywall",
 * "audience": 0, "experiment": "e", "variant": "v", "paywall": "annual"}]}. A code is an index into the
 * choices. "attributes" are as in tg_config_describe. A plan with a schema has "warnings", as in a report, if there
 * are any. */
int32_t tg_plan_describe(const tg_plan *TG_NULLABLE plan, tg_text *TG_NULLABLE out);

/* The schema of the outcomes: a struct with a column for each placement. */
int32_t tg_plan_schema(
    const tg_plan *TG_NULLABLE plan, struct ArrowSchema *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides all rows of one array of structs. The outcomes have the same number of rows, in the same order. A row
 * with an invalid user is NULL in every placement, and is in the report. `schema` and `users` are not released.
 * Columns of a table without rows may be floats or NULL instead of other types.
 * `report` and `error` may be NULL. */
int32_t tg_plan_decide(
    const tg_plan *TG_NULLABLE plan, const struct ArrowSchema *TG_NULLABLE schema,
    const struct ArrowArray *TG_NULLABLE users, tg_report *TG_NULLABLE report,
    struct ArrowArray *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides a stream of arrays on demand: `out` is a stream of outcomes in parts of at most 8,192 rows. `users` is
 * taken, even if the call fails: its `release` is NULL afterwards. The plan, the config and the report may be freed
 * before the stream is released. */
int32_t tg_plan_stream(
    const tg_plan *TG_NULLABLE plan, struct ArrowArrayStream *TG_NULLABLE users,
    tg_report *TG_NULLABLE report, struct ArrowArrayStream *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides a stream of arrays and only counts. `users` is taken, even if the call fails. `out` receives the counts
 * as from tg_report_read, or the error. */
int32_t tg_plan_count(
    const tg_plan *TG_NULLABLE plan, struct ArrowArrayStream *TG_NULLABLE users, tg_text *TG_NULLABLE out);

void tg_plan_free(tg_plan *TG_NULLABLE plan);

/* ---- Arrays as streams ---- */

/* A stream of one array, for producers that only export arrays. Schema and array are taken: their `release` is
 * NULL afterwards. */
int32_t tg_array_stream(
    struct ArrowSchema *TG_NULLABLE schema, struct ArrowArray *TG_NULLABLE array,
    struct ArrowArrayStream *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* ---- Python ----
 *
 * Capsules of Arrow structures own their memory and free it in a destructor. The destructor must not be Python
 * code, which no longer exists when the interpreter ends. */

/* Stores the address of PyCapsule_GetPointer. Call it once, before the first capsule is made. */
void tg_python_setup(void *TG_NULLABLE get_pointer);

/* Zeroed memory for an Arrow structure, which the destructors below free. */
void *TG_NULLABLE tg_python_allocate(size_t bytes);

/* Destructors of capsules called "arrow_schema", "arrow_array" and "arrow_array_stream": they release structures
 * that have not been released or moved, and free the memory. */
void tg_python_free_schema(void *TG_NULLABLE capsule);
void tg_python_free_array(void *TG_NULLABLE capsule);
void tg_python_free_stream(void *TG_NULLABLE capsule);

#ifdef __cplusplus
}
#endif

#endif
