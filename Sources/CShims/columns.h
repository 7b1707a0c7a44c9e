// Tests of 64 cells of a column. Each cell has sixteen bytes: the tag is the first byte, the value of a bool
// the second, and the upper eight bytes hold an int. On x86, AVX-512 or AVX2 is used if the processor has it, which
// is determined at run time. On ARM, NEON is used.
//
// SAFETY: Tests read 1,024 bytes of a column, unaligned, and masks of 64 bytes. Strings are read up to the last
// offset, and no further. Prefetching neither reads nor writes.
// Tests: VectorTests.testsOfCells, VectorTests.sharedRows, VectorTests.cellsOfTexts, asan.
#ifndef TOLLGATE_COLUMNS_H
#define TOLLGATE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

// Not on Apple's systems, where some libraries lack the detection of processor features.
#if defined(__x86_64__) && !defined(__APPLE__)
#include <immintrin.h>
#define TOLLGATE_HAS_WIDE 1
#define TOLLGATE_WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))
#define TOLLGATE_AVX2 __attribute__((target("avx2,popcnt")))
#endif

#define TOLLGATE_COLUMNS(name) static inline __attribute__((swift_name(name)))

// The vectors of a processor. Each includes the ones before it.
enum __attribute__((enum_extensibility(closed), swift_name("Vectors"))) tollgate_vectors {
  // The vectors that all processors have for which Swift compiles: SSE2 on x86, NEON on ARM.
  TOLLGATE_VECTORS_PLAIN __attribute__((swift_name("plain"))),
  TOLLGATE_VECTORS_AVX2 __attribute__((swift_name("avx2"))),
  TOLLGATE_VECTORS_AVX512 __attribute__((swift_name("avx512"))),
};

#if defined(TOLLGATE_HAS_WIDE)

static inline int tollgate_found_vectors(void) {
  int found = TOLLGATE_VECTORS_PLAIN;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
    found = TOLLGATE_VECTORS_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      found = TOLLGATE_VECTORS_AVX512;
    }
  }
  // For tests: `plain` or `avx2`. The variable cannot select more than the processor has.
  const char *asked = getenv("TOLLGATE_VECTORS");
  if (asked && strcmp(asked, "plain") == 0) return TOLLGATE_VECTORS_PLAIN;
  if (asked && strcmp(asked, "avx2") == 0 && found > TOLLGATE_VECTORS_AVX2) {
    return TOLLGATE_VECTORS_AVX2;
  }
  return found;
}

#endif

// The vectors that are used. If TOLLGATE_NO_WIDE is defined, they are plain, so that the code for other machines
// can be tested on this one.
static inline __attribute__((swift_name("getter:Vectors.used()"))) enum tollgate_vectors
tollgate_used_vectors(void) {
#if defined(TOLLGATE_HAS_WIDE) && !defined(TOLLGATE_NO_WIDE)
  static int known = -1;
  int vectors = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (vectors < 0) {
    vectors = tollgate_found_vectors();
    __atomic_store_n(&known, vectors, __ATOMIC_RELAXED);
  }
  return (enum tollgate_vectors)vectors;
#else
  return TOLLGATE_VECTORS_PLAIN;
#endif
}

// Whether the processor works on sixty-four bytes at a time.
TOLLGATE_COLUMNS("isWide()")
bool tollgate_is_wide(void) { return tollgate_used_vectors() == TOLLGATE_VECTORS_AVX512; }

// A test of a cell. It tests the lower half, `low & mask`, or the upper half, or whether the lower half equals the mask
// and the upper half equals the value.
enum __attribute__((enum_extensibility(closed), swift_name("CellTest"))) tollgate_cell_test {
  TOLLGATE_LOW_EQUAL __attribute__((swift_name("lowIs"))),
  TOLLGATE_LOW_AT_LEAST __attribute__((swift_name("lowIsAtLeast"))),
  TOLLGATE_HIGH_EQUAL __attribute__((swift_name("highIs"))),
  TOLLGATE_HIGH_LESS __attribute__((swift_name("highIsLess"))),
  TOLLGATE_HIGH_AT_MOST __attribute__((swift_name("highIsAtMost"))),
  TOLLGATE_BOTH_EQUAL __attribute__((swift_name("bothAre"))),
};

