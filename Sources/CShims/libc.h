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
