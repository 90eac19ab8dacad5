import { afterEach, describe, expect, it, vi } from "vitest";
import { type ConsoleRun, RunStore } from "@/components/consoles/run-store";
import { splitStatements } from "@/lib/base/sql/statements";

type Answer = { status: number; body: unknown } | "hang";
const ROW = {
  fields: [{ name: "n", type: "int32" }],
  rows: [{ n: 1 }],
  rowCount: 1,
  truncated: false,
  affectedRows: null,
  moreResults: [],
  durationMs: 3,
  databaseMs: 2,
};
const good = (): Answer => ({ status: 200, body: { success: true, data: ROW } });
const bad = (code: string, status: number): Answer => ({
  status,
  body: { success: false, code, error: "Refused.", details: { position: 8 } },
});

/** Mocks a server that answers executions from a list, in order, and cancels as told. */
function serve(answers: Answer[], cancel: Answer = { status: 200, body: { success: true, data: {} } }) {
  const asked: { url: string; body: Record<string, unknown> }[] = [];
  const toResponse = (answer: Exclude<Answer, "hang">) =>
    new Response(JSON.stringify(answer.body), { status: answer.status });
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    asked.push({ url, body: JSON.parse(String(init.body)) });
    const answer = url.endsWith("/cancel") ? cancel : (answers.shift() ?? good());
    if (answer !== "hang") return Promise.resolve(toResponse(answer));
    return new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
    });
  });
  return asked;
}

function makeStore() {
  const ended: ConsoleRun[] = [];
  const store = new RunStore("w", (_, run) => ended.push(run));
  const start = (content: string) =>
    store.start("c", { connectionId: "db", content, statements: splitStatements(content, "duckdb"), limit: 1000 });
  return { store, ended, start };
}

afterEach(() => vi.unstubAllGlobals());

