import type { ObjectId } from "mongodb";
import type { BuildProblem } from "../frame/messages";

/** Path of all dev servers, each below it under a separate name. */
export const DEV_PATH = "/api/apps/dev/";

/** Files by their path in the app's folder. */
export type AppFiles = ReadonlyMap<string, Buffer>;

export type BuildResult =
  | { ok: true; files: AppFiles; log: string }
  | { ok: false; problems: BuildProblem[]; log: string };

/** `what` tells the server's operator what to install or allow. */
export type Availability = { isAvailable: true } | { isAvailable: false; what: string };

/** A user's dev server for one app. It serves `base`, a path that cannot be guessed. */
export type Session = {
  base: string;
  startedAt: Date;
  /** Forwards a request to the dev server. The path starts with `base`. */
  request(input: {
    method: string;
    path: string;
    headers: Headers;
    body?: ReadableStream<Uint8Array>;
    signal?: AbortSignal;
  }): Promise<Response>;
  /** Returns the current working copy, including changes by the dev server or a shell. */
  readFiles(): Promise<AppFiles>;
  /** Writes a file; `content` null removes it. */
  writeFile(path: string, content: Buffer | null): Promise<void>;
  /** False once the session has ended, for any reason. */
  readonly isAlive: boolean;
  /** Resolves when the session has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** Runs code of apps: on this machine without a network, or with a remote provider. */
export interface Sandbox {
  availability(): Promise<Availability>;
  /**
   * Builds an app into the files that are served. Errors of the app are returned, not thrown.
   * @throws AppError unavailable when there is no sandbox, or too many builds wait
   */
  build(input: {
    workspaceId: ObjectId;
    appId: ObjectId;
    files: AppFiles;
    onLog: (line: string) => void;
    signal: AbortSignal;
  }): Promise<BuildResult>;
  /**
   * Starts a dev server.
   * @throws AppError unavailable when there is no sandbox; conflict when too many sessions run on this node
   */
  start(input: { workspaceId: ObjectId; appId: ObjectId; userId: ObjectId; files: AppFiles }): Promise<Session>;
}
