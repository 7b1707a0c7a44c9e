#ifndef TOLLGATE_PROBES_H
#define TOLLGATE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations.
bool probe_counts_allocations(void);

/// The number of blocks that the current thread has allocated so far. A block that grows in `realloc` counts once more.
/// It is zero if allocations are not counted.
uint64_t probe_allocations(void);

/// Consumes a number, so that the optimiser does not remove its computation.
void probe_consume(int64_t number);

#endif
