// Threads of the process, where the C library hides them from Swift.
//
// SAFETY: Attributes are set up before they are used, and destroyed afterwards. The range is
// unmapped with its size. Tests: StackTests.
#ifndef TOLLGATE_THREADS_H
#define TOLLGATE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#if defined(__linux__)
// From <pthread.h>, which only declares it with _GNU_SOURCE.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);
#endif

// Sets the stack size of all threads that are created from now on. Darwin has no such call, and its threads
// ignore `ulimit -s`.
static inline __attribute__((swift_name("setStackSize(ofThreads:)"))) void
tollgate_set_stack_size(size_t bytes) {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, bytes) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

// Whether this process may have `count` stacks of `bytes` bytes at the same time. No memory stays reserved.
static inline __attribute__((swift_name("hasRoom(forStacks:of:)"))) int
tollgate_has_room_for_stacks(size_t count, size_t bytes) {
  // Only an address range is needed. Its memory is not touched.
  void *range = mmap(NULL, count * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return 0;
  munmap(range, count * bytes);
  return 1;
}

#endif
