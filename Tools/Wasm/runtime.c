// Functions of Swift's runtime that Embedded Swift leaves to the platform.
#include <stdint.h>
#include <stdlib.h>

// Reads a number at the start of a string, and returns where it ends. The C library has no other locale.
const char *_swift_stdlib_strtod_clocale(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end;
}

// There is no output. The C library's function would bring its files with it.
int putchar(int byte) { return byte; }

uintptr_t __stack_chk_guard = 0x00000aff;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
