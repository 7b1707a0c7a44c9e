// How libdispatch opens files in the command that is shipped.
//
// Each second it reads the state of its threads from /proc, and ends the process where it cannot: in a
// root or a container without /proc, and when no file may be opened any more. All that it asks is how
// many threads are running, and a file of which nothing can be read counts as one that is not.
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

int tollgate_dispatch_open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int file = open(path, flags, mode);
  // No file has this number: reading it fails, and so does closing it.
  if (file < 0 && strncmp(path, "/proc/", 6) == 0) return INT_MAX;
  return file;
}
