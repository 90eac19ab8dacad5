import "server-only";
import { spawnSync } from "node:child_process";
import { basename, dirname } from "node:path";
import { log } from "@/lib/log";
import type { ServiceSpec } from "@/lib/process/service";
import { sharedState } from "@/lib/process/shared-state";

/** Where programs and their libraries live; nothing in there is the platform's. */
const SYSTEM_FOLDERS = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"];
/** Where an engine finds its file: whatever a database tells of itself does not tell where the data lives. */
const FILES = "/files";
/** Creating a sandbox takes some milliseconds; a machine on which it hangs has none. */
const PROBE_TIMEOUT_MS = 5000;

type Confinement = {
  /** The database; its folder is writable for its log and for what sorts spill. */
  filePath: string;
  socketFolder: string;
  /** The file itself cannot be changed, whatever the engine does. */
  readOnly: boolean;
};

/**
 * Confines an engine by bubblewrap: no network, no other processes, and of the file system only system libraries,
 * the program and the file's own folder, under a name that tells nothing (T40). Where bubblewrap is missing or namespaces are not allowed, the engine
 * runs without, behind DuckDB's own locks, and the log says so once.
 */
export function engineSandbox({ filePath, socketFolder, readOnly }: Confinement): ServiceSpec["wrap"] {
  if (!sharedState("engine-sandbox", probe).isThere) return undefined;
  const folder = dirname(filePath);
  const inside = `${FILES}/${basename(filePath)}`;
  const root = process.cwd();
  return (command, args) => ({
    command: "bwrap",
    args: [
      "--unshare-all",
      "--die-with-parent",
      "--new-session",
      ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
      ...SYSTEM_FOLDERS.flatMap((path) => ["--ro-bind-try", path, path]),
      ...programFolders(root, command, args[0] ?? "").flatMap((path) => ["--ro-bind-try", path, path]),
      ...["--bind", folder, FILES, "--bind", socketFolder, socketFolder],
      ...(readOnly ? ["--ro-bind", filePath, inside] : []),
      ...["--chdir", FILES, "--", command],
      ...args.map((arg) => (arg === filePath ? inside : arg)),
    ],
  });
}

/** The runtime, the bundle or the sources, and the engines: not the project's folder, which may hold the data folder. */
function programFolders(root: string, command: string, entry: string): string[] {
  const sources = entry.endsWith(".ts") ? [`${root}/lib`] : [dirname(entry)];
  return [dirname(command), `${root}/node_modules/@duckdb`, `${root}/package.json`, ...sources];
}

function probe(): { isThere: boolean } {
  const { status } = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], {
    stdio: "ignore",
    timeout: PROBE_TIMEOUT_MS,
  });
  if (status !== 0) {
    log.warn("bubblewrap cannot be used here: file engines run behind DuckDB's own locks alone");
  }
  return { isThere: status === 0 };
}
