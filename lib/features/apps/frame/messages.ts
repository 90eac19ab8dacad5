/**
 * Messages between our page and the app in its frame. The app's runtime sends `{ millrace: "hello" }` to its parent with a
 * MessagePort. The page accepts it only from the window of its frame; all later messages go through the port.
 */

/** Parameters of the app's URL that it can read and set. The surrounding page's URL contains them, too. */
export type AppParams = Readonly<Record<string, string>>;

export type ToApp =
  /** First message. `base` is the address below which files and `__data` are served, with a new token. */
  | { type: "init"; base: string; theme: "light" | "dark"; params: AppParams }
  /** Sent because a token is valid for 15 min, and a page may stay open for a day. */
  | { type: "base"; base: string }
  | { type: "theme"; theme: "light" | "dark" }
  | { type: "params"; params: AppParams };

/** A compile error at a position in the app's files. `line` and `column` are 1-based; null if unknown. */
export type BuildProblem = { path: string | null; line: number | null; column: number | null; message: string };

export type FromApp =
  | { type: "needsBase" }
  | { type: "params"; params: AppParams }
  /** A link out of the app: the page asks the user before it opens one. */
  | { type: "open"; href: string }
  | { type: "console"; level: "log" | "info" | "warn" | "error"; text: string; at: number }
  | { type: "error"; message: string; stack: string | null; at: number }
  /** All compile errors of a preview; empty once they are fixed. */
  | { type: "problems"; problems: BuildProblem[] };
