// Draws for many subjects at once with AVX-512, where tollgate_is_wide() is true. XXH64 is computed for eight subjects
// at a time, each after the prefix of its own rule, which is already hashed. The results equal those of FixedLengthHash
// and VariantChooser. Eight vectors are computed in parallel: each multiplication depends on the previous one, and a
// processor does not look far enough ahead to find independent ones.
//
// SAFETY: Columns are read by words of a mask, to whose end they are filled. Only rows of the mask
// are written. Rows outside it count as rule 0, which every table has. Tests: PlacementDrawsTests,
// asan with AVX-512.
#ifndef TOLLGATE_DRAWS_H
#define TOLLGATE_DRAWS_H

#include "columns.h"

// Rules whose prefixes all have one length, and subjects that all have one length.
struct __attribute__((swift_name("WideDraws"))) tollgate_wide_draws {
  // Columns of the subjects' words, `stride` words apart, with as many numbers as a block has rows.
  const uint64_t *columns;
  long stride;
  // The number of columns for lanes, of all columns of whole words, and of the bytes after them.
  long laneWords;
  long words;
  long rest;
  // The number of lanes that the subject does not change at first, and of stripes after the first one.
  long known;
  long stripes;
  // The data of the rules: a table for each of TOLLGATE_FIRST and so on, one after the other, each of `size`
  // numbers. The size is at least sixteen.
  const uint64_t *tables;
  long size;
  // The number of tables of limits. For rules with fewer limits, the remaining limits are so high that no draw reaches
  // them.
  long limits;
};

// The contents of tables.
enum __attribute__((enum_extensibility(closed), swift_name("WideDraws.Table"))) tollgate_draw_table {
  // The first choice of the rule.
  TOLLGATE_FIRST __attribute__((swift_name("first"))),
  // The data before the subject: its hash if there are no lanes, otherwise the number of bytes of the whole string.
  TOLLGATE_BEGUN __attribute__((swift_name("begun"))),
  // The part of the prefix in the subject's first word.
  TOLLGATE_TAIL __attribute__((swift_name("tail"))),
  // Four tables: the lanes before the subject.
  TOLLGATE_LANES __attribute__((swift_name("lanes"))),
  // Four tables: the parts of lanes that the subject does not change.
  TOLLGATE_MERGING __attribute__((swift_name("merging"))) = TOLLGATE_LANES + 4,
  TOLLGATE_LIMITS __attribute__((swift_name("limits"))) = TOLLGATE_MERGING + 4,
};

#if defined(TOLLGATE_HAS_WIDE)

#define TOLLGATE_INLINE static inline TOLLGATE_WIDE __attribute__((always_inline))

static const uint64_t tollgate_prime1 = 0x9E3779B185EBCA87;
static const uint64_t tollgate_prime2 = 0xC2B2AE3D27D4EB4F;
static const uint64_t tollgate_prime3 = 0x165667B19E3779F9;
static const uint64_t tollgate_prime4 = 0x85EBCA77C2B2AE63;

enum { TOLLGATE_VECTORS = 8 };

#define TOLLGATE_EACH(i) _Pragma("clang loop unroll(full)") for (int i = 0; i < TOLLGATE_VECTORS; i++)

// A number for each of 64 rows.
struct tollgate_words {
  __m512i at[TOLLGATE_VECTORS];
};

// 64 rows: the numbers of their rules, and which rows are drawn.
struct tollgate_rows {
  struct tollgate_words rules;
  __mmask8 there[TOLLGATE_VECTORS];
  // The column at the first of the rows.
  const uint64_t *column;
};

TOLLGATE_INLINE __m512i tollgate_all(uint64_t word) { return _mm512_set1_epi64((long long)word); }

// The numbers of a table for the rules of rows.
TOLLGATE_INLINE struct tollgate_words tollgate_of_rules(
    const struct tollgate_wide_draws *of, long table, const struct tollgate_rows *rows) {
  const uint64_t *numbers = of->tables + table * of->size;
  struct tollgate_words found;
  if (of->size == 16) {
    const __m512i low = _mm512_loadu_si512(numbers), high = _mm512_loadu_si512(numbers + 8);
    TOLLGATE_EACH(i) found.at[i] = _mm512_permutex2var_epi64(low, rows->rules.at[i], high);
  } else {
    TOLLGATE_EACH(i) found.at[i] = _mm512_mask_i64gather_epi64(
        _mm512_setzero_si512(), rows->there[i], rows->rules.at[i], numbers, 8);
  }
  return found;
}

