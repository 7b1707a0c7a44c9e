/* Tollgate: which paywall a user sees, and what it says about prices.
 *
 * Memory. What a function makes belongs to the caller: `tg_config`, `tg_plan` and `tg_report` go to their
 * `_free`, a `tg_text` to `tg_text_free`, Arrow structures to their own `release`. Every function that takes
 * `out` parameters sets all of them, also when it fails: handles to NULL, texts to a text that is there or to
 * {NULL, 0}, Arrow structures to released ones. So a caller may free whatever it has got, in any case. What
 * is passed in stays the caller's and is not kept, except where "taken" is said.
 *
 * Threads. A config and a plan never change: any number of threads may use one at once, and free it when the
 * last of them is done. A report counts safely from several threads. A stream is used by one thread at a time.
 *
 * Texts are UTF-8 and come with their length in bytes; a text that is given out ends with a zero byte, too,
 * which `count` leaves out. Requests and answers are JSON, with the names that the HTTP service has
 * (docs/server.md). Members that a function does not know are refused where it reads options, and ignored in
 * user records, which may have more than rules read.
 *
 * Errors. A function that fails returns one of the codes below, and gives a text (JSON) that says what is
 * wrong and where:
 *
 *   {"code": "bad-column", "message": "the column 'age' holds decimals ...", "column": "age"}
 *
 * "code" is for programs and does not change, "message" is a sentence for people. "column" and "row" name a
 * place in a table, "path" a member of a request, "offset" a byte of a text that is not JSON, "diagnostics" is a
 * list of findings as `tollgate check --json` prints them.
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

/* ---- What every function returns ---- */

#define TG_OK 0
/* A pointer that must be there is NULL, or a text is not JSON or not UTF-8. */
#define TG_BAD_ARGUMENT 1
/* A config cannot be used; the text has "diagnostics". */
#define TG_BAD_CONFIG 2
/* A request or an option asks for what is not there, or has the wrong type. */
#define TG_BAD_REQUEST 3
/* A table lacks a column that is needed, or one is of the wrong kind; the text has "column". */
#define TG_BAD_COLUMN 4
/* An array contradicts itself or its schema, or a stream of arrays failed. */
#define TG_BAD_ARRAY 5
/* A limit was reached. */
#define TG_TOO_LARGE 6

/* ---- Versions ---- */

/* Grows when a function of this header changes or goes; a caller that was made for another one must not go on. */
#define TG_ABI_VERSION 1
uint32_t tg_abi_version(void);
/* "1.0.0"; of the library, which is one with that of the command and the packages. Not to be freed. */
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
 * Options, all of which may be left out, as may the text itself (NULL):
 *   "platform"  "ios", "android", "web" or "cel": how conditions are evaluated; "ios" unless given
 *   "seed"      what draws of variants depend on beside the user; "" unless given
 *   "assigner"  "hash" or "djb2"; by the config's format unless given
 *   "timeZone"  of questions such as "today"; "UTC" unless given
 *   "products"  the products with their prices, as `tollgate render --products` takes them, or as a text
 *   "texts"     the texts of paywalls, as `tollgate precompute --render` takes them, or as a text
 *   "strict"    true: a config with errors in some of its rules is refused, not used without these
 *
 * `diagnostics` gets the findings as a JSON list, on success too ("[]" where there are none); on failure the
 * error. It may be NULL. */
int32_t tg_config_compile(
    const char *TG_NULLABLE json, size_t count, const char *TG_NULLABLE options, size_t options_count,
    tg_config *TG_NULLABLE *TG_NULLABLE out, tg_text *TG_NULLABLE diagnostics);

/* {"format": "superwall", "placements": ["export_report"], "requirements": ["user.plan"], "events": ["app_open"],
 *  "paywalls": ["annual"], "assigner": "hash", "seed": "", "timeZone": "UTC"}: what the config has, what rules
 * read of users, and which events they ask about. */
int32_t tg_config_describe(const tg_config *TG_NULLABLE config, tg_text *TG_NULLABLE out);

void tg_config_free(tg_config *TG_NULLABLE config);

/* ---- One user ----
 *
 * Request and answer are JSON; `out` gets the answer, or the error. */

