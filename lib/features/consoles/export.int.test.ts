import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ObjectId } from "mongodb";
import { afterAll, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type SavedConsole } from "@/test/fixtures/consoles/console-author";
import { git, gitLines, temporaryFolder, withExport } from "@/test/fixtures/repository/git-command";
import { seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(own.drop);

it("exports a repository whose clone has shared consoles, texts and histories as shown", async () => {
  const ana = await seedPerson("Ana");
  const ben = await seedMember(ana.workspaceId, "member");
  const [anas, bens] = [authorOf(ana, ana.workspaceId), authorOf(ben, ana.workspaceId)];
  const access = "workspace";

  const folder = await anas.makeFolder("Größen", { access });
  const first = await anas.make("weekly.sql", { access, content: "select 1\n" });
  await bens.save(first.id, { version: 1, content: "select 2\n", message: "Count in twos\n\nAs agreed." });
  await anas.save(first.id, { version: 2, folderId: folder.id, name: "every week.sql" });
  const { items } = (await anas.send("GET", `/${first.id}/git/history`)).json.data;
  await bens.send("POST", `/${first.id}/git/restore`, { sha: items[2].sha });
  const gone = await anas.make("gone.sql", { access });
  await anas.send("DELETE", `/${gone.id}`);
  await anas.make("ends.sql", { access, content: "select 'new'\r\n" });
  await anas.make("orders", { access, language: "mongodb", content: "db.orders.find({})" });
  await anas.make("hidden.sql", { content: "select 'private'" });
  await anas.send("PATCH", `/folders/${folder.id}`, { name: "Sizes" });

  const listed: SavedConsole[] = (await anas.send("GET", "?limit=200")).json.data;
  const shown = await Promise.all(
    listed.map(async ({ id }) => (await anas.send("GET", `/${id}`)).json.data as SavedConsole & Record<string, string>),
  );
  const shared = shown.filter((each) => each.access === "workspace");
  const fileOf = ({ path, language }: SavedConsole & Record<string, string>) => `consoles/${path}.${language}`;

  const { dir, remove } = await temporaryFolder();
  try {
    await withExport(new ObjectId(ana.workspaceId), (bare) => git(dir, "clone", "--quiet", bare, "clone"));
    const clone = join(dir, "clone");
    const files = await gitLines(clone, "-c", "core.quotePath=false", "ls-files");
    expect(files.sort()).toEqual(shared.map(fileOf).sort());
    for (const each of shared) {
      expect(await readFile(join(clone, fileOf(each)), "utf8")).toBe(each.content);
      const history = (await anas.send("GET", `/${each.id}/git/history?limit=200`)).json.data.items;
      const format = "--format=%H\t%an\t%ae\t%s";
      const log = await gitLines(clone, "log", "--follow", "-M100%", format, "--", fileOf(each));
      expect(log).toEqual(
        history.map((item: { sha: string; subject: string; author: { name: string; email: string } }) =>
          [item.sha, item.author.name, item.author.email, item.subject].join("\t"),
        ),
      );
    }
    const every = shared.find(({ id }) => id === first.id);
    expect(every?.path).toBe("Sizes/every week");
    expect((await git(clone, "log", "-p", "--all")).stdout).not.toContain("private'");
  } finally {
    await remove();
  }
});
