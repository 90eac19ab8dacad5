import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { type Answer, type Credentials, call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { writeNow } from "./history-writer";

const ENDLESS = "select count(*) from range(1000000000) a, range(1000000000) b";
const own = takeOwnDatabase();

type Name = "owner" | "admin" | "ana" | "ben" | "stranger";
let people: Record<Name, Person>;
/** Every person by session and by an API key. */
let callers: Record<Name | `${Name}'s key`, Credentials>;
let base: string;
let connectionId: string;
let authors: Record<"owner" | "admin" | "ana", ConsoleAuthor>;

beforeAll(async () => {
  const owner = await seedPerson("Owner");
  const { workspaceId } = owner;
  const [admin, ana, ben, stranger] = await Promise.all([
    seedMember(workspaceId, "admin"),
    seedMember(workspaceId, "member"),
    seedMember(workspaceId, "member"),
    seedPerson("Stranger"),
  ]);
  people = { owner, admin, ana, ben, stranger };
  const ways = await Promise.all(
    Object.entries(people).map(async ([name, person]) => [
      [name, { cookie: person.cookie }],
      [`${name}'s key`, { key: await seedKey(person.workspaceId, person) }],
    ]),
  );
  callers = Object.fromEntries(ways.flat());
  base = `/api/workspaces/${workspaceId}`;
  connectionId = (await call("GET", `${base}/connectors`, owner)).json.data[0].id;
  authors = {
    owner: authorOf(callers.owner, workspaceId),
    admin: authorOf(callers.admin, workspaceId),
    ana: authorOf(callers.ana, workspaceId),
  };
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
});

const workspaceId = () => new ObjectId(people.owner.workspaceId);
const read = (who: Credentials, executionId: string) => call("GET", `${base}/executions/${executionId}`, who);
const cancel = (who: Credentials, executionId: string) => call("POST", `${base}/executions/${executionId}/cancel`, who);
const list = (who: Credentials, query = "?limit=200") => call("GET", `${base}/executions${query}`, who);
const idOf = (answer: Answer) => answer.headers.get("x-execution-id") ?? "";
const runOn = (who: Credentials, query: string, more: object = {}) =>
  call("POST", `${base}/databases/${connectionId}/execute`, { ...who, body: { query, ...more } });

let made = 0;
type Runner = keyof typeof authors;
/** Creates a console of the runner and runs it, as saved or with another text. */
async function runConsole(runner: Runner, access: "private" | "workspace", saved: string, content?: string) {
  const author = authors[runner];
  const { id } = await author.make(`c${made++}`, { content: saved, access, connectionId });
  return {
    id,
    executionId: idOf(await author.send("POST", `/${id}/execute`, content === undefined ? {} : { content })),
  };
}

/**
 * Ways to run a query, and whether others see its text. Each gets a text with a unique word, and returns the run's id.
 */
const RUNS: Record<string, { forAdmins: "text" | "no text"; run: (runner: Runner, text: string) => Promise<string> }> =
  {
    "a query of no console": {
      forAdmins: "text",
      run: async (runner, text) => idOf(await runOn(callers[runner], text)),
    },
    "a query of no console, by a key": {
      forAdmins: "text",
      run: async (runner, text) => idOf(await runOn(callers[`${runner}'s key`], text)),
    },
    "a query of no console, at the short address": {
      forAdmins: "text",
      run: async (runner, query) => {
        const body = { workspaceId: people.owner.workspaceId, connectionId, query };
        return idOf(await call("POST", "/api/execute", { ...callers[runner], body }));
      },
    },
    "a private console": {
      forAdmins: "no text",
      run: async (runner, text) => (await runConsole(runner, "private", text)).executionId,
    },
    "a private console, by a key": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id } = await authors[runner].make(`c${made++}`, { content: text, connectionId });
        return idOf(await call("POST", `${base}/consoles/${id}/execute`, { ...callers[`${runner}'s key`], body: {} }));
      },
    },
    "a text in the place of a private console's": {
      forAdmins: "no text",
      run: async (runner, text) => (await runConsole(runner, "private", "select 1", text)).executionId,
    },
    "a private console that fails with words of its text": {
      forAdmins: "no text",
      run: async (runner, text) => (await runConsole(runner, "private", `${text} from nowhere`)).executionId,
    },
    "a shared console": {
      forAdmins: "text",
      run: async (runner, text) => (await runConsole(runner, "workspace", text)).executionId,
    },
    "a text in the place of a shared console's": {
      forAdmins: "text",
      run: async (runner, text) => (await runConsole(runner, "workspace", "select 1", text)).executionId,
    },
    "a console that was shared later": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "private", text);
        const saved = await authors[runner].save(id, { version: 1, access: "workspace", content: "select 1" });
        expect(saved.status).toBe(200);
        return executionId;
      },
    },
    "a console that was made private later": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "workspace", text);
        expect((await authors[runner].save(id, { version: 1, access: "private" })).status).toBe(200);
        return executionId;
      },
    },
    "a shared console that was deleted": {
      forAdmins: "text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "workspace", text);
        expect((await authors[runner].send("DELETE", `/${id}`)).status).toBe(200);
        return executionId;
      },
    },
    "a console that was made private, then deleted": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "workspace", text);
        await authors[runner].save(id, { version: 1, access: "private" });
        expect((await authors[runner].send("DELETE", `/${id}`)).status).toBe(200);
        return executionId;
      },
    },
    "a private console that was deleted": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "private", text);
        expect((await authors[runner].send("DELETE", `/${id}`)).status).toBe(200);
        return executionId;
      },
    },
    "a shared console of which nothing is left": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "workspace", text);
        await authors[runner].send("DELETE", `/${id}`);
        await collections.deletedConsoles().deleteOne({ workspaceId: workspaceId(), _id: new ObjectId(id) });
        return executionId;
      },
    },
    "a shared console that was renamed and moved": {
      forAdmins: "text",
      run: async (runner, text) => {
        const { id, executionId } = await runConsole(runner, "workspace", text);
        const folder = await authors[runner].makeFolder(`f${made++}`, { access: "workspace" });
        const moved = await authors[runner].save(id, { version: 1, name: `moved${made++}`, folderId: folder.id });
        expect(moved.status).toBe(200);
        return executionId;
      },
    },
    "a copy of a shared console, made private": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const { id } = await authors[runner].make(`c${made++}`, { content: text, access: "workspace", connectionId });
        const copy = (await authors[runner].send("POST", `/${id}/duplicate`, {})).json.data;
        await authors[runner].save(copy.id, { version: 1, access: "private" });
        return idOf(await authors[runner].send("POST", `/${copy.id}/execute`, {}));
      },
    },
    "a query of an earlier version, without an origin": {
      forAdmins: "no text",
      run: async (runner, text) => {
        const executionId = idOf(await runOn(callers[runner], text));
        await writeNow();
        await collections
          .executions()
          .updateOne({ workspaceId: workspaceId(), executionId }, { $unset: { origin: "" } });
        return executionId;
      },
    },
  };

