import { ObjectId } from "mongodb";
import { beforeAll, expect, it } from "vitest";
import { ask, textOf } from "@/test/fixtures/agent/ask";
import { takeScriptedModel } from "@/test/fixtures/agent/scripted-model";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";

const settings = { CHAT_TOKENS_PER_DAY: "200", SAMPLE_DATA: "off", RATE_LIMIT_SCALE: "1" };
const model = await takeScriptedModel(settings);

let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
});

it("T67 rejects the twenty-first turn of a minute with 429, in any chat, for that person only", async () => {
  // The budget does not interfere: each of these users has a separate workspace.
  const bob = await seedPerson("Bob");
  await collections.agentUsage().deleteMany({});
  const statuses: number[] = [];
  for (let turns = 0; turns < 21; turns += 1) {
    await collections.agentUsage().deleteMany({});
    statuses.push((await ask("Hello", { cookie: bob.cookie, workspaceId: bob.workspaceId })).status);
  }
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  const member = await seedMember(bob.workspaceId, "member");
  await collections.agentUsage().deleteMany({});
  expect((await ask("Hello", { cookie: member.cookie, workspaceId: bob.workspaceId })).status).toBe(200);
});

it("T67 reports a workspace's used-up tokens, also in the middle of a turn", async () => {
  const asAna = { cookie: ana.cookie, workspaceId: ana.workspaceId };
  model.script = () => [{ tool: "list_connections", input: {} }];
  // A step costs 120: the second one exceeds the budget of 200.
  const { events } = await ask("Loop", asAna);
  expect(events.filter(({ type }) => type === "tool-result")).toHaveLength(2);
  expect(events.slice(-2)).toEqual([
    { type: "error", errorText: expect.stringContaining("token limit") },
    { type: "finish", finishReason: "error" },
  ]);
  const refused = await ask("More", asAna);
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, "rate_limited"]);
  const [spent] = await collections
    .agentUsage()
    .find({ workspaceId: new ObjectId(ana.workspaceId) })
    .toArray();
  expect(spent?.tokens).toBe(240);
  // Another workspace has a separate budget.
  model.script = () => [{ text: "Hello." }];
  const eve = await seedPerson("Eve");
  expect(textOf((await ask("Hello", { cookie: eve.cookie, workspaceId: eve.workspaceId })).events)).toBe("Hello.");
});
