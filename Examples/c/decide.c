/* Decides one user, explains the decision, and decides a table: the main uses of libtollgate.
 *
 *   Tools/link-library.sh
 *   cc -o decide Examples/c/decide.c -Iout/library -Lout/library -ltollgate -Wl,-rpath,out/library
 *   ./decide corpus/demo/config.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tollgate.h"

/* Prints a text and frees it. */
static void say(const char *what, tg_text text) {
  printf("%s: %.*s\n", what, (int)text.count, text.bytes ? text.bytes : "");
  tg_text_free(text);
}

static char *read_file(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *bytes = NULL;
  *count = 0;
  for (size_t space = 1 << 16, got = 1; got > 0; space *= 2) {
    char *more = realloc(bytes, space);
    if (!more) break;
    bytes = more;
    got = fread(bytes + *count, 1, space - *count, file);
    *count += got;
  }
  fclose(file);
  return bytes;
}

/* A table of two users, as a database passes it: a struct of the columns `userId`, `params.format` and
 * `params.pages`. None of it is on the heap, so releasing it only sets the mark. */
static void release_array(struct ArrowArray *array) { array->release = NULL; }
static void release_schema(struct ArrowSchema *schema) { schema->release = NULL; }

static int32_t id_ends[] = {0, 3, 6}, format_ends[] = {0, 3, 6}, page_counts[] = {42, 1};
static const void *id_buffers[] = {NULL, id_ends, "annbob"};
static const void *format_buffers[] = {NULL, format_ends, "pdfcsv"};
static const void *page_buffers[] = {NULL, page_counts};
static const void *table_buffers[] = {NULL};

static struct ArrowArray ids = {.length = 2, .n_buffers = 3, .buffers = id_buffers, .release = release_array};
static struct ArrowArray formats = {.length = 2, .n_buffers = 3, .buffers = format_buffers, .release = release_array};
static struct ArrowArray pages = {.length = 2, .n_buffers = 2, .buffers = page_buffers, .release = release_array};
static struct ArrowArray *columns[] = {&ids, &formats, &pages};
static struct ArrowArray table = {
    .length = 2, .n_buffers = 1, .buffers = table_buffers, .n_children = 3, .children = columns,
    .release = release_array};

static struct ArrowSchema id_field = {.format = "u", .name = "userId", .release = release_schema};
static struct ArrowSchema format_field = {
    .format = "u", .name = "params.format", .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
static struct ArrowSchema pages_field = {
    .format = "i", .name = "params.pages", .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
static struct ArrowSchema *fields[] = {&id_field, &format_field, &pages_field};
static struct ArrowSchema schema = {
    .format = "+s", .name = "", .n_children = 3, .children = fields, .release = release_schema};

static int decide_table(const tg_config *config) {
  const char *options = "{\"placements\": [\"export_report\"], \"now\": \"2026-03-01T12:00:00Z\","
                        " \"fields\": [\"result\"], \"missingColumns\": \"ignore\"}";
  tg_plan *plan;
  tg_text error;
  if (tg_plan_make(config, options, strlen(options), NULL, &plan, &error) != TG_OK) {
    say("error", error);
    return 1;
  }
  struct ArrowArray outcomes;
  tg_report *report;
  tg_report_make(&report);
  int status = tg_plan_decide(plan, &schema, &table, report, &outcomes, &error) == TG_OK ? 0 : 1;
  if (status == 0) {
    /* A struct for each placement, with a column of strings in it. */
    const struct ArrowArray *results = outcomes.children[0]->children[0];
    const int32_t *ends = results->buffers[1];
    const char *bytes = results->buffers[2];
    for (int64_t row = 0; row < results->length; row++)
      printf("row %d: %.*s\n", (int)row, (int)(ends[row + 1] - ends[row]), bytes + ends[row]);
    outcomes.release(&outcomes);
    tg_text counts;
    tg_report_read(report, &counts);
    printf("counted: %s\n", strncmp(counts.bytes, "{\"users\":2,", 11) == 0 ? "2 users" : counts.bytes);
    tg_text_free(counts);
  } else {
    say("error", error);
  }
  tg_report_free(report);
  tg_plan_free(plan);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s config.json\n", argv[0]);
    return 2;
  }
  if (tg_abi_version() != TG_ABI_VERSION) {
    fprintf(stderr, "libtollgate is of another version than tollgate.h\n");
    return 1;
  }
  size_t count;
  char *json = read_file(argv[1], &count);
  if (!json) {
    perror(argv[1]);
    return 1;
  }
  const char *options = "{\"seed\": \"demo\"}";
  tg_config *config;
  tg_text diagnostics;
  int32_t status = tg_config_compile(json, count, options, strlen(options), &config, &diagnostics);
  free(json);
  if (status != TG_OK) {
    say("error", diagnostics);
    return 1;
  }
  tg_text_free(diagnostics);

  const char *user = "{\"userId\": \"ann\", \"params\": {\"format\": \"pdf\", \"pages\": 42}, \"now\": \"2026-03-01T12:00:00Z\","
                     " \"placements\": [\"export_report\"]}";
  tg_text answer;
  tg_decide(config, user, strlen(user), &answer);
  say("decide", answer);

  const char *why = "{\"placement\": \"export_report\", \"text\": true, \"now\": \"2026-03-01T12:00:00Z\","
                    " \"user\": {\"userId\": \"ann\", \"params\": {\"format\": \"csv\"}}}";
  tg_explain(config, why, strlen(why), &answer);
  say("explain", answer);

  const char *wrong = "{\"userId\": \"ann\", \"placements\": [\"export_reports\"]}";
  tg_decide(config, wrong, strlen(wrong), &answer);
  say("error", answer);

  int failed = decide_table(config);
  tg_config_free(config);
  return failed;
}
