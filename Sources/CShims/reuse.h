// The content of memory that was released and may be reused.
//
// SAFETY: The caller owns the range; see `ReusedMemory`. Tests: ConditionColumnsTests, asan.
#ifndef TOLLGATE_REUSE_H
#define TOLLGATE_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The address sanitizer's functions, if it is linked. The compiler has no macro for that in headers.
#if defined(__linux__)
extern void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));
#define TOLLGATE_TELLS_SANITIZER (__asan_poison_memory_region && __asan_unpoison_memory_region)
#else
#define TOLLGATE_TELLS_SANITIZER false
static inline void __asan_poison_memory_region(const volatile void *start, size_t count) {}
static inline void __asan_unpoison_memory_region(const volatile void *start, size_t count) {}
#endif

// Fills memory with 0xA5. Under the address sanitizer, reading the memory is an error afterwards.
static inline __attribute__((swift_name("poisonMemory(_:_:)"))) void tollgate_poison_memory(
    void *start, size_t count) {
  if (start == NULL || count == 0) return;
  // Parts of the memory may never have been used.
  if (TOLLGATE_TELLS_SANITIZER) __asan_unpoison_memory_region(start, count);
  memset(start, 0xA5, count);
  if (TOLLGATE_TELLS_SANITIZER) __asan_poison_memory_region(start, count);
}

// Allows memory to be used again.
static inline __attribute__((swift_name("unpoisonMemory(_:_:)"))) void tollgate_unpoison_memory(
    const void *start, size_t count) {
  if (start != NULL && TOLLGATE_TELLS_SANITIZER) __asan_unpoison_memory_region(start, count);
}

#endif
