import "server-only";
import { dirname } from "node:path";
import { log } from "@/lib/platform/log";
import { confined, readable, tryBubblewrap } from "@/lib/platform/process/bubblewrap";
import { withLimits } from "@/lib/platform/process/limited";
import { serverMember } from "@/lib/platform/process/server-context";
import type { ServiceSpec } from "@/lib/platform/process/service";

/** Heap size: sixty charts of 5,000 rows, and the libraries. */
export const HEAP_MIB = 512;
/**
 * Data limit: the heap, 60 MB of pixels several times over, WebAssembly, and 80 MB of stacks. The kernel enforces it.
 */
const DATA_MIB = 1536;
const SYSTEM_FOLDERS = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"];

const sandbox = serverMember("pictureSandbox", probe);

/**
 * Confines a process that renders pictures: RLIMIT_DATA limits its memory, and bubblewrap leaves it no network, no
 * other processes, and of the file system only its programs. Without bubblewrap, only the memory limit applies.
 */
export function pictureSandbox(socketFolder: string): NonNullable<ServiceSpec["wrap"]> {
  const { isThere } = sandbox();
  const root = process.cwd();
  return (command, args) => {
    const sources = args[0]?.endsWith(".ts") ? `${root}/lib` : dirname(args[0] ?? "");
    const mounts = [
      ...readable([...SYSTEM_FOLDERS, dirname(command), `${root}/node_modules`, `${root}/package.json`, sources]),
      { from: socketFolder, to: socketFolder, mode: "write" } as const,
    ];
    const options = ["--tmpfs", "/tmp"];
    return withLimits(
      isThere ? ["bwrap", ...confined({ mounts, folder: "/", options }, [command, ...args])] : [command, ...args],
      { dataMib: DATA_MIB },
    );
  };
}

function probe(): { isThere: boolean } {
  const isThere = tryBubblewrap(["--unshare-all", "--ro-bind", "/", "/", "true"]) === null;
  if (!isThere) log.warn("bubblewrap is not available: images are drawn in a process with a memory limit only");
  return { isThere };
}
