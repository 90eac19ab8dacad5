import type { ObjectId } from "mongodb";

/** All dev servers answer below it, each at a name of its own. */
export const DEV_PATH = "/api/apps/dev/";

/** Paths in the app's folder, each with its bytes. */
export type AppFiles = ReadonlyMap<string, Buffer>;

/** A place in a file that a build stumbled over. `line` and `column` count from 1; null when the builder told none. */
export type BuildProblem = { path: string | null; line: number | null; column: number | null; message: string };

export type BuildResult =
  | { ok: true; files: AppFiles; log: string }
  | { ok: false; problems: BuildProblem[]; log: string };

/** `what` says what the person who runs the server has to install or allow. */
export type Availability = { isAvailable: true } | { isAvailable: false; what: string };

/** A dev server of one person for one app. It answers below `base`, a path that nobody can guess. */
export type Session = {
  base: string;
  startedAt: Date;
  /** Sends a request on to the dev server. The path begins with `base`. */
  request(input: {
    method: string;
    path: string;
    headers: Headers;
    body?: ReadableStream<Uint8Array>;
    signal?: AbortSignal;
  }): Promise<Response>;
  /** The working copy as it is now, what the dev server or a shell has changed included. */
  readFiles(): Promise<AppFiles>;
  /** `content` null removes the file. */
  writeFile(path: string, content: Buffer | null): Promise<void>;
  /** False when it has ended, by whatever. */
  readonly isAlive: boolean;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** Where code of apps runs: on this machine without a network, or with a provider elsewhere. */
export interface Sandbox {
  availability(): Promise<Availability>;
  /**
   * Builds an app to the files that are served. What is wrong with the app is an answer, not an error.
   * @throws AppError unavailable when there is no sandbox, or too many builds wait
   */
  build(input: {
    workspaceId: ObjectId;
    appId: ObjectId;
    files: AppFiles;
    onLog: (line: string) => void;
    signal: AbortSignal;
  }): Promise<BuildResult>;
  /** @throws AppError unavailable when there is no sandbox; conflict when too many sessions run on this node */
  start(input: { workspaceId: ObjectId; appId: ObjectId; userId: ObjectId; files: AppFiles }): Promise<Session>;
}