describe("RunStore", () => {
  it("runs statements in sequence, each with its execution ID", async () => {
    const asked = serve([good(), good()]);
    const { store, start } = makeStore();
    await start("select 1; select 2");
    expect(asked.map(({ body }) => body.query)).toEqual(["select 1", "select 2"]);
    expect(new Set(asked.map(({ body }) => body.executionId)).size).toBe(2);
    expect(store.read("c")).toMatchObject({ latest: { status: "success" }, lastGood: { status: "success" } });
  });

  describe("a write that needs a confirmation", () => {
    const details = {
      reason: "drop",
      statement: "drop table t",
      estimatedRows: 9,
      table: { name: "t" },
      connection: "shop",
    };
    const ask = (): Answer => ({
      status: 409,
      body: { success: false, code: "confirmation_required", error: "Confirm it first.", details },
    });
    const asking = (store: RunStore) => vi.waitFor(() => expect(store.questions.getState()).toHaveLength(1));

    it("runs once the user has confirmed it, with the same execution ID", async () => {
      const asked = serve([ask(), good()]);
      const { store, start } = makeStore();
      const run = start("drop table t");
      await asking(store);
      expect(store.questions.getState()[0]).toMatchObject({ connectionId: "db", statement: "drop table t", details });
      store.questions.getState()[0]?.answer(true);
      await run;
      expect(asked.map(({ body }) => [body.confirm, body.confirmWrites])).toEqual([
        [undefined, "risky"],
        [true, "risky"],
      ]);
      expect(new Set(asked.map(({ body }) => body.executionId)).size).toBe(1);
      expect(store.read("c").latest?.status).toBe("success");
      expect(store.questions.getState()).toEqual([]);
    });

    it("is cancelled with the rest of the run if the user declines", async () => {
      const asked = serve([ask()]);
      const { store, start } = makeStore();
      const run = start("drop table t; select 1");
      await asking(store);
      store.questions.getState()[0]?.answer(false);
      await run;
      expect([asked.length, store.read("c").latest?.status]).toEqual([1, "cancelled"]);
    });

    it("is declined when the run is cancelled", async () => {
      serve([ask()], { status: 404, body: { success: false, code: "not_found", error: "Not found." } });
      const { store, start } = makeStore();
      const run = start("drop table t");
      await asking(store);
      await store.cancel("c");
      await run;
      expect([store.questions.getState(), store.read("c").latest?.status]).toEqual([[], "cancelled"]);
    });
  });

  describe("with a stored result", () => {
    const DONE = { status: "done" as const, wallMs: 1, answer: { ...ROW, executionId: "e", bytes: 9 } };
    const kept = (executionId: string, startedAt: number): ConsoleRun => ({
      id: executionId,
      connectionId: "db",
      bound: { consoleId: "c", variables: {} },
      content: `select '${executionId}'`,
      limit: 1000,
      statements: [{ statement: { from: 0, to: 8, end: 8, text: "select 1" }, executionId, outcome: DONE }],
      status: "success",
      startedAt,
      endedAt: startedAt + 1,
      isCancelling: false,
      keptOf: { userId: "u", isByItself: false },
    });
    const LATER = Date.now() + 3_600_000;

    it("shows it if nothing was run here, and each newer one", () => {
      const { store, ended } = makeStore();
      store.adopt("c", kept("first", 1000));
      store.adopt("c", kept("second", 2000));
      store.adopt("c", kept("older", 1500));
      expect(store.read("c")).toMatchObject({ latest: { id: "second" }, lastGood: { id: "second" }, newer: null });
      expect(store.isKnown("second")).toBe(true);
      expect(ended).toEqual([]);
    });

    it("keeps one's own rows, and shows a newer one on request", async () => {
      serve([good()]);
      const { store, start } = makeStore();
      await start("select 1");
      const own = store.read("c").latest;
      store.adopt("c", kept("before", 1000));
      expect(store.read("c")).toMatchObject({ latest: { id: own?.id }, newer: null });
      store.adopt("c", kept("theirs", LATER));
      expect(store.read("c")).toMatchObject({ latest: { id: own?.id }, newer: { id: "theirs" } });
      store.showNewer("c");
      expect(store.read("c")).toMatchObject({ latest: { id: "theirs" }, lastGood: { id: "theirs" }, newer: null });
    });

    it("does not report its own runs as new", async () => {
      serve([good()]);
      const { store, start } = makeStore();
      await start("select 1");
      const [own] = store.read("c").latest?.statements ?? [];
      expect(store.isKnown(own?.executionId ?? "")).toBe(true);
      store.adopt("c", kept(own?.executionId ?? "", LATER));
      expect(store.read("c")).toMatchObject({ latest: { keptOf: null }, newer: null });
    });

    it("keeps it while a new run waits, and when that one fails", async () => {
      serve([bad("query_failed", 400)]);
      const { store, start } = makeStore();
      store.adopt("c", kept("before", 1000));
      const run = start("select broken");
      expect(store.read("c")).toMatchObject({ latest: { status: "running" }, lastGood: { id: "before" } });
      await run;
      expect(store.read("c")).toMatchObject({ latest: { status: "failure" }, lastGood: { id: "before" } });
    });
  });

  it("keeps up to five pinned results over later runs", async () => {
    serve([]);
    const { store, start } = makeStore();
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      await start(`select ${i}`);
      const id = store.read("c").latest?.statements[0]?.executionId ?? "";
      ids.push(id);
      store.setPinned("c", id, true);
    }
    expect(store.read("c").pinned.map(({ executionId }) => executionId)).toEqual(ids.slice(1));
    store.setPinned("c", ids[3] ?? "", false);
    expect(store.read("c").pinned.map(({ run }) => run.content)).toEqual([
      "select 1",
      "select 2",
      "select 4",
      "select 5",
    ]);
  });

  it("stops at the first failure and keeps the last good run", async () => {
    const asked = serve([good(), bad("query_failed", 400)]);
    const { store, ended, start } = makeStore();
    await start("select 1");
    await start("select broken; select 3");
    expect(asked).toHaveLength(2);
    const { latest, lastGood } = store.read("c");
    expect(lastGood?.content).toBe("select 1");
    expect(latest?.statements.map(({ outcome }) => outcome.status)).toEqual(["failed", "waiting"]);
    expect(latest?.statements[0]?.outcome).toMatchObject({
      failure: { code: "query_failed", details: { position: 8 } },
    });
    expect(ended.map(({ status }) => status)).toEqual(["success", "failure"]);
  });

  it("runs one thing at a time per console, and nothing without a statement", async () => {
    const asked = serve(["hang"]);
    const { store, start } = makeStore();
    void start("select 1");
    await start("select 2");
    await start("-- nothing");
    expect(asked).toHaveLength(1);
    expect(store.countRunning()).toBe(1);
  });

  it("asks the server to cancel, and is cancelled when the query reports it", async () => {
    let answerQuery = (_: Response) => {};
    const cancelled: string[] = [];
    vi.stubGlobal("fetch", (url: string) => {
      if (!url.endsWith("/cancel")) return new Promise<Response>((resolve) => { answerQuery = resolve; }); // biome-ignore format: one thought
      cancelled.push(url);
      answerQuery(
        new Response(JSON.stringify({ success: false, code: "cancelled", error: "Cancelled." }), { status: 409 }),
      );
      return Promise.resolve(new Response(JSON.stringify({ success: true, data: {} })));
    });
    const { store, start } = makeStore();
    const run = start("select 1; select 2");
    const executionId = store.read("c").latest?.statements[0]?.executionId;
    await store.cancel("c");
    await run;
    expect(cancelled).toEqual([`/api/workspaces/w/executions/${executionId}/cancel`]);
    expect(store.read("c").latest).toMatchObject({ status: "cancelled", isCancelling: false });
    expect(store.read("c").latest?.statements[1]?.outcome.status).toBe("waiting");
  });

  it("aborts the request if the server does not know the run", async () => {
    serve(["hang"], bad("not_found", 404));
    const { store, start } = makeStore();
    const run = start("select 1");
    await store.cancel("c");
    await run;
    expect(store.read("c").latest?.status).toBe("cancelled");
  });

  it("names the saved console of a text, to keep its privacy in the history", async () => {
    const asked = serve([good()]);
    const { store } = makeStore();
    const bound = { consoleId: "saved", variables: {} };
    await store.start("c", { connectionId: "db", bound, content: "select 1", statements: splitStatements("select 1", "duckdb"), limit: 10 }); // biome-ignore format: one thought
    expect(asked[0]?.url).toBe("/api/workspaces/w/consoles/saved/execute");
    expect(asked[0]?.body).toMatchObject({ content: "select 1", connectionId: "db", limit: 10 });
  });

  it("loads a result again for the console once saved", async () => {
    serve([good(), bad("query_failed", 400)]);
    const { store, start } = makeStore();
    await start("select 1");
    await start("select broken");
    expect(store.read("c").latest?.bound).toBeNull();
    store.move("c", "saved");
    const { latest, lastGood } = store.read("saved");
    expect([latest?.bound, lastGood?.bound]).toEqual(Array(2).fill({ consoleId: "saved", variables: {} }));
  });
});
