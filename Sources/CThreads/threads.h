// Threads of the process, as far as the C library hides them from Swift.
#ifndef TOLLGATE_THREADS_H
#define TOLLGATE_THREADS_H

#include <pthread.h>
#include <stddef.h>

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

#endif
