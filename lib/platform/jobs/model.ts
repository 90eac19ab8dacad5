/**
 * Where a document stands as work to be done. Only `ready` ones are claimed; `leased` ones belong to the worker that
 * `leaseBy` names, for as long as that worker lives.
 */
export type QueueState =
  /** Nothing to do until something else happens. */
  | "idle"
  /** To be done at `at`. */
  | "waiting"
  | "ready"
  | "leased"
  /** A limit on what runs at once is reached; `blockedOn` names it. */
  | "blocked"
  /** Over. */
  | "done";

export type QueueFields = {
  _id: string;
  state: QueueState;
  /** When it is due; what is due first goes first. */
  at: Date;
  leaseBy: string | null;
  /** Attempts since its last progress that ended with the worker's death or a failure of the executor. */
  lapses: number;
  /** Those that ended with the worker's death. Absent is 0. */
  deaths?: number;
};

/** An event as functions get it. */
export type EventPayload = {
  id: string;
  name: string;
  data: Record<string, unknown>;
  ts: number;
  user: Record<string, unknown>;
  v?: string;
};

/** An event that has come. Work until it has started what it starts, then kept for a while. */
export type EventDoc = QueueFields & {
  name: string;
  /** EventPayload in JSON: names with dots and numbers of any size stay as they came. */
  payload: string;
  createdAt: Date;
};

export type RunStatus = "active" | "completed" | "failed" | "cancelled";

/** One run of a function with what its steps have given. As work it is the next question to the function: what now? */
export type RunDoc = QueueFields & {
  functionId: string;
  status: RunStatus;
  /** What it was started by, hashed: unique for as long as IDEMPOTENCY_MS. */
  key?: string;
  eventId: string;
  eventName: string;
  payload: string;
  /** JSON of each step's result by the step's id; null for one that is kept in a document of its own. */
  steps: Record<string, string | null>;
  /** Ids of `steps` in the order of their ends. */
  stack: string[];
  /** Steps that have been announced and have no result yet. */
  pending: string[];
  /** It has had steps that went their own way: what they left goes with it. */
  hasTasks: boolean;
  /** Bytes of all results. */
  stateBytes: number;
  /** Of the protocol, as the SDK has chosen; -1 until it has. */
  version: number;
  /** Steps are announced rather than run at once, because several go on beside each other. */
  isPlanning: boolean;
  attempt: number;
  /** Counts the reasons to ask the function again; who asks ends only when none was added meanwhile. */
  wanted: number;
  limits: RunLimit[];
  blockedOn: string | null;
  /** Keys of events that cancel it. */
  cancelKeys: string[];
  /** The step of another run that waits for its end. */
  parent?: { runId: string; stepId: string };
  /** JSON of what it returned, or of its error. */
  outcome?: string;
  createdAt: Date;
  endedAt?: Date;
  /** From its end on. */
  expiresAt?: Date;
};

/** A limit on what runs at once, with its key already put in. */
export type RunLimit = { name: string; limit: number };

/** A step of a run that goes its own way: to be run, or to be waited for. */
export type TaskDoc = QueueFields & {
  kind: "step" | "sleep" | "wait" | "invoke" | "cron";
  functionId: string;
  /** Empty for the next tick of a cron expression. */
  runId: string;
  stepId: string;
  attempt: number;
  /** The function is asked as soon as this one is over, whatever goes on beside it. */
  isRace: boolean;
  limits: RunLimit[];
  blockedOn: string | null;
  /** Of a wait: the event, the expression and what the expression's own side comes to. */
  event?: string;
  expression?: string;
  waitKey?: string;
  /** Of a tick. */
  cron?: string;
  createdAt: Date;
};

/** A result that is too large for its run's document. */
export type StepDoc = { _id: string; runId: string; output: string };

/** What holds a limit now. */
export type SlotDoc = { _id: string; limit: number; holders: string[] };

/** A process that works. It lives as long as its count goes up. */
export type WorkerDoc = { _id: string; beats: number };
