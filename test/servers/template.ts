import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const POLL_MS = 50;

/**
 * Creates the files of a database. In a run of integration tests, the first caller creates a template, and the others
 * copy it in a fifth of the time.
 * @param name of the template; one for each way to create it
 * @param path of a file or folder that does not exist yet
 */
export async function makeFromTemplate(
  name: string,
  path: string,
  make: (path: string) => Promise<void>,
): Promise<void> {
  const templates = process.env.DATABASE_TEMPLATES;
  if (!templates) return make(path);
  const template = join(templates, name);
  const isReady = () => existsSync(`${template}.ready`);
  while (!isReady()) {
    if (!tryLock(`${template}.lock`)) {
      await sleep(POLL_MS);
      continue;
    }
    try {
      if (isReady()) break;
      await make(template);
      writeFileSync(`${template}.ready`, "");
    } catch (error) {
      rmSync(template, { recursive: true, force: true });
      throw error;
    } finally {
      rmSync(`${template}.lock`, { recursive: true, force: true });
    }
  }
  await promisify(execFile)("cp", ["-a", template, path]);
}

/** Takes a lock by creating a folder, which only one process can do. */
function tryLock(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
