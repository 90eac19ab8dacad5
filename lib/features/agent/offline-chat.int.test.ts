import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { ask, newId, textOf } from "@/test/fixtures/agent/ask";
import { type Person, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
});

it("uses the offline assistant by default without a key, with answers from the sample shop", async () => {
  const { json } = await call("GET", "/api/agent/models", { cookie: ana.cookie });
  expect(json.data.models).toMatchObject([{ id: "millrace/offline", default: true }]);
  const chatId = newId();
  const asAna = { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId };
  const { events } = await ask("How many orders are there?", asAna);
  const called = events.flatMap(({ type, toolName }) => (type === "tool-input-available" ? toolName : []));
  expect(called).toEqual(expect.arrayContaining(["list_connections", "run_query"]));
  expect(textOf(events)).toMatch(/100[,.’ ]?000/);
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  // It continues the chat.
  const more = await ask("And how many customers?", asAna);
  expect(more.events.some(({ type, toolName }) => type === "tool-input-available" && toolName === "run_query")).toBe(
    true,
  );
  const chat = await call("GET", `/api/workspaces/${ana.workspaceId}/chats/${chatId}`, { cookie: ana.cookie });
  expect(chat.json.data).toMatchObject({ modelId: "millrace/offline", messageCount: 4 });
});
