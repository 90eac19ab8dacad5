/**
 * Lease of a claim, in ms: four heartbeats. A server whose event loop or store is blocked for 9 s keeps its work; the
 * embedded store answers that slowly on a busy machine.
 */
export const LEASE_MS = 12_000;
/** Interval of the heartbeats that renew all claims of a process, in ms. */
export const BEAT_MS = 3_000;
/** Interval of the sweeps that find lapsed claims, in ms: a few indexed reads. */
export const SWEEP_MS = 2_000;
/** Maximum time until a dead server's work is found (docs/develop/decisions/durable-work.md), in ms. */
export const TAKE_UP_MS = 15_000;
/**
 * Time without a heartbeat after which a worker of the job runner counts as dead, in ms. Others watch its counter by
 * their own clocks, so it adds up with two intervals: 14 s.
 */
export const WORKER_LEASE_MS = 10_000;
/** Number of a worker's heartbeats in its lease. Each one is also a sweep for dead workers. */
export const WORKER_BEATS = 5;
/** Interval of the checks for cancel requests, in ms: one read for all claims of a process. */
export const CANCEL_LOOK_MS = 1_000;
/** Time after which a sweep wakes an executor again, in ms. The first call may wait in the job runner's queue. */
export const WAKE_AGAIN_MS = 30_000;
/**
 * Lapses in a row without progress that are followed by another start. Work that lapses again counts as the cause
 * of its servers' deaths (F16).
 */
export const FRUITLESS_LAPSES_MAX = 2;
/** Pause after the first failure, in ms; it doubles with each further one, up to the maximum. */
export const BACKOFF_MS = 15_000;
export const BACKOFF_MAX_MS = 10 * 60_000;