/* A user record with what is asked for:
 *
 *   {"userId": "u-1", "user": {"plan": "free"}, "placements": ["export_report"], "now": "2026-03-01T12:00:00Z"}
 *
 * Members beside the record's: "placements" (all unless given), "now" (the present time unless given), "seed",
 * and true for "reasons", "explain", "products", "texts". The answer has an outcome for each placement:
 *
 *   {"decisions": [{"userId": "u-1", "placement": "export_report", "audience": 0, "paywall": "annual",
 *     "result": {"result": "paywall", "experiment": {"id": "e", "groupId": "g",
 *       "variant": {"id": "v", "type": "TREATMENT", "paywallId": "annual"}}}}]} */
int32_t tg_decide(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"user": {record}, "placement": "export_report" (or nothing for all), "audience": 0, "set": {"user.plan":
 * "pro"}, "now": "..", "seed": ".."} -> an explanation, or a list of them. With "audience" (its number, ID,
 * experiment or name) it is about that audience alone, and has the smallest change that makes it take the user:
 * {"changes": [{"path": "user.plan", "from": "pro", "to": "free"}]}. With "text": true the answer is
 * {"text": "..."}: the explanation for people. */
int32_t tg_explain(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"template": "Only << products.selected.price >>", "products": [..], "user": {record}, "dialect": "superwall",
 * "html": false, "select": "primary", "locale": "de_DE", "profile": "..", "timeZone": "..", "now": "..",
 * "eligible": false (for users that may not have the introductory offer; absent for what the record says)}
 * -> {"text", "isComplete", "errors"}. With "paywall": "annual" instead of "template": the texts of a paywall
 * that the options of the config give, {"texts": {"title": ".."}, "errors": [..]}. */
int32_t tg_render(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"schema": {..}, "now": ".."} -> {"diagnostics": [..], "counts": {"error": 0, "warning": 1, "note": 0}}:
 * what `tollgate check` says. */