describe.each(["ana", "admin", "owner"] as const)("the queries of %s", (runner) => {
  const others = (["owner", "admin", "ana", "ben"] as const).filter((name) => name !== runner);

  for (const { tags, cases } of splitCases(Object.keys(RUNS), 2))
    it.each(cases)(
      "%s: the text is visible to them, to admins within limits, and not to members",
      { tags },
      async (kind) => {
        const { forAdmins, run } = RUNS[kind] as (typeof RUNS)[string];
        const word = `w${randomUUID().replaceAll("-", "")}`;
        const executionId = await run(runner, `select '${word}' as ${word}`);
        expect(executionId).toMatch(/^[0-9a-f-]{36}$/);
        await writeNow();
        const seen: Record<string, unknown> = {};
        for (const name of [runner, ...others]) {
          for (const who of [name, `${name}'s key`] as const) {
            const [one, all] = [await read(callers[who], executionId), await list(callers[who])];
            const item = all.json.data.items.find((each: { executionId: string }) => each.executionId === executionId);
            // The list and the single query agree completely.
            expect([one.status, one.json.data]).toEqual(item ? [200, item] : [404, undefined]);
            if (item?.query === null) expect([item.error, item.userId]).toEqual([null, people[runner].id]);
            expect((one.text + all.text).includes(word)).toBe(item !== undefined && item.query !== null);
            seen[who] = item === undefined ? "nothing" : item.query === null ? "no text" : "text";
          }
        }
        const expected = Object.fromEntries(
          [runner, ...others].flatMap((name) => {
            const isAdmin = name === "owner" || name === "admin";
            const view = name === runner ? "text" : isAdmin ? forAdmins : "nothing";
            return [[name, view] as const, [`${name}'s key`, view] as const];
          }),
        );
        expect(seen).toEqual(expected);
      },
    );
});

