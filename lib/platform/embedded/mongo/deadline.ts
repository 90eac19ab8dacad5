/** Says when a command has run longer than it may. */
export type Deadline = {
  check: () => void;
  /** Milliseconds; infinite without a limit. */
  left: () => number;
  /** Ends the command after so many milliseconds from now, when it does not end earlier. */
  limit: (ms: number) => void;
};

/** Of the store's own work, which nobody waits for. */
export const NO_DEADLINE: Deadline = {
  check: () => undefined,
  left: () => Number.POSITIVE_INFINITY,
  limit: () => undefined,
};
