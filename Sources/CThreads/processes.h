// Other programs, where the C libraries look different to Swift.
//
// SAFETY: The walk to the arguments ends at their number, and nothing has moved the variables
// before it. Attributes and actions are set up before they are used, and destroyed afterwards.
// Tests: FetchCommandTests, Tools/Dist/check.sh.
#ifndef TOLLGATE_PROCESSES_H
#define TOLLGATE_PROCESSES_H

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>

// From <unistd.h>, which only declares it with _GNU_SOURCE.
extern char **environ;

// The variables of this process, ended by a null pointer.
static inline __attribute__((swift_name("environmentOfProcess()"))) char **
tollgate_environment(void) {
  return environ;
}

// An argument of this process by its number, the command itself first. It is null after the last one, or if the
// arguments are unknown. This is for starts without /proc, where Swift looks for them. Linux stores their number,
// the arguments and a null pointer directly before the variables, which have not been moved yet.
static inline __attribute__((swift_name("argumentOfProcess(_:)"))) const char *
tollgate_argument(long number) {
#if defined(__linux__)
  char **end = environ - 1;
  if (environ == NULL || *end != NULL) return NULL;
  long count = 0;
  // Every address is larger than a number of arguments.
  while ((long)end[-count - 1] != count) {
    if (count > 0 && end[-count] == NULL) return NULL;
    count++;
  }
  return number < count ? end[number - count] : NULL;
#else
  return NULL;
#endif
}

// Starts a program, which is searched for in PATH, with open files as its standard streams. Signals that
// this process ignores have their default effect in it. Returns 0, or the error of the start.
static inline __attribute__((swift_name("startProcess(_:_:_:_:input:output:errors:)"))) int
tollgate_start_process(pid_t *process, const char *program, char *const arguments[],
                       char *const environment[], int input, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t usual;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0) return result;
  result = posix_spawnattr_init(&attributes);
  if (result != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  result = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, errors, 2);
  if (result == 0) {
    result = posix_spawnp(process, program, &actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

#endif