describe("follow current permissions", () => {
  it("keep a run of another's shared console for its author, and show it to the owner once private", async () => {
    const { id } = await authors.admin.make(`c${made++}`, {
      content: "select 'theirs'",
      access: "workspace",
      connectionId,
    });
    const executionId = idOf(await call("POST", `${base}/consoles/${id}/execute`, { ...callers.ana, body: {} }));
    await authors.admin.save(id, { version: 1, access: "private" });
    const textFor = async (who: Credentials) => (await read(who, executionId)).json.data?.query;
    expect([await textFor(callers.ana), await textFor(callers.admin), await textFor(callers.owner)]).toEqual([
      "select 'theirs'",
      "select 'theirs'",
      null,
    ]);
  });

  it("are limited to their own for a demoted admin, and their key", async () => {
    const executionId = idOf(await runOn(callers.ana, "select 1"));
    const late = await seedMember(people.owner.workspaceId, "admin");
    const ways = [{ cookie: late.cookie }, { key: await seedKey(people.owner.workspaceId, late) }];
    for (const way of ways) expect((await read(way, executionId)).status).toBe(200);
    await call("PUT", `${base}/members/${late.id}`, { ...callers.owner, body: { role: "member" } });
    for (const way of ways) {
      expect((await read(way, executionId)).status).toBe(404);
      expect((await list(way)).json.data.items).toEqual([]);
    }
  });

  it("are unknown in another workspace, and hidden from strangers", async () => {
    const executionId = idOf(await runOn(callers.ana, "select 1"));
    const theirs = `/api/workspaces/${people.stranger.workspaceId}/executions`;
    for (const who of [callers.stranger, callers["stranger's key"]]) {
      const foreign = await call("GET", `${theirs}/${executionId}`, who);
      const missing = await call("GET", `${theirs}/${randomUUID()}`, who);
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
      expect((await read(who, executionId)).status).toBe(403);
      expect((await cancel(who, executionId)).status).toBe(403);
    }
  });

  it("do not reveal whether another's query exists", async () => {
    const executionId = idOf(await runOn(callers.ana, "select 1"));
    expect((await read(callers.ben, executionId)).text).toBe((await read(callers.ben, randomUUID())).text);
    expect((await cancel(callers.ben, executionId)).text).toBe((await cancel(callers.ben, randomUUID())).text);
  });
});

