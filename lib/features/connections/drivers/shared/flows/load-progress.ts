/** Time limit of abandoning a load, in ms. */
export const ABANDON_TIMEOUT_MS = 30_000;

/** The progress of a load, as its destination stores it, with positions in the destination's form. */
export type Progress<Position> = {
  /** Counts openings: a run that was presumed dead names an earlier one and can no longer write. */
  epoch: number;
  /** Counts written batches: one whose commit was not confirmed is not written again. */
  batch: number;
  run: string;
  position: Position | null;
  /** The position of the visible rows, while there are invisible ones. */
  base: Position | null;
  rowCount: number;
  staging: string | null;
  /** All rows are in the staging table and are being moved to the target. False in destinations with transactions. */
  isFinishing: boolean;
  isFinished: boolean;
};

export type Opening = {
  run: string;
  /** Name of the table for rows that are not visible yet; null for a load without one. */
  staging: string | null;
  /** Whether the staging table of the progress still exists. */
  isKept: boolean;
  /** Whether the rows were moved to the target, and that was not recorded. */
  isMoved?: boolean;
};

/** Returns the progress with which a run opens a load: it resumes its own, and otherwise starts at the visible rows. */
export function openProgress<Position>(
  before: Progress<Position> | null,
  { run, staging, isKept, isMoved = false }: Opening,
): { next: Progress<Position>; isResumed: boolean } {
  const isSameRun = before?.run === run;
  const isFinished = isSameRun && (before.isFinished || isMoved);
  // Invisible rows are useful only if the position behind them is known.
  const isResumed = isFinished || (isSameRun && (staging === null || (before.position !== null && isKept)));
  const position = isResumed || before?.staging == null ? (before?.position ?? null) : before.base;
  const next = {
    epoch: (before?.epoch ?? 0) + 1,
    batch: before?.batch ?? 0,
    run,
    position,
    base: isResumed ? before.base : position,
    rowCount: isResumed ? before.rowCount : 0,
    staging: isFinished ? null : staging,
    isFinishing: isResumed && before.isFinishing && !isFinished,
    isFinished,
  };
  return { next, isResumed };
}

export function afterBatch<P extends Progress<unknown>>(progress: P, rows: number, position: P["position"]): P {
  return { ...progress, batch: progress.batch + 1, position, rowCount: progress.rowCount + rows };
}

/** Returns the progress while all rows are moved to the target. */
export function finishing<P extends Progress<unknown>>(progress: P): P {
  return { ...progress, batch: progress.batch + 1, isFinishing: true };
}

export function finished<P extends Progress<unknown>>(progress: P): P {
  const { batch, position } = progress;
  return { ...progress, batch: batch + 1, base: position, staging: null, isFinishing: false, isFinished: true };
}

export function abandoned<P extends Progress<unknown>>(progress: P): P {
  return { ...progress, batch: progress.batch + 1, position: progress.base, rowCount: 0, staging: null };
}
