"""How the scripts beside this one measure: like `bench`, in CPU time of the thread."""

import time

BATCH_NS = 5_000_000
BATCHES = 9


def batch_time(operation, rounds):
    """Nanoseconds of CPU for a number of calls."""
    start = time.thread_time_ns()
    for _ in range(rounds):
        operation()
    return time.thread_time_ns() - start


def cost(operation):
    """Nanoseconds per call: in the fastest batch, and in the one in the middle."""
    rounds = 1
    while (elapsed := batch_time(operation, rounds)) < BATCH_NS / 2:
        rounds *= 2
    rounds = max(1, round(rounds * BATCH_NS / elapsed))
    samples = sorted(batch_time(operation, rounds) / rounds for _ in range(BATCHES))
    return samples[0], samples[len(samples) // 2]