// The next column's words.
TOLLGATE_INLINE struct tollgate_words tollgate_next(
    const struct tollgate_wide_draws *of, struct tollgate_rows *rows) {
  struct tollgate_words words;
  TOLLGATE_EACH(i) words.at[i] = _mm512_loadu_si512(rows->column + 8 * i);
  rows->column += of->stride;
  return words;
}

// The next state of a lane after words, which are already multiplied.
TOLLGATE_INLINE struct tollgate_words tollgate_round(
    struct tollgate_words lane, struct tollgate_words words) {
  TOLLGATE_EACH(i) lane.at[i] = _mm512_mullo_epi64(
      _mm512_rol_epi64(_mm512_add_epi64(lane.at[i], words.at[i]), 31),
      tollgate_all(tollgate_prime1));
  return lane;
}

// rotate(hash ^ word, bits) * factor + summand
#define TOLLGATE_STEP(hash, word, bits, factor, summand)                            \
  do {                                                                              \
    const struct tollgate_words added = word;                                       \
    TOLLGATE_EACH(i) {                                                              \
      const __m512i mixed = _mm512_rol_epi64(                                       \
          _mm512_xor_si512((hash).at[i], added.at[i]), bits);                       \
      (hash).at[i] = _mm512_add_epi64(                                              \
          _mm512_mullo_epi64(mixed, tollgate_all(factor)), tollgate_all(summand));  \
    }                                                                               \
  } while (0)

TOLLGATE_INLINE struct tollgate_words tollgate_lanes(
    const struct tollgate_wide_draws *of, struct tollgate_rows *rows) {
  struct tollgate_words lanes[4];
  struct tollgate_words tail = tollgate_of_rules(of, TOLLGATE_TAIL, rows);
  for (int lane = 0; lane < 4; lane++) {
    lanes[lane] = tollgate_of_rules(of, TOLLGATE_LANES + lane, rows);
    if (lane < of->known) continue;
    struct tollgate_words words = tollgate_next(of, rows);
    TOLLGATE_EACH(i) {
      words.at[i] = _mm512_add_epi64(words.at[i], tail.at[i]);
      tail.at[i] = _mm512_setzero_si512();
    }
    lanes[lane] = tollgate_round(lanes[lane], words);
  }
  for (long stripe = 0; stripe < of->stripes; stripe++) {
    for (int lane = 0; lane < 4; lane++) {
      lanes[lane] = tollgate_round(lanes[lane], tollgate_next(of, rows));
    }
  }
  struct tollgate_words hash;
  TOLLGATE_EACH(i) hash.at[i] = _mm512_add_epi64(
      _mm512_add_epi64(_mm512_rol_epi64(lanes[0].at[i], 1), _mm512_rol_epi64(lanes[1].at[i], 7)),
      _mm512_add_epi64(_mm512_rol_epi64(lanes[2].at[i], 12), _mm512_rol_epi64(lanes[3].at[i], 18)));
  for (int lane = 0; lane < 4; lane++) {
    struct tollgate_words round;
    if (of->stripes > 0 || lane >= of->known) {
      TOLLGATE_EACH(i) round.at[i] = _mm512_mullo_epi64(
          _mm512_rol_epi64(
              _mm512_mullo_epi64(lanes[lane].at[i], tollgate_all(tollgate_prime2)), 31),
          tollgate_all(tollgate_prime1));
    } else {
      round = tollgate_of_rules(of, TOLLGATE_MERGING + lane, rows);
    }
    TOLLGATE_STEP(hash, round, 0, tollgate_prime1, tollgate_prime4);
  }
  const struct tollgate_words begun = tollgate_of_rules(of, TOLLGATE_BEGUN, rows);
  TOLLGATE_EACH(i) hash.at[i] = _mm512_add_epi64(hash.at[i], begun.at[i]);
  return hash;
}

