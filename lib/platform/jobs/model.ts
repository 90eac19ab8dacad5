/**
 * State of a document as a job. Only `ready` documents are claimed. A `leased` one belongs to the worker in `leaseBy`
 * for as long as that worker lives.
 */
export type QueueState =
  /** No work until something else happens. */
  | "idle"
  /** Due at `at`. */
  | "waiting"
  | "ready"
  | "leased"
  /** A concurrency limit is reached; `blockedOn` names it. */
  | "blocked"
  /** Finished. */
  | "done";

export type QueueFields = {
  _id: string;
  state: QueueState;
  /** Due time; the earliest goes first. */
  at: Date;
  leaseBy: string | null;
  /** Attempts since the last progress that ended with the worker's death or a failure of the executor. */
  lapses: number;
  /** Attempts that ended with the worker's death. Absent means 0. */
  deaths?: number;
};

/** An event as functions receive it. */
export type EventPayload = {
  id: string;
  name: string;
  data: Record<string, unknown>;
  ts: number;
  user: Record<string, unknown>;
  v?: string;
};

/** A received event. A job until it has started its runs, then retained for a while. */
export type EventDoc = QueueFields & {
  name: string;
  /** EventPayload as JSON, so that names with dots and numbers of any size do not change. */
  payload: string;
  createdAt: Date;
};

export type RunStatus = "active" | "completed" | "failed" | "cancelled";

/** A run of a function with the results of its steps. As a job, it is the next discovery call of the function. */
export type RunDoc = QueueFields & {
  functionId: string;
  status: RunStatus;
  /** Hash of what started the run: unique for IDEMPOTENCY_MS. */
  key?: string;
  eventId: string;
  eventName: string;
  payload: string;
  /** JSON of each step's result by step id; null for one that is stored in a separate document. */
  steps: Record<string, string | null>;
  /** Ids of `steps` in the order in which they ended. */
  stack: string[];
  /** Steps that were announced and have no result yet. */
  pending: string[];
  /** The run has had tasks; their documents are deleted with it. */
  hasTasks: boolean;
  /** Total size of all results, in bytes. */
  stateBytes: number;
  /** Protocol version that the SDK chose; -1 until then. */
  version: number;
  /** Steps are announced instead of run at once, because several run in parallel. */
  isPlanning: boolean;
  attempt: number;
  /**
   * Number of reasons to call the function again. The caller releases the run only when no reason was added during its
   * call.
   */
  wanted: number;
  limits: RunLimit[];
  blockedOn: string | null;
  /** JSON of the result or of the error. */
  outcome?: string;
  createdAt: Date;
  endedAt?: Date;
  /** Set when the run ends. */
  expiresAt?: Date;
};

/** A concurrency limit with its key already inserted. */
export type RunLimit = { name: string; limit: number };

/** A step of a run as a separate job: to be run, or slept through. */
export type TaskDoc = QueueFields & {
  kind: "step" | "sleep" | "cron";
  functionId: string;
  /** Empty for the next tick of a cron expression. */
  runId: string;
  stepId: string;
  attempt: number;
  /** The function is called as soon as this task is finished, even while others run in parallel. */
  isRace: boolean;
  limits: RunLimit[];
  blockedOn: string | null;
  /** For a cron tick. */
  cron?: string;
  createdAt: Date;
};

/** A result that is too large for its run's document. */
export type StepDoc = { _id: string; runId: string; output: string };

/** Current holders of a concurrency limit. */
export type SlotDoc = { _id: string; limit: number; holders: string[] };

/** A process that works. It is alive while its count increases. */
export type WorkerDoc = { _id: string; beats: number };
