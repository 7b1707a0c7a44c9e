// Draws for many subjects at once with AVX-512, where tollgate_is_wide() holds: XXH64 behind a prefix
// that is worked in already, eight subjects at a time. What it computes is what FixedLengthHash and
// VariantChooser compute one by one.
#ifndef TOLLGATE_DRAWS_H
#define TOLLGATE_DRAWS_H

#include "columns.h"

// A hash of one prefix and subjects of one length.
struct __attribute__((swift_name("WideHash"))) tollgate_wide_hash {
  // Columns of what the subjects add, each so many words behind the one before.
  const uint64_t *columns;
  long stride;
  // Columns that go into lanes, all columns of whole words, and bytes behind these.
  long laneWords;
  long words;
  long rest;
  // What comes before the subject: without lanes the hash of it, with lanes bytes of the whole text.
  uint64_t begun;
  // What the prefix adds to the subject's first word.
  uint64_t tail;
  // The lanes before the subject, how many of them it does not change at first, and what those add.
  uint64_t lanes[4];
  long known;
  uint64_t merging[4];
  // Stripes behind the one that the subject begins in.
  long stripes;
};

#if defined(TOLLGATE_HAS_WIDE)

#define TOLLGATE_LANE static inline TOLLGATE_WIDE __attribute__((always_inline)) __m512i

static const uint64_t tollgate_prime1 = 0x9E3779B185EBCA87;
static const uint64_t tollgate_prime2 = 0xC2B2AE3D27D4EB4F;
static const uint64_t tollgate_prime3 = 0x165667B19E3779F9;
static const uint64_t tollgate_prime4 = 0x85EBCA77C2B2AE63;

TOLLGATE_LANE tollgate_all(uint64_t word) { return _mm512_set1_epi64((long long)word); }

// The next column's words of eight rows.
TOLLGATE_LANE tollgate_words(const uint64_t **column, long stride, __m256i rows) {
  const __m512i words = _mm512_i32gather_epi64(rows, (const long long *)*column, 8);
  *column += stride;
  return words;
}

// What a lane becomes when it takes in a word, which was multiplied before.
TOLLGATE_LANE tollgate_round(__m512i lane, __m512i word) {
  return _mm512_mullo_epi64(_mm512_rol_epi64(_mm512_add_epi64(lane, word), 31),
                            tollgate_all(tollgate_prime1));
}

// Takes the round of a lane into a hash.
TOLLGATE_LANE tollgate_merge(__m512i hash, __m512i round) {
  return _mm512_add_epi64(
      _mm512_mullo_epi64(_mm512_xor_si512(hash, round), tollgate_all(tollgate_prime1)),
      tollgate_all(tollgate_prime4));
}

TOLLGATE_LANE tollgate_merge_lane(__m512i hash, __m512i lane, bool isChanged, uint64_t known) {
  if (!isChanged) return tollgate_merge(hash, tollgate_all(known));
  const __m512i word = _mm512_mullo_epi64(lane, tollgate_all(tollgate_prime2));
  return tollgate_merge(hash, tollgate_round(_mm512_setzero_si512(), word));
}

TOLLGATE_LANE tollgate_lanes(
    const struct tollgate_wide_hash *of, const uint64_t **column, __m256i rows) {
  __m512i lanes[4];
  __m512i tail = tollgate_all(of->tail);
  for (int i = 0; i < 4; i++) {
    lanes[i] = tollgate_all(of->lanes[i]);
    if (i < of->known) continue;
    const __m512i word = tollgate_words(column, of->stride, rows);
    lanes[i] = tollgate_round(lanes[i], _mm512_add_epi64(word, tail));
    tail = _mm512_setzero_si512();
  }
  for (long stripe = 0; stripe < of->stripes; stripe++) {
    for (int i = 0; i < 4; i++) {
      lanes[i] = tollgate_round(lanes[i], tollgate_words(column, of->stride, rows));
    }
  }
  __m512i hash = _mm512_add_epi64(
      _mm512_add_epi64(_mm512_rol_epi64(lanes[0], 1), _mm512_rol_epi64(lanes[1], 7)),
      _mm512_add_epi64(_mm512_rol_epi64(lanes[2], 12), _mm512_rol_epi64(lanes[3], 18)));
  for (int i = 0; i < 4; i++) {
    const bool isChanged = of->stripes > 0 || i >= of->known;
    hash = tollgate_merge_lane(hash, lanes[i], isChanged, of->merging[i]);
  }
  return _mm512_add_epi64(hash, tollgate_all(of->begun));
}

// rotate(hash ^ word, bits) * factor + summand
#define TOLLGATE_STEP(hash, word, bits, factor, summand)                                     \
  _mm512_add_epi64(                                                                          \
      _mm512_mullo_epi64(_mm512_rol_epi64(_mm512_xor_si512(hash, word), bits),               \
                         tollgate_all(factor)),                                              \
      tollgate_all(summand))

