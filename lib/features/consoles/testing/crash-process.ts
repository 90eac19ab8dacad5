import { Collection, ObjectId } from "mongodb";
import { callerIn } from "@/lib/platform/access/testing/caller";
import { closeDatabase } from "@/lib/platform/db/client";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { updateConsole } from "../service";

/** Saves a console (a new name and text, shared) and is killed just before one of its writes. */
export type CrashTask = { workspaceId: string; userId: string; consoleId: string; write: number };

const WRITES = ["insertOne", "insertMany", "updateOne", "bulkWrite", "deleteOne", "findOneAndUpdate"] as const;

const task = JSON.parse(process.argv[2] ?? "{}") as CrashTask;
let writes = 0;
for (const name of WRITES) {
  const original = Collection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  const wrapped = async function (this: Collection, ...args: unknown[]) {
    writes++;
    if (writes === task.write) await die();
    return original.apply(this, args);
  };
  Object.defineProperty(Collection.prototype, name, { value: wrapped });
}

/** Like the power switch: nothing after this line runs. */
async function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

await updateConsole(
  callerIn(new ObjectId(task.workspaceId), { _id: new ObjectId(task.userId) }),
  new ObjectId(task.consoleId),
  { version: 1, name: "renamed", content: "two", access: "workspace" },
);
process.send?.("done");
// What is told a moment later would open the database anew.
await writeEvents();
await closeDatabase();
process.disconnect?.();
