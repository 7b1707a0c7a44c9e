#ifndef TOLLGATE_PROBES_H
#define TOLLGATE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations.
bool probe_counts_allocations(void);

/// How many blocks the current thread has asked of the allocator so far. A block that grows in
/// `realloc` counts once more. Zero where nothing is counted.
uint64_t probe_allocations(void);

/// Takes a number that the optimiser must not find useless.
void probe_consume(int64_t number);

#endif
