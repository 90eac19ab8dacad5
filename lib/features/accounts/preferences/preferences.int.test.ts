import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const read = (by: Person) => call("GET", "/api/me/preferences", { cookie: by.cookie });
const write = (by: Person, body: unknown) => call("PUT", "/api/me/preferences", { cookie: by.cookie, body });
const DEFAULTS = {
  theme: "system",
  density: "normal",
  digits: "grouped",
  times: "local",
  wrapLines: false,
  singleKeyShortcuts: true,
  keys: {},
  panels: {},
};

describe("preferences", () => {
  it("return defaults before a choice, and reading stores nothing (T15)", async () => {
    const person = await seedPerson();
    const answer = await read(person);
    expect([answer.status, answer.json.data]).toEqual([200, DEFAULTS]);
    expect(await collections.preferences().countDocuments({ _id: new ObjectId(person.id) })).toBe(0);
  });

  it("change only the fields sent", async () => {
    const person = await seedPerson();
    expect((await write(person, { theme: "dark" })).json.data).toEqual({ ...DEFAULTS, theme: "dark" });
    await write(person, { density: "compact", wrapLines: true, keys: { "query.run": "Mod+Enter" } });
    expect((await write(person, {})).status).toBe(200);
    expect((await read(person)).json.data).toEqual({
      ...DEFAULTS,
      theme: "dark",
      density: "compact",
      wrapLines: true,
      keys: { "query.run": "Mod+Enter" },
    });
  });

  it("accept a time zone by name, normalised", async () => {
    const person = await seedPerson();
    expect((await write(person, { times: "pacific/chatham" })).json.data.times).toBe("Pacific/Chatham");
    expect((await read(person)).json.data.times).toBe("Pacific/Chatham");
    expect((await write(person, { times: "utc" })).json.data.times).toBe("utc");
  });

  it("separate the layouts of workspaces, so that two windows do not overwrite each other", async () => {
    const person = await seedPerson();
    const [harbour, depot] = ["a".repeat(24), "b".repeat(24)];
    await Promise.all([
      write(person, { panels: { [harbour]: { side: 240 } } }),
      write(person, { panels: { [depot]: { side: 320, tabs: ["c1", "c2"] } } }),
    ]);
    expect((await read(person)).json.data.panels).toEqual({
      [harbour]: { side: 240 },
      [depot]: { side: 320, tabs: ["c1", "c2"] },
    });
  });

  it("are private", async () => {
    const [person, other] = [await seedPerson(), await seedPerson()];
    await write(person, { theme: "dark", _id: other.id, userId: other.id });
    expect((await read(other)).json.data).toEqual(DEFAULTS);
    expect(Object.keys((await collections.preferences().findOne({ _id: new ObjectId(person.id) })) ?? {})).toEqual([
      "_id",
      "theme",
    ]);
  });

  it.each([
    [{ theme: "mauve" }, "theme"],
    [{ singleKeyShortcuts: "yes" }, "singleKeyShortcuts"],
    [{ wrapLines: "yes" }, "wrapLines"],
    [{ times: "Mars/Olympus" }, "times"],
    [{ times: "+02:00" }, "times"],
    [{ keys: { run: 7 } }, "keys.run"],
    [{ keys: ["a"] }, "keys"],
    [{ panels: "wide" }, "panels"],
    [{ panels: { ["k".repeat(61)]: 1 } }, `panels.${"k".repeat(61)}`],
  ])("name the problem: %j", async (body, path) => {
    const answer = await write(await seedPerson(), body);
    expect([answer.status, answer.json.code, answer.json.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  it.each([
    ["an empty name", { panels: { "": 1 } }],
    ["a dot", { panels: { "a.b": 1 } }],
    ["a dollar sign", { panels: { $set: 1, $where: "1" } }],
    ["a NUL", { panels: { "a\u0000b": 1 } }],
    ["a NUL deep inside", { panels: { a: { "b\u0000c": 1 } } }],
    ["a NUL in a shortcut's name", { keys: { "a\u0000": "b" } }],
    ["names that meet", { panels: { "a.b": 1, a_b: 2 } }],
    ["a lone surrogate", { panels: { a: "\ud800" }, keys: { "\ud800": "x" } }],
    ["a dollar sign deep inside", { panels: { a: { $ne: null, "x.y": { $gt: "" } } } }],
  ])("accept or reject %s safely, and stay readable (T105)", async (_, body) => {
    const person = await seedPerson();
    const answer = await write(person, body);
    expect([200, 400]).toContain(answer.status);
    const after = await read(person);
    expect([after.status, after.json.data.theme]).toEqual([200, "system"]);
  });

  it("keep the names that were sent", async () => {
    const person = await seedPerson();
    const panels = { "a.b": 1, a_b: 2, $c: { "d.e": 3 } };
    expect((await write(person, { panels })).json.data.panels).toEqual(panels);
    expect((await read(person)).json.data.panels).toEqual(panels);
  });

  it("limit the total to 64 KiB, not the request", async () => {
    const person = await seedPerson();
    const part = (name: string) => ({ panels: { [name]: "x".repeat(30_000) } });
    expect((await write(person, part("one"))).status).toBe(200);
    expect((await write(person, part("two"))).status).toBe(200);
    const third = await write(person, part("three"));
    expect([third.status, third.json.code]).toEqual([400, "invalid_request"]);
    expect(Object.keys((await read(person)).json.data.panels)).toEqual(["one", "two"]);
    // Null frees space: the layout of a deleted workspace.
    expect((await write(person, { panels: { one: null } })).json.data.panels).toEqual({ two: "x".repeat(30_000) });
    expect((await write(person, part("three"))).status).toBe(200);
  });
});
