import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { pauseSchedule } from "@/lib/features/runs/schedules/service";
import { writeNow } from "@/lib/platform/events/publish";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { projectCommand } from "./project-repository";

const own = takeOwnDatabase();
let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
});
afterAll(own.drop);

describe("npm run repo:project", () => {
  let printed: string[] = [];
  const print = (line: string) => printed.push(line);
  beforeEach(() => {
    printed = [];
  });

  it("restores lost and damaged consoles from git, with their ids and settings, and leaves the others alone", async () => {
    const author = authorOf(ana, ana.workspaceId);
    const shared = { access: "workspace" };
    const folder = await author.makeFolder("team", shared);
    const [kept, lost, damaged, mine] = [
      await author.make("kept", shared),
      await author.make("lost", { ...shared, folderId: folder.id, chart: { mark: "bar" } }),
      await author.make("damaged", shared),
      await author.make("mine"),
    ];
    const read = async (id: string) => (await author.send("GET", `/${id}`)).json.data;
    const before = await Promise.all([kept, lost, damaged, mine].map(({ id }) => read(id)));
    await collections.consoles().deleteOne({ _id: new ObjectId(lost.id) });
    await collections.consoleFolders().deleteMany({});
    await collections.consoles().updateOne({ _id: new ObjectId(damaged.id) }, { $set: { content: "broken" } });
    for (let times = 0; times < 2; times++) expect(await projectCommand([ana.workspaceId], print)).toBe(0);
    expect(printed[0]).toMatch(/^The workspace has 3 consoles, \d dashboards? and 0 metrics as in its repository\.$/);
    const [nowKept, nowLost, nowDamaged, nowMine] = await Promise.all(before.map(({ id }) => read(id)));
    expect([nowKept, nowMine]).toEqual([before[0], before[3]]);
    expect(nowLost).toMatchObject({
      path: "team/lost",
      content: "select 1",
      chart: { mark: "bar" },
      access: "workspace",
    });
    expect(nowDamaged).toMatchObject({ content: before[2].content, path: "damaged", version: 2 });
    expect((await author.send("GET", "/folders")).json.data.map(({ path }: { path: string }) => path)).toEqual([
      "team",
    ]);
    expect((await author.save(lost.id, { version: nowLost.version, content: "select 2" })).status).toBe(200);
    expect(await author.story(lost.id)).toHaveLength(2);
  });

  it("has stored the events of its changes when it ends", async () => {
    const author = authorOf(ana, ana.workspaceId);
    const { id } = await author.make("announced", { access: "workspace" });
    await collections.consoles().updateOne({ _id: new ObjectId(id) }, { $set: { content: "broken" } });
    await writeNow();
    const ofConsole = { workspaceId: new ObjectId(ana.workspaceId), "data.resourceId": id };
    const before = await collections.events().countDocuments(ofConsole);
    expect(await projectCommand([ana.workspaceId], print)).toBe(0);
    expect(await collections.events().countDocuments(ofConsole)).toBe(before + 1);
  });

  it("keeps each schedule enabled or paused with its owner, and restores a lost one paused", async () => {
    const author = authorOf(ana, ana.workspaceId);
    const member = await seedMember(ana.workspaceId, "member");
    const hers = authorOf({ key: await seedKey(ana.workspaceId, member) }, ana.workspaceId);
    const connectionId = (await call("GET", `/api/workspaces/${ana.workspaceId}/connectors`, ana)).json.data[0].id;
    const cases = [
      { name: "enabled", enabled: true, breaks: "text" },
      { name: "paused", enabled: false, breaks: "text" },
      { name: "paused-cron", enabled: false, breaks: "cron" },
      { name: "enabled-console", enabled: true, breaks: "console" },
      { name: "paused-console", enabled: false, breaks: "console" },
      { name: "lost", enabled: true, breaks: "schedule" },
    ];
    const made = [];
    for (const { name, enabled, breaks } of cases) {
      const { id } = await hers.make(name, { access: "workspace", connectionId });
      const resourceId = new ObjectId(id);
      const schedule = { cron: "0 6 * * *", timezone: "UTC", enabled: true };
      expect((await hers.send("PUT", `/${id}/schedule`, schedule)).status).toBe(200);
      // As a repository host pauses it: main still says that it is enabled.
      if (!enabled)
        await pauseSchedule(
          { workspaceId: new ObjectId(ana.workspaceId) },
          { resourceType: "scheduled_query", resourceId },
        );
      if (breaks === "console") await collections.consoles().deleteOne({ _id: resourceId });
      else await collections.consoles().updateOne({ _id: resourceId }, { $set: { content: "broken" } });
      if (breaks === "cron") await collections.schedules().updateOne({ resourceId }, { $set: { cron: "0 9 * * *" } });
      if (breaks === "schedule") await collections.schedules().deleteOne({ resourceId });
      made.push({ id, resourceId });
    }
    for (let times = 0; times < 2; times++) expect(await projectCommand([ana.workspaceId], print)).toBe(0);
    const after = await Promise.all(
      made.map(async ({ id, resourceId }) => ({
        content: (await author.send("GET", `/${id}`)).json.data.content,
        schedule: await collections.schedules().findOne({ resourceId }),
      })),
    );
    expect(after.map(({ content }) => content)).toEqual(cases.map(() => "select 1"));
    expect(after.map(({ schedule }) => [schedule?.cron, schedule?.enabled])).toEqual(
      [true, false, false, true, false, false].map((enabled) => ["0 6 * * *", enabled]),
    );
    const owners = [member, member, member, member, member, ana];
    expect(after.map(({ schedule }) => schedule?.ownerId.toHexString())).toEqual(owners.map(({ id }) => id));
  });

  it("says what to do if something is missing", async () => {
    expect(await projectCommand([], print)).toBe(1);
    expect(await projectCommand([new ObjectId().toHexString()], print)).toBe(1);
    expect(printed[0]).toContain("npm run repo:project -- <workspace id or slug>");
    expect(printed[1]).toMatch(/Workspace “.+” not found/);
  });
});
