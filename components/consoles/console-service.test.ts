import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConsoleService, toConsoleKey } from "@/components/consoles/console-service";
import { EditorMemory } from "@/components/consoles/editor-memory";
import { RunStore } from "@/components/consoles/run-store";
import { WorkbenchStore } from "@/components/consoles/workbench-store";
import { DraftStore } from "@/components/layout/draft-store";
import { addConsole, EMPTY_WORKBENCH } from "@/lib/features/consoles/browser/workbench";
import type { Console } from "@/lib/features/consoles/schema";
import { reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";

vi.mock("@/components/ui/toast", () => ({ showToast: vi.fn(), showFailure: vi.fn() }));

const ID = "c".repeat(24);
const consoleOf = (change: Partial<Console> = {}): Console => ({
  id: ID,
  path: "a",
  name: "a.sql",
  folderId: null,
  connectionId: null,
  language: "sql",
  content: "select 1",
  chart: null,
  description: "",
  variables: {},
  choices: {},
  expect: null,
  question: null,
  access: "private",
  ownerId: "o",
  version: 1,
  schedule: null,
  lastRun: null,
  createdAt: "2026-11-21T10:00:00.000Z",
  updatedAt: "2026-11-21T10:00:00.000Z",
  ...change,
});

/** Mocks a server with one console, which refuses a save of a version other than its current one. */
function serve(first: Console) {
  let stored = first;
  const bodies: Record<string, unknown>[] = [];
  const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const body = init.body === undefined ? {} : JSON.parse(String(init.body));
    if (url.endsWith("/draft")) return json(200, { success: true, data: { consoleId: ID, ...body, updatedAt: "t" } });
    bodies.push({ method: init.method, ...body });
    if (init.method === "POST") {
      stored = consoleOf({ ...body, id: ID });
      return json(201, { success: true, data: stored });
    }
    if (body.version !== stored.version) {
      return json(409, { success: false, code: "conflict", error: "Stale.", details: { current: stored } });
    }
    stored = { ...stored, ...body, version: stored.version + 1 };
    return json(200, { success: true, data: stored });
  });
  return {
    bodies,
    read: () => stored,
    saveElsewhere: (change: Partial<Console>) => {
      stored = { ...stored, ...change, version: stored.version + 1 };
    },
  };
}

function makeService() {
  const queryClient = new QueryClient();
  const workbench = new WorkbenchStore("u", "w", () => {});
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", new EventTarget());
  workbench.wake();
  const server = { put: () => new Promise<never>(() => {}), remove: async () => {} };
  const drafts = new DraftStore("u", "w", server, () => {});
  const editors = new EditorMemory();
  const runs = new RunStore("w", () => {});
  const service = new ConsoleService({ userId: "u", workspaceId: "w", queryClient, workbench, drafts, editors, runs });
  return { service, queryClient, workbench, drafts };
}