// Tests one cell.
static inline __attribute__((always_inline)) bool tollgate_cell_holds(
    const uint64_t *cell, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  switch (test) {
  case TOLLGATE_LOW_EQUAL: return (cell[0] & mask) == value;
  case TOLLGATE_LOW_AT_LEAST: return (cell[0] & mask) >= value;
  case TOLLGATE_HIGH_EQUAL: return cell[1] == value;
  case TOLLGATE_HIGH_LESS: return (int64_t)cell[1] < (int64_t)value;
  case TOLLGATE_HIGH_AT_MOST: return (int64_t)cell[1] <= (int64_t)value;
  case TOLLGATE_BOTH_EQUAL: return ((cell[0] ^ mask) | (cell[1] ^ value)) == 0;
  }
  return false;
}

static inline __attribute__((always_inline)) uint64_t tollgate_cells_one_by_one(
    const uint64_t *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  uint64_t rows = 0;
  for (int i = 0; i < 64; i++) {
    rows |= (uint64_t)tollgate_cell_holds(cells + 2 * i, test, mask, value) << i;
  }
  return rows;
}

// A separate loop for each test, so that the loop contains no switch.
static inline uint64_t tollgate_test_cells_in_c(
    const uint64_t *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  switch (test) {
  case TOLLGATE_LOW_EQUAL: return tollgate_cells_one_by_one(cells, TOLLGATE_LOW_EQUAL, mask, value);
  case TOLLGATE_LOW_AT_LEAST:
    return tollgate_cells_one_by_one(cells, TOLLGATE_LOW_AT_LEAST, mask, value);
  case TOLLGATE_HIGH_EQUAL: return tollgate_cells_one_by_one(cells, TOLLGATE_HIGH_EQUAL, mask, value);
  case TOLLGATE_HIGH_LESS: return tollgate_cells_one_by_one(cells, TOLLGATE_HIGH_LESS, mask, value);
  case TOLLGATE_HIGH_AT_MOST:
    return tollgate_cells_one_by_one(cells, TOLLGATE_HIGH_AT_MOST, mask, value);
  case TOLLGATE_BOTH_EQUAL: return tollgate_cells_one_by_one(cells, TOLLGATE_BOTH_EQUAL, mask, value);
  }
  return 0;
}

#if defined(TOLLGATE_HAS_WIDE)

// The lower halves of eight cells, or their upper halves.
static inline TOLLGATE_WIDE __attribute__((always_inline)) __m512i tollgate_halves(
    const uint64_t *cells, __m512i which) {
  return _mm512_permutex2var_epi64(_mm512_loadu_si512(cells), which, _mm512_loadu_si512(cells + 8));
}

static inline TOLLGATE_WIDE uint64_t tollgate_test_cells_wide(
    const uint64_t *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  const __m512i lows = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i highs = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i wanted = _mm512_set1_epi64((long long)value);
  const __m512i masked = _mm512_set1_epi64((long long)mask);
  uint64_t rows = 0;
#define TOLLGATE_EIGHT(halves, comparison)                                        \
  for (int i = 0; i < 64; i += 8) {                                               \
    const __m512i eight = tollgate_halves(cells + 2 * i, halves);                 \
    rows |= (uint64_t)(comparison) << i;                                          \
  }                                                                               \
  break
  switch (test) {
  case TOLLGATE_LOW_EQUAL:
    TOLLGATE_EIGHT(lows, _mm512_cmpeq_epu64_mask(_mm512_and_si512(eight, masked), wanted));
  case TOLLGATE_LOW_AT_LEAST:
    TOLLGATE_EIGHT(lows, _mm512_cmpge_epu64_mask(_mm512_and_si512(eight, masked), wanted));
  case TOLLGATE_HIGH_EQUAL: TOLLGATE_EIGHT(highs, _mm512_cmpeq_epu64_mask(eight, wanted));
  case TOLLGATE_HIGH_LESS: TOLLGATE_EIGHT(highs, _mm512_cmplt_epi64_mask(eight, wanted));
  case TOLLGATE_HIGH_AT_MOST: TOLLGATE_EIGHT(highs, _mm512_cmple_epi64_mask(eight, wanted));
  case TOLLGATE_BOTH_EQUAL:
    for (int i = 0; i < 64; i += 8) {
      const __mmask8 same = _mm512_cmpeq_epu64_mask(tollgate_halves(cells + 2 * i, lows), masked);
      rows |= (uint64_t)_mm512_mask_cmpeq_epu64_mask(
                  same, tollgate_halves(cells + 2 * i, highs), wanted)
              << i;
    }
    break;
  }
#undef TOLLGATE_EIGHT
  return rows;
}

