import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { closeDatabase } from "@/lib/platform/db/client";
import { AppError } from "@/lib/platform/http/errors";
import { commitChanges } from "../service";

/** One server's share of a burst of commits: all started at once, at the time that both processes know. */
export type CommitTask = {
  repositoryId: string;
  startAt: number;
  commits: { path: string; content: string; expectedHead?: string }[];
};
export type CommitOutcome = { path: string; content: string; sha: string | null; error: string | null };

const task = JSON.parse(process.argv[2] ?? "{}") as CommitTask;
await sleep(Math.max(0, task.startAt - Date.now()));
const outcomes = await Promise.all(
  task.commits.map(async ({ path, content, expectedHead }): Promise<CommitOutcome> => {
    try {
      const { sha } = await commitChanges({
        repositoryId: new ObjectId(task.repositoryId),
        author: { name: `Process ${process.pid}`, email: "p@example.com" },
        message: `Save ${path}`,
        changes: [{ kind: "put", path, content }],
        expectedHead,
      });
      return { path, content, sha, error: null };
    } catch (error) {
      return { path, content, sha: null, error: error instanceof AppError ? error.kind : String(error) };
    }
  }),
);
process.send?.(outcomes);
await closeDatabase();
process.disconnect?.();
