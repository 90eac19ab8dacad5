import { spawnSync } from "node:child_process";

/** Creating a sandbox takes some milliseconds; a machine on which it hangs has none. */
const PROBE_TIMEOUT_MS = 5000;

/** A place that a sandbox sees. Without one that is not `optional`, there is no sandbox. */
export type Mount = { from: string; to: string; mode: "read" | "write" | "optional" };

const FLAGS = { read: "--ro-bind", write: "--bind", optional: "--ro-bind-try" } as const;

export type Confinement = {
  mounts: readonly Mount[];
  /** The working folder, as it is called inside. */
  folder: string;
  /** More of what bubblewrap can do, before the mounts. */
  options?: readonly string[];
  /** Left out where a child can do without: it tells about the whole machine. */
  hasProcesses?: boolean;
  /** Nothing can be written but in what the options mount to be written. */
  isClosed?: boolean;
};

/** The arguments by which bubblewrap runs a command without a network, other processes and files but those of the mounts. */
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

/** Places to read, where they are there, under their own names. */
export function readable(paths: readonly string[]): Mount[] {
  return paths.map((path) => ({ from: path, to: path, mode: "optional" }));
}

/** Tries a sandbox once: null when it works, else what the try said. */
export function tryBubblewrap(args: readonly string[], env: NodeJS.ProcessEnv = process.env): string | null {
  const { status, error, stderr } = spawnSync("bwrap", args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: PROBE_TIMEOUT_MS,
    encoding: "utf8",
    // Where the program is found is the server's own matter.
    env: { ...env, PATH: process.env.PATH },
  });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim() || `bwrap ended with code ${status}`);
}
