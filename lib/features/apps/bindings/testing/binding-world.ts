import { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import type { Caller } from "@/lib/platform/access/caller";
import type { Person } from "@/test/seed";
import { collections } from "../../collections";
import type { AppDoc } from "../../model";
import { answerData, type DataRequest } from "../data";
import { prepareBindings, settleBindings } from "../published";

const ANY = new AbortController().signal;

export async function callerOf({ workspaceId, id }: Person): Promise<Caller> {
  const caller = await callerOfJob(new ObjectId(workspaceId), new ObjectId(id), new ObjectId());
  if (!caller) throw new Error("Who is to act is no member.");
  return caller;
}

export async function appDocOf(workspaceId: string, appId: string): Promise<AppDoc> {
  const doc = await collections.apps().findOne({ _id: new ObjectId(appId), workspaceId: new ObjectId(workspaceId) });
  if (!doc) throw new Error("There is no such app.");
  return doc;
}

/** The text of a binding's file. */
export function bindingText(connectionId: string, sql: string, ...lines: string[]): string {
  return ["---", `connectionId: ${connectionId}`, ...lines, "---", sql, ""].join("\n");
}

/** Makes the bindings of a commit ready and serves it, as a publish does. @returns its log */
export async function serve(
  app: AppDoc,
  publisher: Caller,
  texts: Record<string, string>,
  { sha = new ObjectId().toHexString().padEnd(40, "0"), signal = ANY } = {},
): Promise<{ sha: string; log: string[] }> {
  const log: string[] = [];
  const files = new Map(Object.entries(texts).map(([name, text]) => [`bindings/${name}.sql`, Buffer.from(text)]));
  const { workspaceId, _id } = app;
  const onLog = (line: string) => log.push(line);
  await prepareBindings({ workspaceId, app, sha, files, publisher, onLog, signal });
  await collections.apps().updateOne({ _id, workspaceId }, { $set: { publishedSha: sha, publishedAt: new Date() } });
  await settleBindings(app);
  return { sha, log };
}

/** What the app's script gets. */
export async function askData(
  app: AppDoc,
  at: DataRequest["at"],
  path: string,
  query?: unknown,
  headers?: Record<string, string>,
): Promise<Response> {
  const search = query === undefined ? "" : `?${new URLSearchParams({ query: JSON.stringify(query) })}`;
  const answer = await answerData({ app, at, path: `__data/${path}`, search, headers: new Headers(headers) });
  if (!answer) throw new Error("This is no path of data.");
  return answer;
}
