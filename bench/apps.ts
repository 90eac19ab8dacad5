import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { ObjectId } from "mongodb";
import { collections } from "@/lib/features/instance/collections";
import { closeDatabase } from "../lib/platform/db/client";
import { launchBrowser } from "./support/browser";
import { memoryOfTree, startProduct } from "./support/product";

/*
 * Measures the feed of a workspace with 10,000 apps, and the waits of an author: from "Start preview" to the app's picture,
 * and from a save, or from the last key, to the changed picture.
 *
 *   npm run bench -- apps            both
 *   npm run bench -- apps feed       the feed alone
 *   npm run bench -- apps preview    the preview alone
 */

const APPS = 10_000;
const FIRST_PAGE_BUDGET_MS = 100;
const START_BUDGET_MS = 1_000;
const EDIT_BUDGET_MS = 300;
const ROUNDS = 30;
const READERS = 200;
const OWN_VIEWS = 300;
const WAIT_MS = 60_000;
const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
const INSERT_BATCH = 1_000;

type Person = { address: string; cookie: string; workspaceId: ObjectId; userId: ObjectId; slug: string };

/** Prints both tables, or the named one. */
export async function run([only]: string[] = []): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "millrace-bench-apps-"));
  const env = { DATA_DIR: join(dir, "data"), RATE_LIMIT_SCALE: "1000" };
  const { address, pid, stop } = await startProduct({ env });
  // Writes to the store of the running server: ten thousand apps are inserted directly.
  process.env.DATA_DIR = env.DATA_DIR;
  delete process.env.MONGODB_URI;
  try {
    const person = await register(address);
    if (only !== "feed") await measurePreview(person);
    if (only !== "preview") await measureFeed(person, pid);
  } finally {
    await closeDatabase();
    await stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measureFeed(person: Person, pid: number): Promise<void> {
  await seedApps(person);
  const { workspaceId, userId } = person;
  const url = (cursor?: string) =>
    `/api/workspaces/${workspaceId}/apps/feed?${new URLSearchParams({ limit: "24", ...(cursor && { cursor }) })}`;
  const feed = async (cursor?: string) => {
    const since = performance.now();
    const { data } = await readJson(await ask(person, "GET", url(cursor)));
    return { ms: performance.now() - since, ...(data as { nextCursor: string | null; apps: unknown[] }) };
  };
  await feed();
  const times = { first: [] as number[], again: [] as number[], next: [] as number[] };
  const before = memoryOfTree(pid);
  for (let round = 0; round < ROUNDS; round++) {
    await collections.appFeeds().deleteMany({ workspaceId, userId });
    times.first.push((await feed()).ms);
    const { ms, nextCursor } = await feed();
    times.again.push(ms);
    times.next.push((await feed(nextCursor ?? undefined)).ms);
  }
  const grown = before === null ? null : ((memoryOfTree(pid) ?? 0) - before) / MIB;
  let pages = 1;
  let shown = 0;
  for (let page = await feed(); page.nextCursor; page = await feed(page.nextCursor)) {
    pages += 1;
    shown += page.apps.length;
  }
  console.table({
    [`${APPS} apps: the first page, its order to be made`]: told(times.first, FIRST_PAGE_BUDGET_MS),
    "the first page, its order made today": told(times.again, FIRST_PAGE_BUDGET_MS),
    "the next page": told(times.next, FIRST_PAGE_BUDGET_MS),
    "memory of all processes": { p50: `${grown?.toFixed(0) ?? "?"} MiB more after ${3 * ROUNDS} pages` },
    "all pages": { p50: `${pages} pages, ${shown} apps` },
  });
}

async function seedApps({ workspaceId, userId }: Person): Promise<void> {
  const now = Date.now();
  const ids = Array.from({ length: APPS }, () => new ObjectId());
  const insert = async <T extends object>(docs: T[], into: { insertMany(docs: T[]): Promise<unknown> }) => {
    for (let at = 0; at < docs.length; at += INSERT_BATCH) await into.insertMany(docs.slice(at, at + INSERT_BATCH));
  };
  const apps = ids.map((_id, n) => {
    const at = new Date(now - ((n * 7919) % 400) * DAY_MS);
    return {
      _id,
      workspaceId,
      space: "workspace" as const,
      slug: `app-${n}`,
      title: `App ${n}`,
      description: n % 3 === 0 ? "" : `What app ${n} is for, in a line`,
      ownerId: n % 5 === 0 ? userId : new ObjectId(),
      publishedSha: n % 10 === 0 ? null : "0".repeat(40),
      publishedAt: n % 10 === 0 ? null : at,
      views: (n * 31) % 500,
      heat: (n * 31) % 97,
      createdAt: at,
      updatedAt: at,
    };
  });
  await insert(apps, collections.apps() as never);
  const views = Array.from({ length: READERS }, (_, reader) => (reader === 0 ? userId : new ObjectId())).flatMap(
    (reader, index) =>
      Array.from({ length: index === 0 ? OWN_VIEWS : 20 }, (_, n) => ({
        _id: new ObjectId(),
        workspaceId,
        appId: ids[(n * 37 + index) % APPS] as ObjectId,
        userId: reader,
        count: (n % 9) + 1,
        lastAt: new Date(now - n * 60_000),
      })),
  );
  await insert(views, collections.appViews() as never);
}

async function measurePreview(person: Person): Promise<void> {
  const home = `/api/workspaces/${person.workspaceId}/apps`;
  const { data } = await readJson(await ask(person, "POST", home, { title: "Words", template: "blank" }));
  const app = data as { id: string; slug: string };
  const write = (path: string, text: string) =>
    ask(person, "PUT", `${home}/${app.id}/files?${new URLSearchParams({ path })}`, Buffer.from(text));
  const words = (n: number) => `export function Words() {\n  return <h1>Words ${n}</h1>;\n}\n`;
  await write(
    "index.html",
    '<!doctype html><html lang="en"><body><div id="root"></div><script type="module" src="./main.tsx"></script></body></html>',
  );
  await write(
    "main.tsx",
    'import { createRoot } from "react-dom/client";\nimport { Words } from "./words";\ncreateRoot(document.getElementById("root")!).render(<Words />);\n',
  );
  await write("words.tsx", words(0));
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ baseURL: person.address, viewport: { width: 1440, height: 900 } });
    const [name = "", value = ""] = person.cookie.split("=");
    await context.addCookies([{ name, value, url: person.address }]);
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=words.tsx`);
    const preview = page.getByRole("region", { name: "Preview" });
    const frame = preview.frameLocator("iframe");
    const shows = (n: number) => frame.getByRole("heading", { name: `Words ${n}`, exact: true }).waitFor();
    await shows(0);
    const times = { start: [] as number[], save: [] as number[], key: [] as number[] };
    for (let round = 0; round < ROUNDS / 3; round++) {
      await preview.getByRole("button", { name: "Stop preview" }).click();
      const begin = preview.getByRole("button", { name: "Start preview" });
      await begin.waitFor();
      times.start.push(await timed(() => begin.click().then(() => shows(0))));
    }
    for (let n = 1; n <= ROUNDS; n++) {
      times.save.push(await timed(() => Promise.all([write("words.tsx", words(n)), shows(n)])));
    }
    for (let n = ROUNDS + 1; n <= ROUNDS + ROUNDS / 3; n++) {
      // Typing over a save that the editor has not received yet is a conflict.
      await page
        .getByRole("textbox", { name: "Content of words.tsx" })
        .getByText(`Words ${n - 1}`)
        .waitFor();
      await page.getByRole("status", { name: "Save status" }).getByText("Saved").waitFor();
      times.key.push(await timed(() => typed(page, words(n)).then(() => shows(n))));
    }
    console.table({
      "a preview: from Start it to the picture": told(times.start, START_BUDGET_MS),
      "a preview: from a save to the changed picture": told(times.save, EDIT_BUDGET_MS),
      "a preview: from the last key to the changed picture": told(times.key, EDIT_BUDGET_MS),
    });
  } finally {
    await browser.close();
  }
}

/** Replaces the whole text, as by pasting. */
async function typed(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Content of words.tsx" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function told(times: readonly number[], budget: number): Record<string, string> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const words = `${budget} ms: ${at(0.5) <= budget ? "within" : "OVER"}`;
  return { p50: `${at(0.5).toFixed(0)} ms`, p95: `${at(0.95).toFixed(0)} ms`, "budget of the middle": words };
}

async function register(address: string): Promise<Person> {
  const answer = await fetch(`${address}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: `bench-${randomUUID()}@example.com`, password: "seven herons by the mill" }),
  });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { data } = (await answer.json()) as {
    data: { user: { id: string }; workspace: { id: string; slug: string } };
  };
  return {
    address,
    cookie,
    workspaceId: new ObjectId(data.workspace.id),
    userId: new ObjectId(data.user.id),
    slug: data.workspace.slug,
  };
}

async function ask({ address, cookie }: Person, method: string, path: string, body?: object): Promise<Response> {
  const isRaw = Buffer.isBuffer(body);
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { cookie, "content-type": isRaw ? "application/octet-stream" : "application/json" },
    ...(body && { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function readJson(answer: Response): Promise<{ data: unknown }> {
  return (await answer.json()) as { data: unknown };
}
