import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { ask, askRaw, type Event, newId, readEvents, textOf } from "@/test/fixtures/agent/ask";
import { takeOwnStore } from "@/test/fixtures/own-store";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedPerson } from "@/test/seed";

/* The store is killed during a turn of the offline assistant. */

const AWAY = "The database is unavailable. Try again in a moment.";
const store = await takeOwnStore();
const own = takeOwnDatabase();
let ana: Person;

beforeAll(async () => {
  ana = await seedPerson("Ana");
});
afterAll(async () => {
  await store.start();
  await own.drop();
  await store.close();
});

const asAna = () => ({ cookie: ana.cookie, workspaceId: ana.workspaceId });
const chatOf = async (chatId: string) =>
  (await call("GET", `/api/workspaces/${ana.workspaceId}/chats/${chatId}`, { cookie: ana.cookie })).json?.data;

for (const type of ["start", "tool-input-available", "text-delta"]) {
  it(`ends a stream whose store is killed after ${type} with an error, and loses nothing of the chat`, {
    tags: type === "text-delta" ? [] : ["long"],
  }, async () => {
    const log = captureLog("error");
    const chatId = newId();
    const question = "How many orders are there?";
    const response = await askRaw(question, { ...asAna(), chatId });
    const events: Event[] = [];
    let isKilled = false;
    for await (const event of readEvents(response)) {
      events.push(event);
      if (event.type !== type || isKilled) continue;
      isKilled = true;
      await store.kill();
    }
    expect(events.filter((event) => event.type === "error")).toEqual([{ type: "error", errorText: AWAY }]);
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "error" });

    const refused = await ask("And now?", { ...asAna(), chatId });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, "unavailable"]);

    await store.start();
    // The server stores the answer as soon as it can.
    await expect.poll(async () => (await chatOf(chatId))?.messages?.[1]?.state).not.toBe("running");
    const { messages } = await chatOf(chatId);
    expect(messages).toMatchObject([{ parts: [{ text: question }], state: "done" }, { role: "assistant" }]);
    const shown = messages[1].parts.flatMap((part: Event) => (part.type === "text" ? part.text : [])).join("");
    expect(shown).toContain(textOf(events));

    const next = await ask("How many customers are there?", { ...asAna(), chatId });
    expect(next.events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
    expect((await chatOf(chatId)).messageCount).toBe(4);
    expect(log.stop()).toEqual([]);
  });
}
