import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { callerIn } from "@/lib/platform/access/testing/caller";
import { closeDatabase } from "@/lib/platform/db/client";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { AppError } from "@/lib/platform/http/errors";
import type { CreateConsoleBody, UpdateConsoleBody } from "../schema";
import { createConsole, updateConsole } from "../service";

export type Save = { create: CreateConsoleBody } | { id: string; update: UpdateConsoleBody };
/** One server's share of a burst of saves: all started at once, at the time that both processes know. */
export type SaveTask = {
  workspaceId: string;
  user: { id: string; name: string; email: string };
  startAt: number;
  saves: Save[];
};
export type SaveOutcome = { id: string | null; content: string; error: string | null; current: number | null };

const task = JSON.parse(process.argv[2] ?? "{}") as SaveTask;
const { id, ...names } = task.user;
const caller = callerIn(new ObjectId(task.workspaceId), { _id: new ObjectId(id), ...names });

async function run(save: Save): Promise<SaveOutcome> {
  const content = ("create" in save ? save.create.content : save.update.content) ?? "";
  try {
    const saved =
      "create" in save
        ? await createConsole(caller, save.create)
        : await updateConsole(caller, new ObjectId(save.id), save.update);
    return { id: saved.id, content, error: null, current: saved.version };
  } catch (error) {
    if (!(error instanceof AppError)) return { id: null, content, error: String(error), current: null };
    const { current } = (error.details ?? {}) as { current?: { version: number } };
    return { id: null, content, error: error.kind, current: current?.version ?? null };
  }
}

await sleep(Math.max(0, task.startAt - Date.now()));
process.send?.(await Promise.all(task.saves.map(run)));
// What is told a moment later would open the database anew.
await writeEvents();
await closeDatabase();
process.disconnect?.();