// The lower halves of four cells, or their upper halves.
static inline TOLLGATE_AVX2 __attribute__((always_inline)) __m256i tollgate_four_halves(
    const uint64_t *cells, bool upper) {
  const __m256i first = _mm256_loadu_si256((const __m256i *)cells);
  const __m256i second = _mm256_loadu_si256((const __m256i *)(cells + 4));
  const __m256i halves =
      upper ? _mm256_unpackhi_epi64(first, second) : _mm256_unpacklo_epi64(first, second);
  return _mm256_permute4x64_epi64(halves, 0xD8);
}

static inline TOLLGATE_AVX2 __attribute__((always_inline)) uint64_t tollgate_four_rows(
    __m256i same) {
  return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

static inline TOLLGATE_AVX2 uint64_t tollgate_test_cells_avx2(
    const uint64_t *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
  const __m256i wanted = _mm256_set1_epi64x((long long)value);
  const __m256i masked = _mm256_set1_epi64x((long long)mask);
  // There is no unsigned comparison.
  const __m256i least = _mm256_xor_si256(wanted, sign);
  uint64_t rows = 0;
#define TOLLGATE_FOUR(upper, comparison)                                    \
  for (int i = 0; i < 64; i += 4) {                                         \
    const __m256i four = tollgate_four_halves(cells + 2 * i, upper);        \
    rows |= (comparison) << i;                                              \
  }                                                                         \
  break
  switch (test) {
  case TOLLGATE_LOW_EQUAL:
    TOLLGATE_FOUR(
        false, tollgate_four_rows(_mm256_cmpeq_epi64(_mm256_and_si256(four, masked), wanted)));
  case TOLLGATE_LOW_AT_LEAST:
    TOLLGATE_FOUR(
        false, 15 ^ tollgate_four_rows(_mm256_cmpgt_epi64(
                        least, _mm256_xor_si256(_mm256_and_si256(four, masked), sign))));
  case TOLLGATE_HIGH_EQUAL:
    TOLLGATE_FOUR(true, tollgate_four_rows(_mm256_cmpeq_epi64(four, wanted)));
  case TOLLGATE_HIGH_LESS:
    TOLLGATE_FOUR(true, tollgate_four_rows(_mm256_cmpgt_epi64(wanted, four)));
  case TOLLGATE_HIGH_AT_MOST:
    TOLLGATE_FOUR(true, 15 ^ tollgate_four_rows(_mm256_cmpgt_epi64(four, wanted)));
  case TOLLGATE_BOTH_EQUAL:
    for (int i = 0; i < 64; i += 4) {
      const __m256i same = _mm256_and_si256(
          _mm256_cmpeq_epi64(tollgate_four_halves(cells + 2 * i, false), masked),
          _mm256_cmpeq_epi64(tollgate_four_halves(cells + 2 * i, true), wanted));
      rows |= tollgate_four_rows(same) << i;
    }
    break;
  }
#undef TOLLGATE_FOUR
  return rows;
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

static inline __attribute__((always_inline)) uint64_t tollgate_two_rows(uint64x2_t same) {
  return (vgetq_lane_u64(same, 0) & 1) | (vgetq_lane_u64(same, 1) & 2);
}

static inline uint64_t tollgate_test_cells_neon(
    const uint64_t *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  const uint64x2_t wanted = vdupq_n_u64(value), masked = vdupq_n_u64(mask);
  const int64x2_t number = vreinterpretq_s64_u64(wanted);
  uint64_t rows = 0;
#define TOLLGATE_TWO(comparison)                                            \
  for (int i = 0; i < 64; i += 2) {                                         \
    const uint64x2x2_t halves = vld2q_u64(cells + 2 * i);                   \
    const uint64x2_t low = halves.val[0], high = halves.val[1];             \
    (void)low, (void)high;                                                  \
    rows |= tollgate_two_rows(comparison) << i;                             \
  }                                                                         \
  break
  switch (test) {
  case TOLLGATE_LOW_EQUAL: TOLLGATE_TWO(vceqq_u64(vandq_u64(low, masked), wanted));
  case TOLLGATE_LOW_AT_LEAST: TOLLGATE_TWO(vcgeq_u64(vandq_u64(low, masked), wanted));
  case TOLLGATE_HIGH_EQUAL: TOLLGATE_TWO(vceqq_u64(high, wanted));
  case TOLLGATE_HIGH_LESS: TOLLGATE_TWO(vcltq_s64(vreinterpretq_s64_u64(high), number));
  case TOLLGATE_HIGH_AT_MOST: TOLLGATE_TWO(vcleq_s64(vreinterpretq_s64_u64(high), number));
  case TOLLGATE_BOTH_EQUAL:
    TOLLGATE_TWO(vandq_u64(vceqq_u64(low, masked), vceqq_u64(high, wanted)));
  }
#undef TOLLGATE_TWO
  return rows;
}

#endif

// Prefetches the cache lines of a number of bytes that are read soon. Invalid addresses are not read.
static inline __attribute__((always_inline, swift_name("readAhead(_:count:)"))) void
tollgate_read_ahead(const void *bytes, long count) {
  for (long i = 0; i < count; i += 64) __builtin_prefetch((const char *)bytes + i);
}

// Prefetches the cache lines of a number of bytes that are written soon.
static inline __attribute__((always_inline, swift_name("writeAhead(_:count:)"))) void
tollgate_write_ahead(void *bytes, long count) {
  for (long i = 0; i < count; i += 64) __builtin_prefetch((char *)bytes + i, 1);
}

#if defined(TOLLGATE_HAS_WIDE)

static inline TOLLGATE_AVX2 long tollgate_count_both_avx2(
    const uint64_t *mask, const uint64_t *other, uint64_t *both) {
  long count = 0;
  for (int word = 0; word < 8; word++) {
    both[word] = mask[word] & other[word];
    count += __builtin_popcountll(both[word]);
  }
  return count;
}

#endif

// Writes the rows that two masks of 512 share, and returns their number. Not all processors that Swift
// compiles for have an instruction for counting bits.
TOLLGATE_COLUMNS("countBoth(_:_:to:)")
long tollgate_count_both(const uint64_t *mask, const uint64_t *other, uint64_t *both) {
#if defined(TOLLGATE_HAS_WIDE)
  if (tollgate_used_vectors() >= TOLLGATE_VECTORS_AVX2) return tollgate_count_both_avx2(mask, other, both);
#endif
  long count = 0;
  for (int word = 0; word < 8; word++) {
    both[word] = mask[word] & other[word];
    count += __builtin_popcountll(both[word]);
  }
  return count;
}

// The rows of 64 cells for which a test is true, a bit for each.
TOLLGATE_COLUMNS("testCells(_:_:mask:_:)")
uint64_t tollgate_test_cells(
    const void *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
#if defined(TOLLGATE_HAS_WIDE)
  switch (tollgate_used_vectors()) {
  case TOLLGATE_VECTORS_AVX512:
    return tollgate_test_cells_wide((const uint64_t *)cells, test, mask, value);
  case TOLLGATE_VECTORS_AVX2:
    return tollgate_test_cells_avx2((const uint64_t *)cells, test, mask, value);
  case TOLLGATE_VECTORS_PLAIN: break;
  }
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(TOLLGATE_NO_WIDE)
  return tollgate_test_cells_neon((const uint64_t *)cells, test, mask, value);
#endif
  return tollgate_test_cells_in_c((const uint64_t *)cells, test, mask, value);
}

// `testCells` with AVX2, for comparison, or without vectors if the processor does not have AVX2.
TOLLGATE_COLUMNS("testCellsWithAVX2(_:_:mask:_:)")
uint64_t tollgate_test_cells_by_four(
    const void *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
#if defined(TOLLGATE_HAS_WIDE)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
    return tollgate_test_cells_avx2((const uint64_t *)cells, test, mask, value);
  }
#endif
  return tollgate_test_cells_in_c((const uint64_t *)cells, test, mask, value);
}

// `testCells` without vectors, for comparison.
TOLLGATE_COLUMNS("testCellsInC(_:_:mask:_:)")
uint64_t tollgate_test_cells_plainly(
    const void *cells, enum tollgate_cell_test test, uint64_t mask, uint64_t value) {
  return tollgate_test_cells_in_c((const uint64_t *)cells, test, mask, value);
}

#if defined(TOLLGATE_HAS_WIDE)

// Writes the cells of up to 64 consecutive strings, each between two offsets. A cell is the first byte with
// the length, and up to fifteen bytes of string. The cells of longer strings are not written.
//
// Returns the rows with longer strings.
#define TOLLGATE_WRITE_TEXTS(name, offset)                                                     \
  static inline TOLLGATE_WIDE uint64_t name(                                                   \
      const void *offsets, const uint8_t *texts, long count, uint8_t first, void *cells) {     \
    const char *place = (const char *)offsets;                                                 \
    uint64_t longer = 0;                                                                       \
    offset at, next;                                                                           \
    memcpy(&at, place, sizeof(offset));                                                        \
    for (long i = 0; i < count; i++, at = next) {                                              \
      memcpy(&next, place + sizeof(offset) * (size_t)(i + 1), sizeof(offset));                 \
      const uint64_t length = (uint64_t)(next - at);                                           \
      if (length > 15) {                                                                       \
        longer |= (uint64_t)1 << i;                                                            \
        continue;                                                                              \
      }                                                                                        \
      /* Shifted by one byte. The byte before is not read. */                                  \
      const __mmask16 bytes = (__mmask16)((2u << length) - 2);                                 \
      const __m128i text = _mm_maskz_loadu_epi8(                                               \
          bytes, (const void *)((uintptr_t)texts + (uintptr_t)at - 1));                        \
      _mm_storeu_si128((__m128i *)cells + i,                                                   \
                       _mm_or_si128(text, _mm_cvtsi32_si128((int)(first | length))));          \
    }                                                                                          \
    return longer;                                                                             \
  }

TOLLGATE_WRITE_TEXTS(tollgate_write_texts_32, int32_t)
TOLLGATE_WRITE_TEXTS(tollgate_write_texts_64, int64_t)
#undef TOLLGATE_WRITE_TEXTS

#endif

// Writes the cells on any machine. Strings whose sixteen bytes end after the last offset are read one by one.
#define TOLLGATE_WRITE_TEXTS(name, offset)                                                     \
  static inline uint64_t name(                                                                 \
      const void *offsets, const uint8_t *texts, long count, uint8_t first, void *cells) {     \
    const char *place = (const char *)offsets;                                                 \
    uint64_t longer = 0;                                                                       \
    offset at, next, end;                                                                      \
    memcpy(&at, place, sizeof(offset));                                                        \
    memcpy(&end, place + sizeof(offset) * (size_t)count, sizeof(offset));                      \
    for (long i = 0; i < count; i++, at = next) {                                              \
      memcpy(&next, place + sizeof(offset) * (size_t)(i + 1), sizeof(offset));                 \
      const uint64_t length = (uint64_t)(next - at);                                           \
      void *cell = (char *)cells + 16 * i;                                                     \
      if (length > 15) {                                                                       \
        longer |= (uint64_t)1 << i;                                                            \
      } else if (end - at >= 16) {                                                             \
        tollgate_write_short_text(                                                             \
            (uint8_t)(first | length), texts + at, (long)length, cell);                        \
      } else {                                                                                 \
        tollgate_write_short_text_in_c(                                                        \
            (uint8_t)(first | length), texts + at, (long)length, cell);                        \
      }                                                                                        \
    }                                                                                          \
    return longer;                                                                             \
  }

TOLLGATE_WRITE_TEXTS(tollgate_write_texts_plain_32, int32_t)
TOLLGATE_WRITE_TEXTS(tollgate_write_texts_plain_64, int64_t)
#undef TOLLGATE_WRITE_TEXTS

// Writes the cells of strings with offsets of 32 or 64 bits.
TOLLGATE_COLUMNS("writeTexts(_:_:areLarge:count:_:to:)")
uint64_t tollgate_write_texts(
    const void *offsets, const uint8_t *texts, bool large, long count, uint8_t first, void *cells) {
#if defined(TOLLGATE_HAS_WIDE)
  if (tollgate_is_wide()) {
    return large ? tollgate_write_texts_64(offsets, texts, count, first, cells)
                 : tollgate_write_texts_32(offsets, texts, count, first, cells);
  }
#endif
  return large ? tollgate_write_texts_plain_64(offsets, texts, count, first, cells)
               : tollgate_write_texts_plain_32(offsets, texts, count, first, cells);
}

// `writeTexts` without wide vectors, for comparison.
TOLLGATE_COLUMNS("writeTextsPlainly(_:_:areLarge:count:_:to:)")
uint64_t tollgate_write_texts_plainly(
    const void *offsets, const uint8_t *texts, bool large, long count, uint8_t first, void *cells) {
  return large ? tollgate_write_texts_plain_64(offsets, texts, count, first, cells)
               : tollgate_write_texts_plain_32(offsets, texts, count, first, cells);
}

#endif
