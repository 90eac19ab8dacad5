import "server-only";
import { basename, dirname } from "node:path";
import { log } from "@/lib/platform/log";
import { confined, type Mount, readable, tryBubblewrap } from "@/lib/platform/process/bubblewrap";
import { serverMember } from "@/lib/platform/process/server-context";
import type { ServiceSpec } from "@/lib/platform/process/service";

/** Folders of programs and their libraries; none of them holds the platform's files. */
const SYSTEM_FOLDERS = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"];
/** Path under which an engine finds its file, so that nothing a database reports reveals the real path. */
const FILES = "/files";

type Confinement = {
  /** The database; its folder is writable for its log and for temporary files of sorts. */
  filePath: string;
  /** Absent for a child without a socket. */
  socketFolder?: string;
  /** Part that the engine cannot change. */
  readOnly: "nothing" | "file" | "folder";
  /** Packages that it needs beside DuckDB. */
  packages?: readonly string[];
};

/** Returns whether engines run confined. Tests change it. */
export const bubblewrap = serverMember("engineSandbox", probe);

/**
 * Confines an engine with bubblewrap: no network, no other processes, and of the file system only system libraries, the
 * program and the file's folder, under a neutral name (T40). If bubblewrap is missing or namespaces are not allowed,
 * the engine runs without it, protected by DuckDB's settings, and the log says so once.
 */
export function engineSandbox({ filePath, socketFolder, readOnly, packages = [] }: Confinement): ServiceSpec["wrap"] {
  if (!bubblewrap().isThere) return undefined;
  const folder = dirname(filePath);
  const inside = `${FILES}/${basename(filePath)}`;
  const root = process.cwd();
  return (command, args) => {
    const mounts: Mount[] = [
      ...readable([
        ...SYSTEM_FOLDERS,
        ...programFolders(root, command, args[0] ?? ""),
        ...packages.map((name) => `${root}/node_modules/${name}`),
      ]),
      { from: folder, to: FILES, mode: readOnly === "folder" ? "read" : "write" },
      ...(socketFolder ? [{ from: socketFolder, to: socketFolder, mode: "write" } as const] : []),
      ...(readOnly === "file" ? [{ from: filePath, to: inside, mode: "read" } as const] : []),
    ];
    const inner = args.map((arg) => (arg === filePath ? inside : arg === folder ? FILES : arg));
    const options = ["--tmpfs", "/tmp"];
    return { command: "bwrap", args: confined({ mounts, folder: FILES, options }, [command, ...inner]) };
  };
}

/**
 * Returns the folders of the runtime, the bundle or the sources, and the engines: not the project's folder, which may
 * contain the data folder.
 */
function programFolders(root: string, command: string, entry: string): string[] {
  const sources = entry.endsWith(".ts") ? [`${root}/lib`] : [dirname(entry)];
  return [dirname(command), `${root}/node_modules/@duckdb`, `${root}/package.json`, ...sources];
}

function probe(): { isThere: boolean } {
  const isThere = tryBubblewrap(["--unshare-all", "--ro-bind", "/", "/", "true"]) === null;
  if (!isThere) log.warn("bubblewrap is not available: file engines run with DuckDB's own restrictions only");
  return { isThere };
}
