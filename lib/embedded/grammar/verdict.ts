/** What the grammar's process says about a statement of PostgreSQL. */
export type Verdict =
  | { status: "ok"; returnsRows: boolean }
  | {
      status: "refused";
      kind: "invalid_request" | "query_failed" | "read_only" | "not_allowed";
      message: string;
      /** 0-based, in UTF-16 units of the query; only where the grammar names a place. */
      offset?: number;
    }
  /** The grammar does not know it; a newer server might. */
  | { status: "unknown"; message: string; offset?: number };

export type JudgeRequest = { id: number; query: string; readOnly: boolean };
export type JudgeAnswer = { id: number; verdict: Verdict };
