import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/platform/events/publish";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { publishEditingEvent } from "./events";

const own = takeOwnDatabase();
let ana: Person;
let ben: Person;
let author: ConsoleAuthor;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  author = authorOf(ana, ana.workspaceId);
});
afterAll(async () => {
  await writeNow();
  await own.drop();
});

const told = async (id: string, kind: "console" | "presence") => {
  await writeNow();
  const events = await collections.events().find({ kind, "data.resourceId": id }).sort({ position: 1 }).toArray();
  return events.map(({ userId, data }) => ({
    to: userId?.toHexString() ?? "all",
    by: data.userId,
    version: data.version,
  }));
};

it("names the author and the version of a save", async () => {
  const { id } = await author.make("saved", { access: "workspace" });
  await authorOf(ben, ana.workspaceId).save(id, { version: 1, content: "select 2" });
  expect((await told(id, "console")).at(-1)).toEqual({ to: "all", by: ben.id, version: 2 });
});

it("announces typing in a shared console, not in a private one", async () => {
  const shared = await author.make("shared", { access: "workspace" });
  const hidden = await author.make("hidden", { access: "private" });
  for (const { id } of [shared, hidden]) await author.send("PUT", `/${id}/draft`, { content: "select" });
  expect(await told(shared.id, "presence")).toEqual([{ to: "all", by: ana.id, version: undefined }]);
  expect(await told(hidden.id, "presence")).toEqual([]);
});

it("announces continued typing every five seconds", async () => {
  const _id = new ObjectId();
  const console = {
    _id,
    workspaceId: new ObjectId(ana.workspaceId),
    space: "workspace",
    ownerId: new ObjectId(ana.id),
  };
  const by = new ObjectId(ana.id);
  const begun = Date.now();
  for (const ms of [0, 1000, 4999, 5000, 6000, 10_001]) publishEditingEvent(console, by, begun + ms);
  publishEditingEvent(console, new ObjectId(ben.id), begun + 1000);
  expect((await told(_id.toHexString(), "presence")).map(({ by }) => by)).toEqual([ana.id, ana.id, ana.id, ben.id]);
});