describe("a link to a run", () => {
  it("works from its start, and right after its end", async () => {
    for (let round = 0; round < 20; round += 1) {
      const executionId = idOf(await runOn(callers.ana, "select 1 as one"));
      const answer = await read(callers.ana, executionId);
      expect([answer.status, answer.json.data?.status]).toEqual([200, "success"]);
    }
    const executionId = randomUUID();
    const asked = runOn(callers.ana, ENDLESS, { executionId });
    await vi.waitFor(async () => expect((await read(callers.ana, executionId)).status).toBe(200), 30_000);
    expect(await collections.executions().countDocuments({ executionId, status: "success" })).toBe(0);
    expect((await read(callers.ben, executionId)).status).toBe(404);
    expect((await cancel(callers.ana, executionId)).status).toBe(200);
    expect((await asked).status).toBe(409);
    expect((await read(callers.ana, executionId)).json.data.status).toBe("cancelled");
  });

  it.each(["abc", "00000000-0000-4000-8000-00000000000g", "%7B%7D"])("that is malformed is 400: %s", async (id) => {
    const answer = await read(callers.ana, id);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it("never leads to another person's run with the same ID", async () => {
    const executionId = randomUUID();
    await runOn(callers.ana, "select 'of ana'", { executionId });
    await writeNow();
    await runOn(callers.ben, "select 'of ben'", { executionId });
    await writeNow();
    expect((await read(callers.ana, executionId)).json.data.query).toBe("select 'of ana'");
    expect((await read(callers.ben, executionId)).text).not.toContain("of ana");
  });
});

describe("a member's pages", () => {
  it("have only their own queries, each once, in full pages", async () => {
    const late = await seedMember(people.owner.workspaceId, "member");
    const mine: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      mine.push(idOf(await runOn({ cookie: late.cookie }, "select 1")));
      await runOn(callers.ana, "select 2");
      await runOn(callers.owner, "select 3");
    }
    await writeNow();
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await list({ cookie: late.cookie }, `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      pages.push(page.json.data.items.map((each: { executionId: string }) => each.executionId));
      cursor = page.json.data.nextCursor;
    } while (cursor !== null);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(mine.toReversed());
  });
});

describe("permission to cancel a query (T27)", () => {
  /** Starts a query that never ends, and waits until it runs. */
  async function begin(runner: Name) {
    const executionId = randomUUID();
    const asked = runOn(callers[runner], ENDLESS, { executionId });
    const status = async () => (await read(callers[runner], executionId)).json.data?.status;
    await vi.waitFor(async () => expect(await status()).toBe("running"), 30_000);
    return { executionId, asked, status };
  }

  it.each([
    ["ana", "ana", 200],
    ["ana", "ana's key", 200],
    ["ana", "admin", 200],
    ["ana", "admin's key", 200],
    ["ana", "owner", 200],
    ["ana", "owner's key", 200],
    ["ana", "ben", 404],
    ["ana", "ben's key", 404],
    ["admin", "ana", 404],
    ["admin", "ana's key", 404],
    ["admin", "admin", 200],
    ["admin", "owner", 200],
    ["owner", "admin", 200],
    ["owner", "ben", 404],
    ["owner", "ben's key", 404],
    ["owner", "owner", 200],
  ] as const)("of %s's, %s: %i", async (runner, by, expected) => {
    const { executionId, asked, status } = await begin(runner);
    expect((await cancel(callers[by], executionId)).status).toBe(expected);
    if (expected === 404) {
      expect(await status()).toBe("running");
      expect((await cancel(callers[runner], executionId)).status).toBe(200);
    }
    const answer = await asked;
    expect([answer.status, answer.json.code]).toEqual([409, "cancelled"]);
    for (const late of [by, runner]) expect((await cancel(callers[late], executionId)).status).toBe(404);
  });

  it("ends it once for two requests", async () => {
    const { executionId, asked } = await begin("ana");
    const answers = await Promise.all([cancel(callers.ana, executionId), cancel(callers.admin, executionId)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect((await asked).status).toBe(409);
  });

  it.each([
    ["ana", 200],
    ["ana's key", 200],
    ["admin", 200],
    ["ben", 404],
    ["ben's key", 404],
  ] as const)("of ana's on another server, %s: %i", async (by, expected) => {
    const executionId = randomUUID();
    await collections.executions().insertOne({
      _id: new ObjectId(),
      executionId,
      workspaceId: workspaceId(),
      connectionId: new ObjectId(connectionId),
      userId: new ObjectId(people.ana.id),
      origin: { kind: "adhoc", id: null },
      queryText: "select 1",
      status: "running",
      startedAt: new Date(),
      completedAt: null,
      durationMs: null,
      rowCount: null,
      error: null,
      format: "json",
    });
    expect((await cancel(callers[by], executionId)).status).toBe(expected);
    const stored = await collections.executions().findOne({ workspaceId: workspaceId(), executionId });
    expect(stored?.cancelRequested).toBe(expected === 200 ? true : undefined);
  });
});