// The upper 53 bits of the hashes of some rows, as many as the numbers of the list. Up to seven more are
// written.
static inline TOLLGATE_WIDE __attribute__((swift_name("WideHash.draw(self:_:count:to:)"))) void
tollgate_draw(
    const struct tollgate_wide_hash *of, const int32_t *list, long count, uint64_t *draws) {
  for (long i = 0; i < count; i += 8) {
    // Rows behind the last are the first row of the block.
    const __mmask8 there = count - i < 8 ? (__mmask8)((1 << (count - i)) - 1) : 0xFF;
    const __m256i rows = _mm256_maskz_loadu_epi32(there, list + i);
    const uint64_t *column = of->columns;
    __m512i hash;
    if (of->laneWords > 0) {
      hash = tollgate_lanes(of, &column, rows);
    } else {
      const __m512i round = tollgate_round(
          tollgate_words(&column, of->stride, rows), tollgate_all(of->tail));
      hash = TOLLGATE_STEP(tollgate_all(of->begun), round, 27, tollgate_prime1, tollgate_prime4);
    }
    for (long word = of->laneWords > 0 ? of->laneWords : 1; word < of->words; word++) {
      const __m512i next = tollgate_words(&column, of->stride, rows);
      hash = TOLLGATE_STEP(hash, next, 27, tollgate_prime1, tollgate_prime4);
    }
    if (of->rest >= 4) {
      const __m512i next = tollgate_words(&column, of->stride, rows);
      hash = TOLLGATE_STEP(hash, next, 23, tollgate_prime2, tollgate_prime3);
    }
    for (long byte = 0; byte < (of->rest & 3); byte++) {
      const __m512i next = tollgate_words(&column, of->stride, rows);
      hash = TOLLGATE_STEP(hash, next, 11, tollgate_prime1, 0);
    }
    hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 33)),
                              tollgate_all(tollgate_prime2));
    hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 29)),
                              tollgate_all(tollgate_prime3));
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
    _mm512_storeu_si512(draws + i, _mm512_srli_epi64(hash, 11));
  }
}

// Lists the rows of a mask of 512, and returns how many there are. Up to fifteen more numbers are written.
static inline TOLLGATE_WIDE __attribute__((swift_name("listRows(_:to:)"))) long tollgate_list_rows(
    const uint64_t *mask, int32_t *list) {
  __m512i rows = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  long count = 0;
  for (int word = 0; word < 8; word++) {
    for (int bits = 0; bits < 64; bits += 16) {
      const __mmask16 those = (__mmask16)(mask[word] >> bits);
      _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi32(those, rows));
      count += __builtin_popcount(those);
      rows = _mm512_add_epi32(rows, _mm512_set1_epi32(16));
    }
  }
  return count;
}

// How many draws are below a limit.
static inline TOLLGATE_WIDE __attribute__((swift_name("countDraws(_:count:below:)"))) long
tollgate_count_draws(const uint64_t *draws, long count, uint64_t limit) {
  long below = 0;
  for (long i = 0; i < count; i += 8) {
    const __mmask8 there = count - i < 8 ? (__mmask8)((1 << (count - i)) - 1) : 0xFF;
    below += __builtin_popcount(_mm512_mask_cmplt_epu64_mask(
        there, _mm512_maskz_loadu_epi64(there, draws + i), tollgate_all(limit)));
  }
  return below;
}

// Writes the choice of each draw where its row has its own: the first, and one more for each limit that
// the draw reaches.
static inline TOLLGATE_WIDE
__attribute__((swift_name("writeChoices(_:_:count:limits:_:first:to:)"))) void
tollgate_write_choices(
    const uint64_t *draws, const int32_t *list, long count, const uint64_t *limits, long limitCount,
    int32_t first, int32_t *choices) {
  for (long i = 0; i < count; i += 8) {
    const __mmask8 there = count - i < 8 ? (__mmask8)((1 << (count - i)) - 1) : 0xFF;
    const __m512i drawn = _mm512_maskz_loadu_epi64(there, draws + i);
    __m256i choice = _mm256_set1_epi32(first);
    for (long k = 0; k < limitCount; k++) {
      choice = _mm256_mask_add_epi32(
          choice, _mm512_cmpge_epu64_mask(drawn, tollgate_all(limits[k])), choice,
          _mm256_set1_epi32(1));
    }
    _mm256_mask_i32scatter_epi32(
        choices, there, _mm256_maskz_loadu_epi32(there, list + i), choice, 4);
  }
}

#undef TOLLGATE_LANE
#undef TOLLGATE_STEP

#else

static inline __attribute__((swift_name("WideHash.draw(self:_:count:to:)"))) void tollgate_draw(
    const struct tollgate_wide_hash *of, const int32_t *list, long count, uint64_t *draws) {}

static inline __attribute__((swift_name("listRows(_:to:)"))) long tollgate_list_rows(
    const uint64_t *mask, int32_t *list) {
  return 0;
}

static inline __attribute__((swift_name("countDraws(_:count:below:)"))) long tollgate_count_draws(
    const uint64_t *draws, long count, uint64_t limit) {
  return 0;
}

static inline __attribute__((swift_name("writeChoices(_:_:count:limits:_:first:to:)"))) void
tollgate_write_choices(
    const uint64_t *draws, const int32_t *list, long count, const uint64_t *limits, long limitCount,
    int32_t first, int32_t *choices) {}

#endif

#endif
