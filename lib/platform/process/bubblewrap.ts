import { spawnSync } from "node:child_process";

/** Maximum time to create a sandbox, in ms. It takes some milliseconds; a machine on which it hangs has none. */
const PROBE_TIMEOUT_MS = 5000;

/** A path that a sandbox sees. If one that is not `optional` is missing, there is no sandbox. */
export type Mount = { from: string; to: string; mode: "read" | "write" | "optional" };

const FLAGS = { read: "--ro-bind", write: "--bind", optional: "--ro-bind-try" } as const;

export type Confinement = {
  mounts: readonly Mount[];
  /** Path of the working folder inside the sandbox. */
  folder: string;
  /** Further bubblewrap options, before the mounts. */
  options?: readonly string[];
  /** Whether /proc is mounted. False for children that do not need it: it describes the whole machine. */
  hasProcesses?: boolean;
  /** Whether only the writable mounts of the options can be written. */
  isClosed?: boolean;
};

/**
 * Returns the arguments with which bubblewrap runs a command without a network, other processes and files outside of
 * the mounts.
 */
export function confined(
  { mounts, folder, options = [], hasProcesses = true, isClosed = false }: Confinement,
  command: readonly string[],
): string[] {
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    ...(hasProcesses ? ["--proc", "/proc"] : []),
    ...["--dev", "/dev"],
    ...options,
    ...mounts.flatMap(({ from, to, mode }) => [FLAGS[mode], from, to]),
    // Both are in memory, without a limit.
    ...(isClosed ? ["--remount-ro", "/dev", "--remount-ro", "/"] : []),
    ...["--chdir", folder, "--", ...command],
  ];
}

/** Mounts existing paths read-only, under the same names. */
export function readable(paths: readonly string[]): Mount[] {
  return paths.map((path) => ({ from: path, to: path, mode: "optional" }));
}

/** Tries a sandbox once. Returns null if it works, else the error output. */
export function tryBubblewrap(args: readonly string[], env: NodeJS.ProcessEnv = process.env): string | null {
  const { status, error, stderr } = spawnSync("bwrap", args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: PROBE_TIMEOUT_MS,
    encoding: "utf8",
    // The server's PATH decides where the program is found.
    env: { ...env, PATH: process.env.PATH },
  });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim() || `bwrap ended with code ${status}`);
}
