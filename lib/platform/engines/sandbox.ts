import "server-only";
import { basename, dirname } from "node:path";
import { log } from "@/lib/platform/log";
import { confined, type Mount, readable, tryBubblewrap } from "@/lib/platform/process/bubblewrap";
import type { ServiceSpec } from "@/lib/platform/process/service";
import { sharedState } from "@/lib/platform/process/shared-state";

/** Where programs and their libraries live; nothing in there is the platform's. */
const SYSTEM_FOLDERS = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"];
/** Where an engine finds its file: whatever a database tells of itself does not tell where the data lives. */
const FILES = "/files";

type Confinement = {
  /** The database; its folder is writable for its log and for what sorts spill. */
  filePath: string;
  socketFolder: string;
  /** What cannot be changed, whatever the engine does. */
  readOnly: "nothing" | "file" | "folder";
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
  return (command, args) => {
    const mounts: Mount[] = [
      ...readable([...SYSTEM_FOLDERS, ...programFolders(root, command, args[0] ?? "")]),
      { from: folder, to: FILES, mode: readOnly === "folder" ? "read" : "write" },
      { from: socketFolder, to: socketFolder, mode: "write" },
      ...(readOnly === "file" ? [{ from: filePath, to: inside, mode: "read" } as const] : []),
    ];
    const inner = args.map((arg) => (arg === filePath ? inside : arg));
    const options = ["--tmpfs", "/tmp"];
    return { command: "bwrap", args: confined({ mounts, folder: FILES, options }, [command, ...inner]) };
  };
}

/** The runtime, the bundle or the sources, and the engines: not the project's folder, which may hold the data folder. */
function programFolders(root: string, command: string, entry: string): string[] {
  const sources = entry.endsWith(".ts") ? [`${root}/lib`] : [dirname(entry)];
  return [dirname(command), `${root}/node_modules/@duckdb`, `${root}/package.json`, ...sources];
}

function probe(): { isThere: boolean } {
  const isThere = tryBubblewrap(["--unshare-all", "--ro-bind", "/", "/", "true"]) === null;
  if (!isThere) log.warn("bubblewrap cannot be used here: file engines run behind DuckDB's own locks alone");
  return { isThere };
}
