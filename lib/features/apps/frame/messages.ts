/**
 * What the page of ours and the app in its frame say to each other. The app's runtime sends `hello` to its parent with a
 * MessagePort; the page takes it only from the window of its own frame, and all that follows goes through the port.
 */
export type Hello = { millrace: "hello" };

/** Values of the app's address that it may read and set; they stand in our page's address, too. */
export type AppParams = Readonly<Record<string, string>>;

export type ToApp =
  /** First message. `base` is the address below which files and `__data` are served, with a token that is new. */
  | { type: "init"; base: string; theme: "light" | "dark"; params: AppParams }
  /** A token lives for 15 minutes; a page may stay open for a day. */
  | { type: "base"; base: string }
  | { type: "theme"; theme: "light" | "dark" }
  | { type: "params"; params: AppParams };

/** A place in the app's files that could not be compiled. `line` and `column` count from 1; null: it is not known. */
export type BuildProblem = { path: string | null; line: number | null; column: number | null; message: string };

export type FromApp =
  | { type: "needsBase" }
  | { type: "params"; params: AppParams }
  /** A link out of the app: the page asks the person before it opens one. */
  | { type: "open"; href: string }
  | { type: "console"; level: "log" | "info" | "warn" | "error"; text: string; at: number }
  | { type: "error"; message: string; stack: string | null; at: number }
  /** All that could not be compiled, of a preview; none when it is well again. */
  | { type: "problems"; problems: BuildProblem[] };
