/** Time limit of a command. */
export type Deadline = {
  check: () => void;
  /** Returns the remaining time in ms; infinite without a limit. */
  left: () => number;
  /** Shortens the limit to this many ms from now, unless it is shorter already. */
  limit: (ms: number) => void;
};

/** Deadline of the store's own work, which no client waits for. */
export const NO_DEADLINE: Deadline = {
  check: () => undefined,
  left: () => Number.POSITIVE_INFINITY,
  limit: () => undefined,
};
