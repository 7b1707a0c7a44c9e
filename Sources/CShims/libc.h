/* What Swift sources use of the C library: `import CShims` in place of a choice between Glibc, Musl and Darwin. */
#pragma once

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
