import { Collection, ObjectId } from "mongodb";
import { closeDatabase } from "@/lib/platform/db/client";
import { commitChanges, mergeBranches } from "../service";

/** Does one thing to a repository and is killed at one of its writes, before or after the store has carried it out. */
export type CrashTask = { repositoryId: string; action: "commit" | "merge"; write: number; isAfter: boolean };

const WRITES = ["insertOne", "insertMany", "updateOne", "bulkWrite", "deleteOne"] as const;

const task = JSON.parse(process.argv[2] ?? "{}") as CrashTask;
let writes = 0;
for (const name of WRITES) {
  const original = Collection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  const wrapped = async function (this: Collection, ...args: unknown[]) {
    writes++;
    const isHere = writes === task.write;
    if (isHere && !task.isAfter) await die();
    const result = await original.apply(this, args);
    if (isHere) await die();
    return result;
  };
  Object.defineProperty(Collection.prototype, name, { value: wrapped });
}

/** Like the power switch: nothing after this line runs. */
async function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const repositoryId = new ObjectId(task.repositoryId);
const author = { name: "Ada", email: "ada@example.com" };
if (task.action === "commit") {
  await commitChanges({
    repositoryId,
    author,
    message: "Move and rewrite",
    changes: [
      { kind: "move", from: "consoles/a.sql", to: "consoles/deep/b.sql", content: "select 2\n", fileId: "file-a" },
      { kind: "put", path: "consoles/new.sql", content: "new\n" },
      { kind: "delete", path: "consoles/old.sql" },
    ],
  });
} else await mergeBranches({ repositoryId, from: "user/ada", author });
process.send?.("done");
await closeDatabase();
process.disconnect?.();
