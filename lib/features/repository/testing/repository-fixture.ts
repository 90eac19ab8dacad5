import { ObjectId } from "mongodb";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { type Change, type CommitInput, commitChanges } from "../service";

export const ADA = { name: "Ada", email: "ada@example.com" };

export type Fixture = {
  repositoryId: ObjectId;
  /** Commits, a minute later each time, and gives the sha. */
  save: (message: string, changes: Change[], more?: Partial<CommitInput>) => Promise<string>;
  now: () => Date;
};

/** An empty repository. */
export async function newRepository(): Promise<Fixture> {
  await databaseReady();
  const repositoryId = new ObjectId();
  let minute = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++));
  return {
    repositoryId,
    now,
    save: async (message, changes, more) => {
      const { sha } = await commitChanges({ repositoryId, author: ADA, message, changes, now: now(), ...more });
      return sha;
    },
  };
}

export const put = (path: string, content: string | Uint8Array, fileId?: string): Change => ({
  kind: "put",
  path,
  content,
  fileId,
});
export const move = (from: string, to: string, content?: string, fileId?: string): Change => ({
  kind: "move",
  from,
  to,
  content,
  fileId,
});
export const remove = (path: string): Change => ({ kind: "delete", path });

/** The kind of the failure that a call ends in; "none" when it succeeds. */
export async function kindOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "none";
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}
