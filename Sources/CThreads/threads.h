// Threads of the process, as far as the C library hides them from Swift.
//
// SAFETY: Attributes are set up before they are used, and destroyed afterwards. The range is
// unmapped with its size. Tests: StackTests.
#ifndef TOLLGATE_THREADS_H
#define TOLLGATE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#if defined(__linux__)
// From <pthread.h>, which shows it only with _GNU_SOURCE.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);
#endif

// Gives threads that are made from now on, by whomever, a stack of so many bytes. Darwin has nothing
// like it; its threads do not go by `ulimit -s`.
static inline __attribute__((swift_name("setStackSize(ofThreads:)"))) void
tollgate_set_stack_size(size_t bytes) {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, bytes) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

// Whether this process may have so many stacks of so many bytes at the same time. It keeps none.
static inline __attribute__((swift_name("hasRoom(forStacks:of:)"))) int
tollgate_has_room_for_stacks(size_t count, size_t bytes) {
  // Only an address range is needed: nothing of it is touched.
  void *range = mmap(NULL, count * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return 0;
  munmap(range, count * bytes);
  return 1;
}

#endif
