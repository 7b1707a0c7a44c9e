/* The parts of the C library for Swift sources: `import CShims` instead of Glibc, Musl or Darwin. */
#pragma once

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__wasi__)
// WebAssembly has one thread and no <pthread.h>, so its locks have nothing to do.
//
// SAFETY: Nothing reads or writes through the pointers. Tests: JavaScript/test.
#include <sys/types.h>
static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *attributes) { return 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *lock) { return 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *lock) { return 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *lock) { return 0; }
#else
#include <pthread.h>
#endif

// CLOCK_REALTIME and CLOCK_MONOTONIC are not constants everywhere.
static inline __attribute__((swift_name("presentMilliseconds()"))) long long tollgate_present_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static inline __attribute__((swift_name("monotonicSeconds()"))) double tollgate_monotonic_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
