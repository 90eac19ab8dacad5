import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, ObjectId } from "mongodb";
import { collections, declarations } from "@/lib/features/instance/collections";
import { closeDatabase, database } from "../lib/platform/db/client";
import { startProduct } from "./support/product";

/*
 * Measures the first page of each list, and of a search, in workspaces of three sizes. Each line shows the median time
 * and the size of an answer, and how the time grows: the exponent is 0 for a flat list and 1 for one that reads all
 * items.
 *
 *   npm run bench -- growth                  10, 1,000 and 10,000 items
 *   npm run bench -- growth 10 1000 100000   other sizes
 */

const SIZES = [10, 1_000, 10_000];
const PAGE_ITEMS = 50;
const SAMPLES = 30;
const INSERT_BATCH = 1_000;
const WAIT_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Ratio of the two largest sizes up to which a list counts as flat. */
const FLAT_RATIO = 1.3;
/** Fields that mark the only document of a resource. */
const MARKS = ["isNewest", "isUnfinished"];

type Workspace = { home: string; cookie: string; workspaceId: ObjectId; consoleId: string; flowId: string };
type List = {
  path: (workspace: Workspace) => string;
  /** Collection of its items. */
  of: () => { collectionName: string };
};

const LISTS: Record<string, List> = {
  consoles: { path: () => "/consoles", of: collections.consoles },
  "console folders": { path: () => "/consoles/folders", of: collections.consoleFolders },
  "tree of consoles, top level": { path: () => "/consoles/tree?access=workspace", of: collections.consoles },
  "tree of dashboards, top level": { path: () => "/dashboards/tree?access=workspace", of: collections.dashboards },
  "consoles by name, all match": { path: () => "/consoles/lookup?q=cons", of: collections.consoles },
  "consoles by name, none matches": { path: () => "/consoles/lookup?q=absent", of: collections.consoles },
  "consoles saved last": { path: () => "/consoles/lookup", of: collections.consoles },
  "search of consoles": { path: () => "/consoles/search?q=console", of: collections.consoles },
  "search of a word that no console has": { path: () => "/consoles/search?q=absent", of: collections.consoles },
  dashboards: { path: () => "/dashboards", of: collections.dashboards },
  "feed of apps": { path: () => "/apps/feed", of: collections.apps },
  connections: { path: () => "/connectors", of: collections.connections },
  flows: { path: () => "/flows", of: collections.flows },
  chats: { path: () => "/chats", of: collections.chats },
  executions: { path: () => "/executions", of: collections.executions },
  "activity (runs of all)": { path: () => "/runs", of: collections.runs },
  "failed runs, of which there are none": { path: () => "/runs?status=failure", of: collections.runs },
  "runs of a console": { path: ({ consoleId }) => `/consoles/${consoleId}/runs`, of: collections.runs },
  deliveries: { path: () => "/notifications/deliveries", of: collections.deliveries },
  arrivals: { path: ({ flowId }) => `/flows/${flowId}/webhook/events`, of: collections.flowEvents },
  members: { path: () => "", of: collections.memberships },
  invitations: { path: () => "/invites", of: collections.invites },
};

/** Prints the growth of each list. */
export async function run(args: string[] = []): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  const dir = mkdtempSync(join(tmpdir(), "millrace-bench-growth-"));
  const env = { DATA_DIR: join(dir, "data"), RATE_LIMIT_SCALE: "1000" };
  const { address, stop } = await startProduct({ env });
  // Writes to the store of the running server: the items are copies of one.
  process.env.DATA_DIR = env.DATA_DIR;
  delete process.env.MONGODB_URI;
  try {
    const workspaces: Workspace[] = [];
    for (const size of sizes) {
      const workspace = await makeWorkspace(address, size);
      const collectionNames = new Set(Object.values(LISTS).map(({ of }) => of().collectionName));
      for (const collectionName of collectionNames) await multiply(workspace, collectionName, size);
      workspaces.push(workspace);
    }
    const rows: Record<string, Record<string, string>> = {};
    for (const [name, { path }] of Object.entries(LISTS)) rows[name] = await measure(workspaces, sizes, path);
    console.table(rows);
    const pages = [];
    for (const workspace of workspaces) pages.push(await openExplorer(workspace));
    console.table(pages);
  } finally {
    await closeDatabase();
    await stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(workspaces: Workspace[], sizes: number[], path: List["path"]): Promise<Record<string, string>> {
  const times: number[][] = workspaces.map(() => []);
  const bytes: number[] = [];
  // In turns, so that other work on the machine affects all sizes.
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (const [at, workspace] of workspaces.entries()) {
      const start = performance.now();
      bytes[at] = (await ask(workspace, "GET", withLimit(path(workspace)))).length;
      times[at]?.push(performance.now() - start);
    }
  }
  const medians = times.map(medianOf);
  const [small = 0, large = 0] = medians.slice(-2);
  const [fewer = 1, more = 1] = sizes.slice(-2);
  const columns = sizes.map((size, at) => [
    `${size.toLocaleString("en")} items`,
    `${medians[at]?.toFixed(1)} ms, ${((bytes[at] ?? 0) / 1024).toFixed(0)} KiB`,
  ]);
  const exponent = Math.log(large / small) / Math.log(more / fewer);
  return {
    ...Object.fromEntries(columns),
    ratio: `${(large / small).toFixed(2)}: ${large / small <= FLAT_RATIO ? "flat" : "GROWS"}`,
    exponent: exponent.toFixed(2),
  };
}