// The upper 53 bits of the hashes of rows.
TOLLGATE_INLINE struct tollgate_words tollgate_draw(
    const struct tollgate_wide_draws *of, struct tollgate_rows *rows) {
  struct tollgate_words hash;
  if (of->laneWords > 0) {
    hash = tollgate_lanes(of, rows);
  } else {
    hash = tollgate_of_rules(of, TOLLGATE_BEGUN, rows);
    const struct tollgate_words round =
        tollgate_round(tollgate_next(of, rows), tollgate_of_rules(of, TOLLGATE_TAIL, rows));
    TOLLGATE_STEP(hash, round, 27, tollgate_prime1, tollgate_prime4);
  }
  for (long word = of->laneWords > 0 ? of->laneWords : 1; word < of->words; word++) {
    TOLLGATE_STEP(hash, tollgate_next(of, rows), 27, tollgate_prime1, tollgate_prime4);
  }
  if (of->rest >= 4) {
    TOLLGATE_STEP(hash, tollgate_next(of, rows), 23, tollgate_prime2, tollgate_prime3);
  }
  for (long byte = 0; byte < (of->rest & 3); byte++) {
    TOLLGATE_STEP(hash, tollgate_next(of, rows), 11, tollgate_prime1, 0);
  }
  TOLLGATE_EACH(i) hash.at[i] = _mm512_mullo_epi64(
      _mm512_xor_si512(hash.at[i], _mm512_srli_epi64(hash.at[i], 33)),
      tollgate_all(tollgate_prime2));
  TOLLGATE_EACH(i) hash.at[i] = _mm512_mullo_epi64(
      _mm512_xor_si512(hash.at[i], _mm512_srli_epi64(hash.at[i], 29)),
      tollgate_all(tollgate_prime3));
  TOLLGATE_EACH(i) hash.at[i] = _mm512_srli_epi64(
      _mm512_xor_si512(hash.at[i], _mm512_srli_epi64(hash.at[i], 32)), 11);
  return hash;
}

// Draws for the rows of a mask of 512.
//
// numbers: by row, the number of its rule in the tables. Other rows are read too, but have no effect.
// reached: a mask for each limit, which receives the rows whose draws reach it. Other rows are cleared.
// choices: by row, written for the rows of the mask. May be NULL.
static inline TOLLGATE_WIDE
__attribute__((swift_name("WideDraws.draw(self:_:_:reached:choices:)"))) void tollgate_draw_rows(
    const struct tollgate_wide_draws *of, const uint64_t *mask, const uint8_t *numbers,
    uint64_t *reached, int32_t *choices) {
  memset(reached, 0, (size_t)of->limits * 64);
  for (long word = 0; word < 8; word++) {
    if (mask[word] == 0) continue;
    const long row = 64 * word;
    struct tollgate_rows rows;
    // Rows outside the mask have rule 0, which every table has.
    TOLLGATE_EACH(i) {
      rows.there[i] = (__mmask8)(mask[word] >> 8 * i);
      rows.rules.at[i] = _mm512_maskz_cvtepu8_epi64(
          rows.there[i], _mm_loadl_epi64((const __m128i *)(numbers + row + 8 * i)));
    }
    rows.column = of->columns + row;
    const struct tollgate_words drawn = tollgate_draw(of, &rows);
    struct tollgate_words choice = tollgate_of_rules(of, TOLLGATE_FIRST, &rows);
    for (long limit = 0; limit < of->limits; limit++) {
      const struct tollgate_words least = tollgate_of_rules(of, TOLLGATE_LIMITS + limit, &rows);
      uint64_t reaching = 0;
      TOLLGATE_EACH(i) {
        const __mmask8 those =
            _mm512_mask_cmpge_epu64_mask(rows.there[i], drawn.at[i], least.at[i]);
        choice.at[i] = _mm512_mask_add_epi64(
            choice.at[i], those, choice.at[i], _mm512_set1_epi64(1));
        reaching |= (uint64_t)those << 8 * i;
      }
      reached[8 * limit + word] = reaching;
    }
    if (!choices) continue;
    TOLLGATE_EACH(i) _mm256_mask_storeu_epi32(
        choices + row + 8 * i, rows.there[i], _mm512_cvtepi64_epi32(choice.at[i]));
  }
}

// Sets the number of the rows of a mask of 512.
static inline TOLLGATE_WIDE __attribute__((swift_name("setNumbers(_:_:to:)"))) void
tollgate_set_numbers(const uint64_t *mask, uint8_t number, uint8_t *numbers) {
  for (long word = 0; word < 8; word++) {
    _mm512_mask_storeu_epi8(numbers + 64 * word, mask[word], _mm512_set1_epi8((char)number));
  }
}

#undef TOLLGATE_INLINE
#undef TOLLGATE_EACH
#undef TOLLGATE_STEP

#else

static inline __attribute__((swift_name("WideDraws.draw(self:_:_:reached:choices:)"))) void
tollgate_draw_rows(
    const struct tollgate_wide_draws *of, const uint64_t *mask, const uint8_t *numbers,
    uint64_t *reached, int32_t *choices) {}

static inline __attribute__((swift_name("setNumbers(_:_:to:)"))) void tollgate_set_numbers(
    const uint64_t *mask, uint8_t number, uint8_t *numbers) {}

#endif

#endif
