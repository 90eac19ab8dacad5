import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { getSandbox } from ".";
import type { Session } from "./sandbox";

const NOBODY = { workspaceId: new ObjectId(), appId: new ObjectId(), userId: new ObjectId() };
const APP = "src/app.tsx";
let session: Session;

beforeAll(async () => {
  session = await getSandbox().start({ ...NOBODY, files: toFiles(SAMPLE_APP) });
});
afterAll(() => session.stop());

function get(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const request = { method: "GET", path: `${session.base}${path}`, headers: new Headers(headers) };
  return session.request(signal ? { ...request, signal } : request);
}

it("serves all modules of a page below a secret URL", async () => {
  expect(session.base).toMatch(/^\/api\/apps\/dev\/[0-9a-f]{32}\/$/);
  const page = await get("", { accept: "text/html" });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const html = await page.text();
  expect(html).toContain(`src="${session.base}src/main.tsx"`);
  expect(html.indexOf("localStorage")).toBeLessThan(html.indexOf("@vite/client"));
  const main = await (await get("src/main.tsx")).text();
  expect(main).toContain(`from "${session.base}__carried/react-dom-client.js"`);
  const app = await (await get(APP)).text();
  expect(app).toContain("import.meta.hot.accept");
  expect((await get("__carried/react-dom-client.js")).status).toBe(200);
});

it.each(["src/nothing.js", "__carried/../key", "__carried/nothing.js", "bindings/nothing.sql"])(
  "%s is missing, and no page replaces it",
  async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
  },
);

it.each([
  "@fs/etc/passwd",
  "@fs/sandbox/package.json",
  "@fs/sandbox/program/sandbox.mjs?raw",
  "@fs/carried/key",
  "src/../../../carried/key?raw",
  "src/%2e%2e/%2e%2e/carried/key",
  "..%2f..%2fcarried/key",
])("does not serve a file outside of the app: %s", async (path) => {
  expect((await get(path)).status).toBeGreaterThanOrEqual(400);
});

it("proxies no URL outside of its own", async () => {
  const last = session.base.at(-2) === "0" ? "1" : "0";
  for (const path of ["/control/files", "/", "/api/apps/dev/", `${session.base.slice(0, -2)}${last}/`]) {
    await expect(session.request({ method: "GET", path, headers: new Headers() })).rejects.toThrow("File not found");
  }
});

it("pushes a change to open pages, and serves it anew", async () => {
  const stop = new AbortController();
  const hot = await get("__hot?page=one", { accept: "text/event-stream" }, stop.signal);
  const next = eventsOf(hot);
  const told = (...problems: unknown[]) => ({ type: "custom", event: "millrace:problems", data: problems });
  expect(await next()).toEqual({ type: "connected" });
  expect(await next()).toEqual(told());
  // Vite knows the importers of a module only after it was requested.
  for (const path of ["", "src/main.tsx", APP]) await (await get(path)).text();
  await session.writeFile(APP, Buffer.from(SAMPLE_APP[APP].replace("pressed", "clicked")));
  expect(await next()).toMatchObject({
    type: "update",
    updates: [{ type: "js-update", acceptedPath: "/src/app.tsx" }],
  });
  expect(await (await get(APP)).text()).toContain("clicked");
  await session.writeFile(APP, Buffer.from("const x = (;"));
  await next();
  const broken = await get(APP);
  expect(broken.status).toBe(500);
  const problem = { path: APP, line: 1, column: 12, message: expect.stringContaining("Unexpected token") };
  expect(await next()).toEqual(told(problem));
  expect(await next()).toMatchObject({ type: "error", err: { message: expect.stringContaining("Unexpected token") } });
  // A page that is opened now gets the error too; writing another file does not clear it.
  await session.writeFile("src/style.css", Buffer.from(SAMPLE_APP["src/style.css"]));
  expect(await next()).toMatchObject({ type: "update", updates: [{ acceptedPath: "/src/style.css" }] });
  const later = eventsOf(await get("__hot?page=two", { accept: "text/event-stream" }, stop.signal));
  expect([await later(), await later()]).toEqual([{ type: "connected" }, told(problem)]);
  await session.writeFile(APP, Buffer.from(SAMPLE_APP[APP]));
  expect(await later()).toEqual(told());
  expect(await (await get(APP)).text()).toContain("pressed");
  // A missing module is watched, and the error disappears once the file is written.
  await session.writeFile(APP, Buffer.from('\nimport "./missing";\nexport const App = 1;'));
  expect((await get(APP)).status).toBe(500);
  const nextTold = async () => {
    for (;;) {
      const event = (await later()) as { event?: string };
      if (event.event === "millrace:problems") return event;
    }
  };
  expect(await nextTold()).toEqual(
    told({ path: APP, line: 2, column: 8, message: expect.stringContaining("File “./missing” not found.") }),
  );
  await session.writeFile("src/missing.ts", Buffer.from("export {};"));
  expect(await nextTold()).toEqual(told());
  expect((await get(APP)).status).toBe(200);
  await session.writeFile("src/missing.ts", null);
  await session.writeFile(APP, Buffer.from(SAMPLE_APP[APP]));
  stop.abort();
});

it("reads the working copy with additions and removals", async () => {
  await session.writeFile("src/new/deep.ts", Buffer.from("export {};"));
  await session.writeFile("src/style.css", null);
  const files = await session.readFiles();
  expect([...files.keys()].sort()).toEqual(["index.html", APP, "src/main.tsx", "src/new/deep.ts"]);
  expect(files.get("src/new/deep.ts")?.toString()).toBe("export {};");
  await expect(session.writeFile("../outside.ts", Buffer.from(""))).rejects.toThrow();
  await session.writeFile("src/style.css", Buffer.from(SAMPLE_APP["src/style.css"]));
});

it("isolates two sessions, and stops answering for a stopped one", async () => {
  const other = await getSandbox().start({ ...NOBODY, files: toFiles({ "index.html": "<h1>other</h1>" }) });
  expect(other.base).not.toBe(session.base);
  const page = await other.request({ method: "GET", path: other.base, headers: new Headers() });
  expect(await page.text()).toContain("<h1>other</h1>");
  await other.stop();
  expect(other.isAlive).toBe(false);
  await expect(other.readFiles()).rejects.toThrow("stopped");
  expect(session.isAlive).toBe(true);
});

/** Returns the messages of a stream one after the other. */
function eventsOf(response: Response): () => Promise<unknown> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  return async () => {
    for (;;) {
      const found = /data: (.*)\n\n/.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return JSON.parse(found[1] ?? "");
      }
      const { value, done } = await reader.read();
      if (done) throw new Error("The stream has ended.");
      text += new TextDecoder().decode(value);
    }
  };
}
