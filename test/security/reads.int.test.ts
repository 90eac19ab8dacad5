import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";
import { endpoints, pathWith } from "./routes";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
let ids: Record<string, string>;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  const { cookie, workspaceId } = owner;
  const base = `/api/workspaces/${workspaceId}`;
  const member = await seedMember(workspaceId, "member");
  const make = async (path: string, body: object) => (await call("POST", base + path, { cookie, body })).json.data;
  const connection = await make("/connectors", {
    name: "Stock",
    type: "duckdb",
    config: { file: "stock.duckdb" },
    readOnly: false,
  });
  const invite = await make("/invites", { email: "guest@example.com" });
  const key = await make("/api-keys", { name: "Key" });
  await make(`/databases/${connection.id}/execute`, { query: "create table goods (name text)" });
  ids = {
    workspaceId,
    userId: member.id,
    connectionId: connection.id,
    keyId: key.id,
    inviteId: invite.id,
    token: invite.link.split("/").at(-1),
  };
});

describe("a GET", () => {
  it.each(endpoints.filter(({ method }) => method === "GET"))(
    "of $path changes nothing, however often (T15)",
    async ({ path }) => {
      const before = await digestDatabase();
      const statuses: number[] = [];
      for (let i = 0; i < 2; i += 1) {
        statuses.push((await call("GET", pathWith(path, ids), { cookie: owner.cookie })).status);
        statuses.push((await call("HEAD", pathWith(path, ids), { cookie: owner.cookie })).status);
      }
      expect(new Set(statuses).size).toBe(1);
      expect(statuses[0]).toBeLessThan(500);
      expect(await digestDatabase()).toEqual(before);
    },
  );

  it("is answered not to be cached, wherever it says something about somebody", async () => {
    const cached: string[] = [];
    for (const { path, name, definition } of endpoints.filter(({ method }) => method === "GET")) {
      const answer = await call("GET", pathWith(path, ids), { cookie: owner.cookie });
      const isPrivate = /no-store/.test(answer.headers.get("cache-control") ?? "");
      if (definition.access.scope !== "open" && !isPrivate) cached.push(name);
    }
    expect(cached).toEqual([]);
  });
});