int32_t tg_check(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* {"users": [records] or a text with one a line, "placements": [..], "now": ".."} -> what `tollgate diff --json`
 * prints: with users who moves and why, without a proof or a witness for each placement. */
int32_t tg_diff(
    const tg_config *TG_NULLABLE from, const tg_config *TG_NULLABLE to, const char *TG_NULLABLE request,
    size_t count, tg_text *TG_NULLABLE out);

/* {"tests": [..] or a text with one a line, "now": ".."} -> what `tollgate cover --json` prints: what no test
 * exercises. */
int32_t tg_cover(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE request, size_t count,
    tg_text *TG_NULLABLE out);

/* ---- Counts of many users ---- */

/* Counts of what was decided, over any number of calls and streams. */
typedef struct tg_report tg_report;

int32_t tg_report_make(tg_report *TG_NULLABLE *TG_NULLABLE out);

/* {"users": 2, "rejected": 1, "placements": {..}, "rejects": [{"row": 2, "reason": "'userId' is NULL, and must be there"}]}:
 * users and placements as in the summary of `tollgate precompute`, and the first 100 rows without an outcome.
 * Rows count from 0 in what a call or a stream was given. "placements" is {} before it counts for a plan. Where an
 * error has ended a stream, "failure" is that error as functions give it, with "column" and "row" where they are
 * known: streams themselves say the message alone. */
int32_t tg_report_read(const tg_report *TG_NULLABLE report, tg_text *TG_NULLABLE out);

void tg_report_free(tg_report *TG_NULLABLE report);

/* ---- Plans: many users, as tables in Arrow's form ---- */

typedef struct tg_plan tg_plan;

/* What is decided for every row of a table.
 *
 * Options, all of which may be left out:
 *   "placements"      names; all of the config unless given
 *   "now"             the time of all decisions; the present time when the plan is made unless given
 *   "seed"            instead of the config's
 *   "layout"          "wide": a struct for each placement. Others are refused
 *   "fields"          of ["result", "audience", "experiment", "variant", "paywall", "reason"]; all but
 *                     "audience" and "reason" unless given. A reason is a text of JSON, as `tollgate precompute
 *                     --reasons` writes it, or NULL where there is nothing to say
 *                     [] for tables that have rows and no columns, for who wants the report alone
 *   "codes"           true: one number for each placement instead of a struct, by tg_plan_describe's "choices"
 *   "texts"           "string_view", "utf8" or "dictionary": how texts are given out; "utf8" unless given
 *   "subject"         the column with the users' identities; "userId" unless given
 *   "root"            "user" or "device": whose attributes columns are that name no root
 *   "columns"         {"user.plan": "plan"}: which column an attribute is in, where names differ
 *   "nulls"           "missing": NULL is an attribute that is not there; "null": JSON's null
 *   "missingColumns"  "error" or "ignore": what to do with attributes that no column has
 *
 * `users` is the schema of the tables, or NULL: then it is looked at when there is a table. A plan that has been
 * given a schema refuses tables of another one. */
int32_t tg_plan_make(
    const tg_config *TG_NULLABLE config, const char *TG_NULLABLE options, size_t count,
    const struct ArrowSchema *TG_NULLABLE users, tg_plan *TG_NULLABLE *TG_NULLABLE out,
    tg_text *TG_NULLABLE error);

/* {"placements": [..], "now": "..", "requirements": [..], "fields": [..], "choices": [{"result": "paywall",
 * "audience": 0, "experiment": "e", "variant": "v", "paywall": "annual"}]}; a code is a place among the
 * choices. */
int32_t tg_plan_describe(const tg_plan *TG_NULLABLE plan, tg_text *TG_NULLABLE out);

/* The schema of the outcomes: a struct with a column for each placement. */
int32_t tg_plan_schema(
    const tg_plan *TG_NULLABLE plan, struct ArrowSchema *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides for all rows of one array of structs. The outcomes have as many rows, in the same order; a row whose
 * user cannot be read is NULL in every placement, and is in the report. `schema` and `users` are not released.
 * Columns of a table without rows may be floats or NULL where others belong.
 * `report` and `error` may be NULL. */
int32_t tg_plan_decide(
    const tg_plan *TG_NULLABLE plan, const struct ArrowSchema *TG_NULLABLE schema,
    const struct ArrowArray *TG_NULLABLE users, tg_report *TG_NULLABLE report,
    struct ArrowArray *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides for a stream of arrays as they are asked for: `out` is a stream of outcomes in parts of at most 8,192
 * rows. `users` is taken, also when the call fails: its `release` is NULL afterwards. The plan, the config and
 * the report may be freed before the stream is released. */
int32_t tg_plan_stream(
    const tg_plan *TG_NULLABLE plan, struct ArrowArrayStream *TG_NULLABLE users,
    tg_report *TG_NULLABLE report, struct ArrowArrayStream *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* Decides for a stream of arrays and counts only; `users` is taken, also when the call fails. `out` gets the
 * counts as tg_report_read gives them, or the error. */
int32_t tg_plan_count(
    const tg_plan *TG_NULLABLE plan, struct ArrowArrayStream *TG_NULLABLE users, tg_text *TG_NULLABLE out);

void tg_plan_free(tg_plan *TG_NULLABLE plan);

/* ---- Arrays as streams ---- */

/* A stream of one array, for producers that export arrays only. Schema and array are taken: their `release` is
 * NULL afterwards. */
int32_t tg_array_stream(
    struct ArrowSchema *TG_NULLABLE schema, struct ArrowArray *TG_NULLABLE array,
    struct ArrowArrayStream *TG_NULLABLE out, tg_text *TG_NULLABLE error);

/* ---- Python ----
 *
 * Capsules of Arrow structures own their memory and free it in a destructor, which must not be code of Python:
 * it would be gone when the interpreter ends. */

/* Hands over the address of PyCapsule_GetPointer. Call it once, before the first capsule is made. */
void tg_python_setup(void *TG_NULLABLE get_pointer);

/* Memory for a structure of Arrow's, all zero, as the destructors below free it. */
void *TG_NULLABLE tg_python_allocate(size_t bytes);

/* Destructors of capsules called "arrow_schema", "arrow_array" and "arrow_array_stream": they release what has
 * not been released or moved away, and free the memory. */
void tg_python_free_schema(void *TG_NULLABLE capsule);
void tg_python_free_array(void *TG_NULLABLE capsule);
void tg_python_free_stream(void *TG_NULLABLE capsule);

#ifdef __cplusplus
}
#endif

#endif
