/* The parts of the C library for Swift sources: `import CShims` instead of Glibc, Musl or Darwin. */
#pragma once

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