/** Sends the requests for consoles that a new page sends: both top levels, and the console of its tab. */
async function openExplorer(workspace: Workspace): Promise<Record<string, string | number>> {
  const start = performance.now();
  const tree = "/consoles/tree?limit=100&access";
  const paths = [`${tree}=private`, `${tree}=workspace`, `/consoles/lookup?ids=${workspace.consoleId}`];
  const answers = await Promise.all(paths.map((path) => ask(workspace, "GET", path)));
  const bytes = answers.reduce((sum, { length }) => sum + length, 0);
  const time = `${(performance.now() - start).toFixed(0)} ms`;
  return { "requests of a new page": paths.length, KiB: Math.round(bytes / 1024), time };
}

function withLimit(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_ITEMS}`;
}

/** Creates a workspace with one item in each list. */
async function makeWorkspace(address: string, size: number): Promise<Workspace> {
  const registered = await fetch(`${address}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: `growth${size}@example.com`, password: "a password of a bench", name: "Growth" }),
  });
  const cookie = (registered.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { data } = (await registered.json()) as { data: { workspace: { id: string } } };
  const home = `${address}/api/workspaces/${data.workspace.id}`;
  const workspace = { home, cookie, workspaceId: new ObjectId(data.workspace.id), consoleId: "", flowId: "" };
  const post = async (path: string, body: object) =>
    JSON.parse((await ask(workspace, "POST", path, body)).toString()).data;
  const [sample] = JSON.parse((await ask(workspace, "GET", "/connectors")).toString()).data;
  const made = await post("/consoles", { name: "Console", content: "select 1 as one", connectionId: sample.id, access: "workspace" }); // biome-ignore format: one look
  await post("/consoles/folders", { name: "Folder", access: "workspace" });
  await post("/dashboards", { title: "Dashboard", access: "workspace" });
  await post("/apps", { title: "App", access: "workspace" });
  await post("/chats", { title: "Chat" });
  await post("/invites", { email: "guest@example.com" });
  await post(`/databases/${sample.id}/execute`, { query: "select 1 as one" });
  const file = { name: "Into", type: "sqlite", config: { file: `into${size}.sqlite` }, readOnly: false };
  const { id: connectionId } = await post("/connectors", file);
  const destination = { connectionId, write: "append" };
  const { flow } = await post("/flows", { name: "Webhook", type: "webhook", destination, trigger: false });
  await post(`/flows/${flow.id}/webhook/provision`, {});
  await post(`/flows/${flow.id}/webhook/test`, {});
  const rule = { resourceType: "scheduled_query", resourceId: made.id, triggers: ["success"], channelType: "email", recipients: ["a@example.com"] }; // biome-ignore format: one look
  await post("/notification-rules", rule);
  await post(`/consoles/${made.id}/schedule/run`, {});
  await until(async () => JSON.parse((await ask(workspace, "GET", "/notifications/deliveries")).toString()).data.items.length > 0); // biome-ignore format: one look
  return { ...workspace, consoleId: made.id, flowId: flow.id };
}

/** Adds copies of a workspace's last document of a collection, with other values in its unique indexes. */
async function multiply({ workspaceId }: Workspace, collectionName: string, size: number): Promise<void> {
  const collection = database().collection(collectionName);
  // History is written some time after the query.
  await until(async () => (await collection.countDocuments({ workspaceId }, { limit: 1 })) > 0);
  const [doc] = await collection.find({ workspaceId }).sort({ _id: -1 }).limit(1).toArray();
  const indexes = declarations.find((each) => each.collectionName === collectionName)?.indexes ?? [];
  // Copies lack the marks, so that they are not in indexes of marked documents.
  const isOfCopies = ({ unique, partialFilterExpression = {} }: (typeof indexes)[number]) =>
    unique === true && !MARKS.some((mark) => mark in partialFilterExpression);
  const fields = indexes.filter(isOfCopies).flatMap(({ key }) => Object.keys(key).slice(-1));
  const copies = Array.from({ length: size - 1 }, (_, n) => {
    const copy: Document = { ...doc, _id: new ObjectId() };
    for (const field of fields) {
      const value: unknown = copy[field];
      if (value != null) copy[field] = value instanceof ObjectId ? new ObjectId() : `${value} ${n}`;
    }
    if ("order" in copy) copy.order = new ObjectId();
    // What has changed in the last minutes is read each time for the feed of apps.
    if (copy.updatedAt instanceof Date) copy.updatedAt = new Date(copy.updatedAt.getTime() - DAY_MS);
    for (const mark of MARKS) delete copy[mark];
    return copy;
  });
  for (let at = 0; at < copies.length; at += INSERT_BATCH)
    await collection.insertMany(copies.slice(at, at + INSERT_BATCH));
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; ) {
    if (await isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The workspace was not ready in time.");
}

async function ask({ home, cookie }: Workspace, method: string, path: string, body?: object): Promise<Buffer> {
  const headers = { cookie, origin: new URL(home).origin, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(`${home}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${bytes.toString().slice(0, 500)}`);
  return bytes;
}

function medianOf(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