beforeEach(() => {
  vi.stubGlobal("localStorage", {
    length: 0,
    key: () => null,
    getItem: () => null,
    setItem: () => {},
    removeItem: () => {},
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("ConsoleService", () => {
  it("saves the text on its base version, with its message", async () => {
    const server = serve(consoleOf());
    const { service, drafts } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 2");
    expect(await service.save(ID, "Two")).toBe(ID);
    expect(server.bodies).toEqual([{ method: "PUT", version: 1, content: "select 2", message: "Two" }]);
    expect(drafts.read(ID)).toBeNull();
  });

  it("never overwrites another person's text: it asks to compare", async () => {
    const server = serve(consoleOf());
    const { service, drafts } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 'mine'");
    server.saveElsewhere({ content: "select 'theirs'" });
    expect(await service.save(ID)).toBeNull();
    expect(server.read().content).toBe("select 'theirs'");
    expect(service.readComparing().has(ID)).toBe(true);
    expect(drafts.read(ID)?.content).toBe("select 'mine'");
  });

  it("shows the draft of another browser on request, on the version that it changes", () => {
    const { service, drafts } = makeService();
    serve(consoleOf());
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 'mine'");
    const other = { content: "select 'other'", version: 1, updatedAt: "2026-01-01T00:00:00.000Z" };
    drafts.adopt(consoleOf(), other);
    expect([drafts.read(ID)?.content, drafts.readOther(ID)]).toEqual(["select 'mine'", other]);
    service.takeOtherDraft(ID);
    expect(drafts.read(ID)).toMatchObject({ content: "select 'other'", version: 1, base: consoleOf().content });
    expect(drafts.readOther(ID)).toBeNull();
  });

  it("merges edits of other lines into the draft, also when a save meets them", async () => {
    const base = consoleOf({ content: "a\nb\nc\nd\n" });
    const server = serve(base);
    const { service, drafts } = makeService();
    service.note(base);
    drafts.write(base, "mine\nb\nc\nd\n");
    server.saveElsewhere({ content: "a\nb\nc\ntheirs\n" });
    expect(await service.save(ID)).toBe(ID);
    expect(server.read().content).toBe("mine\nb\nc\ntheirs\n");
    expect(drafts.read(ID)).toBeNull();
  });

  describe("when someone else changes an open console", () => {
    const base = consoleOf({ content: "a\nb\nc\nd\n" });
    const push = { sha: "a1b2c3d", name: "Bo", files: 2 };
    const facts = { resourceType: "console", resourceId: ID, at: "t" };
    async function hear(theirs: string, mine: string | null, more: Record<string, unknown> = { userId: "bo", push }) {
      const made = makeService();
      const { service, drafts, queryClient } = made;
      service.note(base);
      if (mine !== null) drafts.write(base, mine);
      const newest = { ...base, version: 2, content: theirs };
      vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ success: true, data: newest })));
      await service.hear({ ...facts, version: 2, ...more });
      const shown = queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.content;
      return { ...made, shown, draft: drafts.read(ID), news: service.readNews(ID) };
    }

    it("shows the new text without a draft, and names the push", async () => {
      const { shown, draft, news, service } = await hear("a\nb\nc\ntheirs\n", null);
      expect(shown).toBe("a\nb\nc\ntheirs\n");
      expect(draft).toBeNull();
      expect(news).toMatchObject({ push, effect: "shown", before: base.content, after: shown });
      service.dismissNews(ID);
      expect(service.readNews(ID)).toBeNull();
    });

    it("merges edits of other lines into the draft", async () => {
      const { draft, news } = await hear("a\nb\nc\ntheirs\n", "mine\nb\nc\nd\n");
      expect(draft).toMatchObject({ content: "mine\nb\nc\ntheirs\n", version: 2, base: "a\nb\nc\ntheirs\n" });
      expect(news).toMatchObject({ effect: "merged" });
    });

    it("keeps a draft with edits of the same lines, and discards it on request", async () => {
      const { draft, news, service, drafts } = await hear("theirs\nb\nc\nd\n", "mine\nb\nc\nd\n");
      expect(draft).toMatchObject({ content: "mine\nb\nc\nd\n", version: 1, base: base.content });
      expect(news).toMatchObject({ effect: "aside", before: base.content });
      service.reload(ID);
      expect(drafts.read(ID)).toBeNull();
      expect(service.readNews(ID)).toBeNull();
    });

    it("tells the user of their own push, and not of their own save", async () => {
      expect((await hear("x\n", null, { userId: "u" })).news).toBeNull();
      expect((await hear("x\n", null, { userId: "u", push })).news).toMatchObject({ push });
    });

    it("notes a change whose event was missed, and who made it when its event comes later", async () => {
      const { service } = makeService();
      service.note(base);
      const newest = { ...base, version: 2, content: "theirs\n" };
      vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ success: true, data: newest })));
      await service.refresh(ID);
      expect(service.readNews(ID)).toMatchObject({ userId: null, effect: "shown", before: base.content });
      await service.hear({ ...facts, version: 2, userId: "bo", push });
      expect(service.readNews(ID)).toMatchObject({ userId: "bo", push, before: base.content, after: "theirs\n" });
    });

    it("withdraws the notice of a missed change that was the user's own", async () => {
      const { service } = makeService();
      service.note(base);
      const newest = { ...base, version: 2, content: "mine\n" };
      vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ success: true, data: newest })));
      await service.refresh(ID);
      await service.hear({ ...facts, version: 2, userId: "u" });
      expect(service.readNews(ID)).toBeNull();
    });

    it("keeps the draft of a deleted one", async () => {
      const { draft, news } = await hear("", "mine\n", { userId: "bo", push, deleted: true, version: 1 });
      expect(draft).toMatchObject({ content: "mine\n" });
      expect(news).toMatchObject({ effect: "deleted", push });
    });
  });

  it("saves over a version that only renamed the console", async () => {
    const server = serve(consoleOf());
    const { service, drafts } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 2");
    server.saveElsewhere({ name: "b.sql" });
    expect(await service.save(ID)).toBe(ID);
    expect(server.read()).toMatchObject({ name: "b.sql", content: "select 2" });
  });

  describe("while the server is away", () => {
    afterEach(() => reportReachable());

    it("keeps a pending save, and saves when it is back", async () => {
      const server = serve(consoleOf());
      const { service, drafts, workbench } = makeService();
      workbench.settle(EMPTY_WORKBENCH);
      const sleep = service.wake();
      service.note(consoleOf());
      drafts.write(consoleOf(), "select 2");
      reportUnreachable();
      expect(await service.save(ID, "Two")).toBeNull();
      expect(service.readWaiting().has(ID)).toBe(true);
      expect(server.bodies).toEqual([]);
      // Text typed after the save is included.
      drafts.write(consoleOf(), "select 22");
      reportReachable();
      await vi.waitFor(() => expect(server.read().content).toBe("select 22"));
      expect(server.bodies[0]?.message).toBe("Two");
      expect(service.readWaiting().size).toBe(0);
      await vi.waitFor(() => expect(drafts.read(ID)).toBeNull());
      sleep();
    });

    it("keeps it too if the connection breaks during the save", async () => {
      const { service, drafts } = makeService();
      vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no way")));
      service.note(consoleOf());
      drafts.write(consoleOf(), "select 2");
      expect(await service.save(ID)).toBeNull();
      expect(service.readWaiting().has(ID)).toBe(true);
      expect(drafts.read(ID)?.content).toBe("select 2");
    });

    it("compares instead if someone else has saved", async () => {
      const server = serve(consoleOf());
      const { service, drafts, workbench } = makeService();
      workbench.settle(EMPTY_WORKBENCH);
      const sleep = service.wake();
      service.note(consoleOf());
      drafts.write(consoleOf(), "select 'mine'");
      reportUnreachable();
      await service.save(ID);
      server.saveElsewhere({ content: "select 'theirs'" });
      reportReachable();
      await vi.waitFor(() => expect(service.readComparing().has(ID)).toBe(true));
      expect(server.read().content).toBe("select 'theirs'");
      sleep();
    });
  });

  it("reloads a console for an event with a later version only", async () => {
    const { service, queryClient } = makeService();
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url);
      return new Response(JSON.stringify({ success: true, data: consoleOf({ version: 3, content: "select 3" }) }));
    });
    const event = { resourceType: "console", userId: "bo", at: "t" } as const;
    service.note(consoleOf({ version: 2 }));
    await service.hear({ ...event, resourceId: ID, version: 2 });
    await service.hear({ ...event, resourceId: "d".repeat(24), version: 9 });
    expect(asked).toEqual([]);
    await service.hear({ ...event, resourceId: ID, version: 3 });
    expect(asked).toHaveLength(1);
    expect(queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.content).toBe("select 3");
    await service.refresh(ID);
    expect(asked).toHaveLength(2);
  });

  it("keeps a local save while missed events are loaded", async () => {
    const { service, queryClient } = makeService();
    service.note(consoleOf({ version: 2 }));
    vi.stubGlobal("fetch", async () => {
      service.note(consoleOf({ version: 4, content: "select 'mine'" }));
      return new Response(JSON.stringify({ success: true, data: consoleOf({ version: 3, content: "select 3" }) }));
    });
    await service.refresh(ID);
    expect(queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.content).toBe("select 'mine'");
  });

  it("resolves a comparison with the chosen text", async () => {
    const server = serve(consoleOf());
    const { service, drafts } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 'mine'");
    server.saveElsewhere({ content: "select 'theirs'" });
    await service.save(ID);
    expect(await service.resolve(ID, server.read(), "select 'both'")).toBe(true);
    expect(server.read().content).toBe("select 'both'");
    expect(service.readComparing().has(ID)).toBe(false);
    expect(drafts.read(ID)).toBeNull();
  });

  it("compares again when a third version arrives", async () => {
    const server = serve(consoleOf());
    const { service, drafts, queryClient } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 'mine'");
    server.saveElsewhere({ content: "select 'theirs'" });
    await service.save(ID);
    const looked = server.read();
    server.saveElsewhere({ content: "select 'a third'" });
    expect(await service.resolve(ID, looked, "select 'mine'")).toBe(false);
    expect(server.read().content).toBe("select 'a third'");
    expect(service.readComparing().has(ID)).toBe(true);
    expect(queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.content).toBe("select 'a third'");
    expect(drafts.read(ID)).toMatchObject({ content: "select 'mine'", version: looked.version });
  });

  it("leaves the message of a rejected save to the form that asked for it, and keeps the console", async () => {
    const { service, workbench } = makeService();
    const error = { success: false, code: "conflict", error: "The name is taken." };
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(error), { status: 409 }));
    const console = { id: "u", name: "new.sql", content: "select 3", connectionId: null };
    workbench.change(() => addConsole(EMPTY_WORKBENCH, console));
    await expect(service.saveOrThrow("u")).rejects.toThrow("The name is taken.");
    expect(workbench.read()?.consoles).toMatchObject([console]);
    expect(service.readSaving().size).toBe(0);
  });

  it("saves an unsaved console as a new one in its tab", async () => {
    serve(consoleOf());
    const { service, workbench } = makeService();
    workbench.change(() =>
      addConsole(EMPTY_WORKBENCH, { id: "u", name: "new.sql", content: "select 3", connectionId: null }),
    );
    expect(await service.save("u")).toBe(ID);
    expect(workbench.read()).toMatchObject({
      consoles: [],
      tabs: [ID],
      lastActiveId: ID,
      titles: { [ID]: { name: "new.sql" } },
    });
  });

  it("renames on top of later saves", async () => {
    const server = serve(consoleOf());
    const { service } = makeService();
    service.note(consoleOf());
    server.saveElsewhere({ content: "select 'theirs'" });
    await service.change(ID, { name: "b.sql" });
    expect(server.read()).toMatchObject({ name: "b.sql", content: "select 'theirs'" });
  });

  it("keeps the last of several quick chart changes, and sends one at a time", async () => {
    const server = serve(consoleOf());
    const { service, queryClient } = makeService();
    service.note(consoleOf());
    const shown = () => queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.chart;
    const seen: unknown[] = [];
    queryClient.getQueryCache().subscribe(() => seen.push(shown()?.mark));
    const kept = ["bar", "line", "area"].map((mark) => service.choose(ID, { chart: { mark } }));
    await Promise.all(kept);
    expect(server.bodies.map(({ version, chart }) => [version, chart])).toEqual([
      [1, { mark: "bar" }],
      [2, { mark: "area" }],
    ]);
    expect(server.read().chart).toEqual({ mark: "area" });
    expect(seen.lastIndexOf("bar")).toBeLessThan(seen.indexOf("line"));
    expect(shown()).toEqual({ mark: "area" });
  });

  it("runs on a newly selected connection at once, and on the previous one if rejected", async () => {
    const server = serve(consoleOf({ connectionId: "old" }));
    const { service, queryClient } = makeService();
    service.note(consoleOf({ connectionId: "old" }));
    const shown = () => queryClient.getQueryData<Console>(toConsoleKey("w", ID))?.connectionId;
    const chosen = service.choose(ID, { connectionId: "new" });
    expect(shown()).toBe("new");
    // News about the console that arrives now does not undo the choice.
    service.note(consoleOf({ connectionId: "old" }));
    expect(shown()).toBe("new");
    await chosen;
    expect([shown(), server.read().connectionId]).toEqual(["new", "new"]);

    vi.stubGlobal("fetch", async () => {
      const answer = { success: false, code: "forbidden", error: "This connection is not yours." };
      return new Response(JSON.stringify(answer), { status: 403 });
    });
    const refused = service.choose(ID, { connectionId: "theirs" });
    expect(shown()).toBe("theirs");
    await refused;
    expect(shown()).toBe("new");
  });

  it("saves text typed during a save on request, without a second console", async () => {
    const server = serve(consoleOf());
    const { service, drafts, workbench } = makeService();
    service.note(consoleOf());
    drafts.write(consoleOf(), "select 'first'");
    const first = service.save(ID);
    drafts.write(consoleOf(), "select 'second'");
    expect(await Promise.all([first, service.save(ID, "With a message")])).toEqual([ID, ID]);
    expect(server.read().content).toBe("select 'second'");
    expect(server.bodies.map(({ content, message }) => [content, message])).toEqual([
      ["select 'first'", undefined],
      ["select 'second'", "With a message"],
    ]);
    expect(drafts.read(ID)).toBeNull();

    workbench.change(() =>
      addConsole(EMPTY_WORKBENCH, { id: "u", name: "new.sql", content: "select 3", connectionId: null }),
    );
    expect(await Promise.all([service.save("u"), service.save("u")])).toEqual([ID, ID]);
    expect(workbench.read()?.tabs).toEqual([ID]);
  });
});
