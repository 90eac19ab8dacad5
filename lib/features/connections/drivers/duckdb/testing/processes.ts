import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { engineSocketPath } from "@/lib/platform/engines/service";
import { absolutePath } from "@/lib/platform/process/paths";
import { ensureService } from "@/lib/platform/process/service";
import { WORKSPACE_ID } from "./open-file";

/** Ticks of a second in which the kernel counts processor time; Linux has it so everywhere. */
const TICKS_PER_SECOND = 100;

/** Process ids of the engine of a workspace's file: the sandbox around it, if any, and the engine itself. */
export function engineProcesses(dataDir: string, file: string): number[] {
  const path = join(absolutePath(dataDir), "files", WORKSPACE_ID, file);
  // The service exists already: the rest of the description is not used.
  const service = ensureService({ name: "", entry: "", args: [], socketPath: engineSocketPath(path) });
  const root = service.childPid();
  if (root === null) return [];
  const found = [root];
  for (let index = 0; index < found.length; index += 1) {
    for (const { pid, parent } of allProcesses()) if (parent === found[index]) found.push(pid);
  }
  return found;
}

/** False also for a process that has ended and whose parent has not looked at it yet. */
export function isAlive(pid: number): boolean {
  try {
    return !["Z", "X"].includes(statOf(pid)[0] ?? "X");
  } catch {
    return false;
  }
}

/** Processor time that the processes have used so far, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = statOf(pid);
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  }, 0);
}

function allProcesses(): { pid: number; parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), parent: Number(statOf(Number(name))[1]) }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** The fields of /proc/<pid>/stat behind the name, which may hold spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
