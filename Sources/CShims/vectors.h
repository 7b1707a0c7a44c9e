// Operations on sixteen or 32 bytes that Swift lacks: a vector comparison as a number. Each function has a
// version for SSE2, and most have one for NEON. The version in plain C, for other machines, always exists, for
// comparison.
//
// SAFETY: Callers provide 16 readable bytes, or 32 for `isLiteral`. The form in plain C
// reads no further. Tests: VectorTests.agreeWithPlainC,
// RecordShapesTests.nothingIsReadBehindTheSlack, asan.
#ifndef TOLLGATE_VECTORS_H
#define TOLLGATE_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define TOLLGATE_VECTOR(name) \
  static inline __attribute__((always_inline, swift_name(name)))

TOLLGATE_VECTOR("plainBytesInC(_:)")
long tollgate_plain_bytes_in_c(const uint8_t *text) {
  long count = 0;
  while (count < 16 && text[count] != '"' && text[count] != '\\' && text[count] >= ' ' &&
         text[count] < 0x80) {
    count += 1;
  }
  return count;
}

// The number of bytes before the first that cannot continue a plain JSON string: a quote, a backslash, a control
// character or a non-ASCII byte. The result is 16 if sixteen bytes contain none.
TOLLGATE_VECTOR("plainBytes(_:)")
long tollgate_plain_bytes(const uint8_t *text) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
  // As signed numbers, control characters and non-ASCII bytes are below the space.
  const __m128i stops = _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
      _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
  return __builtin_ctz((unsigned)_mm_movemask_epi8(stops) | 0x10000u);
#elif defined(__aarch64__) && defined(__ARM_NEON)
  const uint8x16_t bytes = vld1q_u8(text);
  const uint8x16_t stops = vorrq_u8(
      vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\'))),
      vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(' ')));
  // Four bits for each byte.
  const uint64_t mask = vget_lane_u64(
      vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(stops), 4)), 0);
  return mask == 0 ? 16 : __builtin_ctzll(mask) / 4;
#else
  return tollgate_plain_bytes_in_c(text);
#endif
}

TOLLGATE_VECTOR("textEndInC(_:quote:)")
long tollgate_text_end_in_c(const uint8_t *text, uint8_t quote) {
  for (long count = 0; count < 16; count++) {
    if (text[count] == quote) return count;
    if (text[count] == '\\' || text[count] < ' ' || text[count] >= 0x80) return -1;
  }
  return -1;
}

// The place in sixteen bytes of the quote that ends a string. The result is -1 if there is no quote, or if a backslash,
// a control character or a non-ASCII byte comes first. For speed, the offset only waits for the search for a quote.
TOLLGATE_VECTOR("textEnd(_:quote:)")
long tollgate_text_end(const uint8_t *text, uint8_t quote) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
  const __m128i others = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')),
                                      _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
  const unsigned quotes =
      (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)quote)));
  // Bits up to the first quote.
  if (quotes == 0 || ((unsigned)_mm_movemask_epi8(others) & (quotes ^ (quotes - 1))) != 0) {
    return -1;
  }
  return __builtin_ctz(quotes);
#else
  return tollgate_text_end_in_c(text, quote);
#endif
}

TOLLGATE_VECTOR("isLiteralInC(_:_:mask:)")
bool tollgate_is_literal_in_c(const uint8_t *text, const uint8_t *literal, uint32_t mask) {
  for (long i = 0; i < 32; i++) {
    if ((mask >> i & 1) != 0 && text[i] != literal[i]) return false;
  }
  return true;
}

// Whether the first of 32 bytes are equal. The mask has a bit for each byte that is compared, from the lowest bit on.
TOLLGATE_VECTOR("isLiteral(_:_:mask:)")
bool tollgate_is_literal(const uint8_t *text, const uint8_t *literal, uint32_t mask) {
#if defined(__SSE2__)
  const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)text),
                                     _mm_loadu_si128((const __m128i *)literal));
  const __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(text + 16)),
                                      _mm_loadu_si128((const __m128i *)(literal + 16)));
  const uint32_t same =
      (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
  return (~same & mask) == 0;
#elif defined(__aarch64__) && defined(__ARM_NEON)
  // Four bits for each byte.
  const uint8x16_t low = vmvnq_u8(vceqq_u8(vld1q_u8(text), vld1q_u8(literal)));
  const uint8x16_t high = vmvnq_u8(vceqq_u8(vld1q_u8(text + 16), vld1q_u8(literal + 16)));
  const int count = 32 - __builtin_clz(mask);
  const uint64_t first = vget_lane_u64(
      vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(low), 4)), 0);
  const uint64_t second = vget_lane_u64(
      vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(high), 4)), 0);
  if (count <= 16) return first << (64 - 4 * count) == 0;
  return (first | second << (128 - 4 * count)) == 0;
#else
  return tollgate_is_literal_in_c(text, literal, mask);
#endif
}

TOLLGATE_VECTOR("writeShortTextInC(_:_:count:to:)")
void tollgate_write_short_text_in_c(uint8_t first, const uint8_t *text, long count, void *to) {
  uint8_t bytes[16] = {first};
  memcpy(bytes + 1, text, (size_t)count);
  memcpy(to, bytes, 16);
}

// Writes sixteen bytes: the given byte, the first `count` bytes of a string, and zeros. The count is below sixteen, and
// sixteen bytes of the string must be readable.
TOLLGATE_VECTOR("writeShortText(_:_:count:to:)")
void tollgate_write_short_text(uint8_t first, const uint8_t *text, long count, void *to) {
#if defined(__SSE2__)
  static const uint8_t window[32] = {
      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const __m128i bytes = _mm_and_si128(
      _mm_loadu_si128((const __m128i *)text),
      _mm_loadu_si128((const __m128i *)(window + 16 - count)));
  _mm_storeu_si128((__m128i *)to,
                   _mm_or_si128(_mm_slli_si128(bytes, 1), _mm_cvtsi32_si128(first)));
#else
  tollgate_write_short_text_in_c(first, text, count, to);
#endif
}

#endif
