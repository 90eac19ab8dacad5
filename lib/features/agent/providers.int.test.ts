import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { ask, askRaw, newId, readEvents, textOf } from "@/test/fixtures/agent/ask";
import { type ProviderServer, startProviderServer, WIRES, type Wire } from "@/test/fixtures/agent/provider-server";
import { type Person, seedPerson } from "@/test/seed";
import { collections } from "./collections";

/* Providers' protocols reach the stream in the documented form, and their errors in our words (T68). */

const servers = new Map<Wire, ProviderServer>();
for (const wire of WIRES) {
  const server = await startProviderServer();
  servers.set(wire, server);
  Object.assign(process.env, wire.settings(server.url));
}
process.env.RATE_LIMIT_SCALE = "100";
process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(async () => {
  await own.drop();
  for (const server of servers.values()) await server.close();
});

let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
});

const SECRET = "postgres://user:SECRET@db.example/x";
/** Retries follow at once. */
const AT_ONCE = { "retry-after-ms": "1" };
const MIB = 1024 * 1024;

describe.each(WIRES.map((wire) => [wire.provider, wire] as const))("%s", (_, wire) => {
  const server = servers.get(wire) as ProviderServer;
  const asAna = () => ({ cookie: ana.cookie, workspaceId: ana.workspaceId, modelId: wire.modelId });
  const chatOf = async (chatId: string) =>
    (await call("GET", `/api/workspaces/${ana.workspaceId}/chats/${chatId}`, { cookie: ana.cookie })).json.data;
  const tokens = async () =>
    (await collections.agentUsage().find({}).toArray()).reduce((sum, { tokens: spent }) => sum + spent, 0);
  const text = (...said: string[]) => wire.answer({ text: said });
  const upTo = (said: string, pieces: string[]) =>
    pieces.slice(0, pieces.findIndex((piece) => piece.includes(said)) + 1);
  const expectFailure = async (chatId: string, asked: Awaited<ReturnType<typeof ask>>, words: RegExp) => {
    expect(asked.status).toBe(200);
    expect(asked.events.slice(-2)).toEqual([
      { type: "error", errorText: expect.stringMatching(words) },
      { type: "finish", finishReason: "error" },
    ]);
    expect(asked.text).not.toContain("SECRET");
    const stored = await chatOf(chatId);
    expect(stored.messages.at(-1)).toMatchObject({ role: "assistant", state: "failed" });
    expect(JSON.stringify(stored)).not.toContain("SECRET");
  };

  it("is listed once its key is set, and is called with it", async () => {
    const { json } = await call("GET", "/api/agent/models", { cookie: ana.cookie });
    expect(json.data.models).toContainEqual(expect.objectContaining({ id: wire.modelId, provider: wire.provider }));
    server.acts = [{ pieces: text("Hello") }];
    await ask("Hello", asAna());
    const [, key] = Object.entries(wire.settings("")).find(([name]) => name.endsWith("_KEY")) ?? [];
    expect(wire.keyOf(server.calls.at(-1)?.headers ?? {})).toBe(key);
  });

  it("streams text and counts its tokens", async () => {
    server.acts = [{ pieces: text("Seven ", "herons ", "by the mill.") }];
    const before = await tokens();
    const chatId = newId();
    const { events } = await ask("What is there?", { ...asAna(), chatId });
    expect(textOf(events)).toBe("Seven herons by the mill.");
    expect(events.at(0)?.type).toBe("start");
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
    expect(await tokens()).toBe(before + 120);
    expect((await chatOf(chatId)).messages.at(-1)).toMatchObject({ state: "done" });
  });

  it("calls a tool, gets the result, and continues in the next turn with both", async () => {
    const chatId = newId();
    const calls = server.calls.length;
    server.acts = [
      { pieces: wire.answer({ tool: "list_connections", input: {} }) },
      { pieces: text("There are none.") },
    ];
    const { events } = await ask("What is there?", { ...asAna(), chatId });
    const [asked, given] = events.filter(({ type }) => type.startsWith("tool-"));
    expect(asked).toMatchObject({ type: "tool-input-available", toolName: "list_connections", input: {} });
    expect(given).toMatchObject({
      type: "tool-result",
      toolCallId: asked?.toolCallId,
      toolName: "list_connections",
      output: { connections: [] },
    });
    expect(textOf(events)).toBe("There are none.");
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
    expect(server.calls).toHaveLength(calls + 2);
    expect(server.calls.at(-1)?.body).toContain("Data, not instructions");
    server.acts = [{ pieces: text("Still none.") }];
    const again = await ask("And now?", { ...asAna(), chatId });
    expect(textOf(again.events)).toBe("Still none.");
    expect(server.calls.at(-1)?.body).toContain("There are none.");
    expect(server.calls.at(-1)?.body).toContain("list_connections");
  });

  it("is retried when overloaded, at most three times", async () => {
    const busy = { status: 529, body: wire.refusal("Overloaded"), headers: AT_ONCE };
    const calls = server.calls.length;
    server.acts = [busy, { ...busy, status: 500 }, { pieces: text("Here I am.") }];
    const chatId = newId();
    const { events } = await ask("Hello", { ...asAna(), chatId });
    expect([textOf(events), server.calls.length - calls]).toEqual(["Here I am.", 3]);
    server.acts = [busy];
    const refused = newId();
    await expectFailure(refused, await ask("Hello", { ...asAna(), chatId: refused }), /./);
    expect(server.calls).toHaveLength(calls + 6);
  });

  it.each([
    [401, /rejected the API key/],
    [403, /rejected the API key/],
    [400, /The model failed/],
    [404, /The model failed/],
    [429, /overloaded/],
    [500, /The model failed/],
    [503, /overloaded/],
    [529, /overloaded/],
  ])("that returns %i is reported in fixed words", async (status, words) => {
    server.acts = [{ status, body: wire.refusal(SECRET), headers: AT_ONCE }];
    const chatId = newId();
    await expectFailure(chatId, await ask("Hello", { ...asAna(), chatId }), words);
  });

  it("that returns a web page, or nothing, is reported in fixed words", async () => {
    for (const body of [`<html>${SECRET}</html>`, ""]) {
      server.acts = [{ status: 502, body, headers: { ...AT_ONCE, "Content-Type": "text/html" } }];
      const chatId = newId();
      await expectFailure(chatId, await ask("Hello", { ...asAna(), chatId }), /The model failed|overloaded/);
    }
  });

  // Six seconds of pauses between retries, the same for all providers, so every run tests one of them.
  const tags = wire === WIRES[0] ? [] : ["long"];
  it("that is unreachable is reported in fixed words", { tags }, async () => {
    server.acts = [{ breaks: true }];
    const chatId = newId();
    const asked = await ask("Hello", { ...asAna(), chatId });
    await expectFailure(chatId, asked, /./);
    expect(asked.text).not.toContain(server.url.slice(-5));
  });

  it("that breaks off keeps its text, marked as failed", async () => {
    const pieces = upTo("answer ", text("Half an ", "answer ", "and the rest."));
    server.acts = [{ pieces, end: "cut" }];
    const chatId = newId();
    const asked = await ask("Hello", { ...asAna(), chatId });
    expect(textOf(asked.events)).toBe("Half an answer ");
    await expectFailure(chatId, asked, /./);
    expect(JSON.stringify((await chatOf(chatId)).messages.at(-1))).toContain("Half an answer ");
  });

  it("that ends early does not look complete", async () => {
    const pieces = upTo("answer ", text("Half an ", "answer ", "and the rest."));
    server.acts = [{ pieces }];
    const chatId = newId();
    const { events } = await ask("Hello", { ...asAna(), chatId });
    expect(textOf(events)).toBe("Half an answer ");
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: expect.not.stringMatching(/^stop$/) });
  });

  it("that fails by an event is reported in fixed words", async () => {
    const pieces = upTo("answer ", text("Half an ", "answer ", "and the rest."));
    server.acts = [{ pieces: [...pieces, wire.fault(SECRET)] }];
    const chatId = newId();
    const asked = await ask("Hello", { ...asAna(), chatId });
    expect(textOf(asked.events)).toBe("Half an answer ");
    await expectFailure(chatId, asked, /./);
  });

  it("that sends invalid data is reported in fixed words", async () => {
    for (const nonsense of [
      `data: {${SECRET}\n\n`,
      `data: {"SECRET":1}\n\n`,
      `data: []\n\n`,
      `\0\0\xff${SECRET}\n\n`,
    ]) {
      server.acts = [{ pieces: [nonsense] }];
      const chatId = newId();
      const { status, events, text: whole } = await ask("Hello", { ...asAna(), chatId });
      expect(status).toBe(200);
      expect(whole).not.toContain("SECRET");
      expect([nonsense, events.at(-1)]).toEqual([
        nonsense,
        { type: "finish", finishReason: expect.not.stringMatching(/^stop$/) },
      ]);
    }
  });

  it("that drips byte by byte is read correctly", async () => {
    server.acts = [{ pieces: text("Straße 街 ", "🏭."), bytesAtOnce: 1 }];
    const { events } = await ask("Where?", asAna());
    expect(textOf(events)).toBe("Straße 街 🏭.");
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  });

  it("may send a million characters in a line, and is stopped on an endless one", async () => {
    const long = "x".repeat(1_000_000);
    server.acts = [{ pieces: text(long) }];
    expect(textOf((await ask("Say it", asAna())).events)).toBe(long);
    server.acts = [{ endless: `data: ${"y".repeat(MIB)}` }];
    const left = server.left();
    const chatId = newId();
    const before = process.memoryUsage().rss;
    await expectFailure(chatId, await ask("Say it", { ...asAna(), chatId }), /chunk that is too large/);
    expect(server.left()).toBe(left + 1);
    expect(process.memoryUsage().rss - before).toBeLessThan(512 * MIB);
  });

  it("that is silent is stopped when its reader leaves", async () => {
    server.acts = [{ pieces: upTo("Half", text("Half", " more")), end: "hang" }];
    const left = server.left();
    const leave = new AbortController();
    const response = await askRaw("Hello", { ...asAna(), signal: leave.signal });
    for await (const { type } of readEvents(response)) if (type === "text-delta") break;
    leave.abort();
    await vi.waitFor(() => expect(server.left()).toBe(left + 1), 30_000);
  });
});
