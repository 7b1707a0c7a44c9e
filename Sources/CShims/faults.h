// What a program says when it is stopped by a fault of its own.
#ifndef TOLLGATE_FAULTS_H
#define TOLLGATE_FAULTS_H

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
#define TOLLGATE_HAS_SANITIZER (__asan_init || __tsan_init)
#else
#define TOLLGATE_HAS_SANITIZER 0
#endif

static const char *tollgate_fault_message = NULL;
static size_t tollgate_fault_length = 0;

// Called in the middle of anything: writes what was made ready, and ends.
static inline void tollgate_tell_fault(int number) {
  (void)number;
  if (write(STDERR_FILENO, tollgate_fault_message, tollgate_fault_length) < 0) {
    // Nobody is there to read it.
  }
  _exit(70);
}

// Has a text written to standard error, and the program end with 70, where a trap or a signal of the
// processor would end it. The text stays in memory. A sanitizer tells more, and is left alone.
static inline __attribute__((swift_name("tellFaults(_:)"))) void tollgate_tell_faults(const char *message) {
  if (TOLLGATE_HAS_SANITIZER) return;
  char *copy = strdup(message);
  void *stack = malloc(SIGSTKSZ < 65536 ? 65536 : SIGSTKSZ);
  if (copy == NULL || stack == NULL) return;
  tollgate_fault_message = copy;
  tollgate_fault_length = strlen(copy);
  // A stack that overflowed has no room for a call.
  stack_t other = {.ss_sp = stack, .ss_size = SIGSTKSZ < 65536 ? 65536 : SIGSTKSZ, .ss_flags = 0};
  sigaltstack(&other, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = tollgate_tell_fault;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

#endif
