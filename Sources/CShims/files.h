// System calls that the C library hides from Swift.
//
// SAFETY: Only numbers go to the system. Tests: OutputFileTests.
#ifndef TOLLGATE_FILES_H
#define TOLLGATE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__linux__)
// fallocate of <fcntl.h>, which only declares it with _GNU_SOURCE.
extern int fallocate(int file, int mode, off_t offset, off_t count);
#endif

// Reserves blocks of a file after its end, without moving the end. False if that is impossible.
static inline __attribute__((swift_name("reserveBlocks(of:from:count:)"))) bool
tollgate_reserve_blocks(int file, int64_t from, int64_t count) {
#if defined(__linux__)
  const int keepSize = 1;
  return fallocate(file, keepSize, (off_t)from, (off_t)count) == 0;
#else
  return false;
#endif
}

#endif
