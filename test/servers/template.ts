import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const POLL_MS = 50;

/**
 * Makes the folder of a new database server. Within a run of integration tests the first caller makes a template, and the
 * others copy it: that takes a fifth of the time.
 * @param name of the template; one for each way to make it
 * @param make fills a folder that is not there yet
 */
export async function makeFromTemplate(
  name: string,
  folder: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  const templates = process.env.DATABASE_TEMPLATES;
  if (!templates) return make(folder);
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
  await promisify(execFile)("cp", ["-a", template, folder]);
}

/** Creates a folder that only one process can create. */
function tryLock(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
