import { execFile, execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { listHeads, moveHead, removeHead } from "@/lib/features/repository/refs";
import { findBranch, historyOf, REVIEWS_MAX } from "@/lib/features/repository/service";
import { entryHead, packHead } from "@/lib/features/repository/wire";
import { env } from "@/lib/platform/env";
import { splitCases } from "@/test/cases";
import { takeOwnDatabase } from "@/test/database";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines, withExport } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { put } from "@/test/fixtures/repository/repository-fixture";
import { processorTimeOf } from "@/test/processor-time";
import { type Person, seedMember } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
let member: Person;
let memberUrl: string;
let mine: string;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  url = world.urlFor(await world.keyOf(world.owner));
  member = await seedMember(world.owner.workspaceId, "member");
  memberUrl = world.urlFor(await world.keyOf(member));
  mine = `user/${world.owner.id}`;
  await world.save("First", [put("consoles/a.sql", "select 1\n"), put("apps/shop/a.ts", "1\n")]);
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
let clones = 0;
const fresh = (from = url) => cloneTo(world, from, `clone-${clones++}`);
const head = (branch = "main") => findBranch(world.workspaceId, branch);

async function write(clone: string, path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(clone, path)), { recursive: true });
  await writeFile(join(clone, path), content);
}

async function commit(clone: string, message: string, files: Record<string, string | Buffer> = {}): Promise<string> {
  for (const [path, content] of Object.entries(files)) await write(clone, path, content);
  await git(clone, "add", "--all");
  await git(clone, ...ME, "commit", "--quiet", "--allow-empty", "--message", message);
  return (await gitLines(clone, "rev-parse", "HEAD"))[0] ?? "";
}

/** Returns git's message for a push that is refused. */
async function refusal(clone: string, ...args: string[]): Promise<string> {
  try {
    await git(clone, "push", ...args);
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
  throw new Error("The push was taken.");
}

/** Creates commits on top of a clone's main, one file each. */
async function fastImport(clone: string, changes: readonly { path: string; text: string }[]): Promise<void> {
  const stream = changes.map(
    ({ path, text }, n) =>
      `commit refs/heads/main\ncommitter Bo <bo@example.com> ${1_700_000_000 + n} +0000\ndata 4\nOurs\n${
        n === 0 ? "from refs/heads/main^0\n" : ""
      }M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  await new Promise<void>((resolve, reject) => {
    const child = execFile("git", ["-C", clone, "fast-import", "--quiet"], (error) =>
      error ? reject(error) : resolve(),
    );
    child.stdin?.end(stream.join(""));
  });
  await git(clone, "reset", "--quiet", "--hard");
}

/** Maximum processor time of the server for one push, in ms; an idle machine uses 800 to 3,000. */
const PUSH_MS_MAX = 10_000;

async function expectBounded(work: () => Promise<unknown>): Promise<void> {
  expect(await processorTimeOf(work)).toBeLessThan(PUSH_MS_MAX);
}

const sound = () => withExport(world.workspaceId, async () => undefined);

describe("a push by stock git", () => {
  it("by an admin moves main, and its commits are in the file's history", async () => {
    const clone = await fresh();
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`apps/shop/${n}.ts`, `export default ${n}\n`]),
    );
    await commit(clone, "Forty files", files);
    const sha = await commit(clone, "By hand", { "apps/shop/a.ts": "2\n", "README.md": "# Hi\n", ".gitignore": "x\n" });
    await git(clone, "push", "--quiet", "origin", "main");
    expect(await head()).toBe(sha);
    const { items } = await historyOf({ repositoryId: world.workspaceId, path: "apps/shop/a.ts" });
    expect(items.map(({ subject }) => subject)).toEqual(["By hand", "First"]);
    await sound();
    await fresh();
  });

  it("creates, resets and deletes the key's own branch only", async () => {
    const clone = await fresh(memberUrl);
    const branch = `user/${member.id}`;
    const first = await commit(clone, "Draft", { "consoles/b.sql": "select 2\n", "apps/shop/a.ts": "draft\n" });
    await git(clone, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    expect(await head(branch)).toBe(first);
    await git(clone, "reset", "--quiet", "--hard", "HEAD~1");
    const second = await commit(clone, "Another draft", { "apps/shop/a.ts": "other\n" });
    expect(await refusal(clone, "origin", `HEAD:refs/heads/${branch}`)).toContain("rejected");
    await git(clone, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
    expect(await head(branch)).toBe(second);
    await sound();
    for (const ref of [
      "refs/heads/main",
      `refs/heads/${mine}`,
      "refs/heads/new",
      "refs/heads/con",
      "refs/heads/review",
      "refs/heads/review/aux",
      "refs/heads/review/a/b",
      "refs/tagss/review/a",
      "refs/tags/v1",
      "HEAD",
    ]) {
      expect([ref, await refusal(clone, "--force", "origin", `HEAD:${ref}`)]).toEqual([
        ref,
        expect.stringMatching(/only admins can push to main|allowed branches are main/),
      ]);
    }
    await git(clone, "push", "--quiet", "origin", "--delete", branch);
    expect(await head(branch)).toBeNull();
    expect((await listHeads(world.workspaceId)).map(({ name }) => name)).toEqual(["main"]);
  });

  it("accepts documentation, images, settings and attributes", async () => {
    const clone = await fresh();
    const sha = await commit(clone, "Documents", {
      "docs/guide/readme.txt": "Über\n",
      "docs/guide/logo.png": Buffer.of(0x89, 0x50, 0, 0xff),
      "docs/logo.svg": "<svg/>",
      ".millrace/notes.yaml": "a: 1\n",
      ".gitattributes": "*.sql text eol=lf\n",
    });
    await git(clone, "push", "--quiet", "origin", "main");
    expect(await head()).toBe(sha);
    await sound();
    await fresh();
  });

  it("with -o dry-run is validated, and moves no branch here or there", async () => {
    const clone = await fresh();
    const before = await listHeads(world.workspaceId);
    const [tracked] = await gitLines(clone, "rev-parse", "origin/main");
    await commit(clone, "Dry", { "apps/shop/dry.ts": "1\n" });
    const refs = ["main", `HEAD:refs/heads/${mine}`, "HEAD:refs/heads/review/dry"];
    const { stderr } = await git(clone, "push", "-o", "dry-run", "origin", ...refs);
    expect(stderr).toContain("Dry run: the push is valid. Nothing was changed.");
    expect(await listHeads(world.workspaceId)).toEqual(before);
    expect(await gitLines(clone, "rev-parse", "origin/main")).toEqual([tracked]);
    expect(await gitLines(clone, "branch", "--remotes", "--list", "origin/review/*")).toEqual([]);
    const old = ["-c", "protocol.version=0"];
    await git(clone, ...old, "push", "-o", "dry-run", "origin", "main");
    await commit(clone, "Bad", { "consoles/x.txt": "1" });
    expect(await refusal(clone, "-o", "dry-run", "origin", "main")).toMatch(/consoles\/x\.txt is not a console/);
    expect(await listHeads(world.workspaceId)).toEqual(before);
  });

  describe("to a review branch", () => {
    it("by any member is visible to all, moves forward only, and is deleted by its creator or an admin", async () => {
      const clone = await fresh(memberUrl);
      const first = await commit(clone, "Review", { "apps/shop/review.ts": "1\n" });
      await git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/a");
      expect(await head("review/a")).toBe(first);
      const other = await fresh();
      expect(await gitLines(other, "rev-parse", "origin/review/a")).toEqual([first]);
      // Everyone continues it, also by a merge.
      await git(other, "checkout", "--quiet", "review/a");
      await git(other, ...ME, "merge", "--quiet", "--no-ff", "--no-edit", "origin/main");
      const second = await commit(other, "Continue", { "apps/shop/review.ts": "2\n" });
      await git(other, "push", "--quiet", "origin", "review/a");
      expect(await head("review/a")).toBe(second);
      await commit(clone, "Rewrite", { "apps/shop/review.ts": "3\n" });
      expect(await refusal(clone, "--force", "origin", "HEAD:refs/heads/review/a")).toContain("can't be rewritten");

      const stranger = world.urlFor(await world.keyOf(await seedMember(world.owner.workspaceId, "member")));
      await git(clone, "remote", "add", "stranger", stranger);
      await git(clone, "fetch", "--quiet", "stranger");
      expect(await refusal(clone, "stranger", "--delete", "review/a")).toContain("only admins and its creator");
      await git(clone, "push", "--quiet", "origin", "--delete", "review/a");
      await git(clone, "push", "--quiet", "origin", "HEAD~1:refs/heads/review/a");
      await git(other, "push", "--quiet", "origin", "--delete", "review/a");
      expect(await head("review/a")).toBeNull();
      await sound();
    });

    it("is validated like one to main", async () => {
      const clone = await fresh(memberUrl);
      await commit(clone, "Bad", { "consoles/x.txt": "1" });
      expect(await refusal(clone, "origin", "HEAD:refs/heads/review/bad")).toMatch(/x\.txt is not a console/);
      await git(clone, "rm", "--quiet", "consoles/x.txt");
      const source = { connectionId: "0".repeat(24), query: "select 1" };
      const datasets = [{ id: "d", name: "d", source, maxAgeS: null }];
      const board = { title: "x", description: "", datasets, widgets: [], filters: [] };
      await commit(clone, "Foreign", { "dashboards/x.json": JSON.stringify(board) });
      expect(await refusal(clone, "origin", "HEAD:refs/heads/review/bad")).toMatch(/Connection not found/);
      expect(await head("review/bad")).toBeNull();
    });

    it("with a read-only key, or with another workspace's, is rejected", async () => {
      const clone = await fresh();
      await commit(clone, "Read", { "apps/shop/read.ts": "1\n" });
      const reading = world.urlFor(await world.keyOf(member, "read"));
      expect(await refusal(clone, reading, "HEAD:refs/heads/review/read")).toContain("read-only");
      const foreign = await newGitWorld();
      const key = world.urlFor(await foreign.keyOf(foreign.owner));
      expect(await refusal(clone, key, "HEAD:refs/heads/review/read")).toContain("not found");
      await foreign.end();
    });

    it("of the same name at once succeeds for one, and up to 50 fit", async () => {
      const all = await Promise.all([fresh(), fresh()]);
      for (const [n, clone] of all.entries()) await commit(clone, `${n}`, { "apps/shop/at-once.ts": `${n}\n` });
      const pushes = await Promise.allSettled(
        all.map((clone) => git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/at-once")),
      );
      expect(pushes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const [clone = ""] = all;
      expect(await refusal(clone, "origin", "HEAD:refs/heads/review/AT-once")).toContain("conflicts with");
      expect(await refusal(clone, "origin", "HEAD:refs/heads/review/at-once/b")).toContain("rejected");
      const sha = (await head()) ?? "";
      const names = Array.from({ length: REVIEWS_MAX - 1 }, (_, n) => `review/n${n}`);
      for (const name of names) await moveHead(world.workspaceId, name, null, sha);
      expect(await refusal(clone, "origin", "HEAD:refs/heads/review/one-more")).toContain(
        "Limit of 50 review branches",
      );
      for (const name of names) await removeHead(world.workspaceId, name, sha);
      await git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/one-more");
      await git(clone, "push", "--quiet", "origin", "--delete", "review/one-more", "review/at-once");
    });
  });

  it("of a merge with a path of private items is rejected completely", async () => {
    const clone = await fresh();
    const before = await head();
    await git(clone, "checkout", "--quiet", "-b", "side");
    await commit(clone, "Private", { [`private/${world.owner.id}/consoles/x.sql`]: "select 1\n" });
    await git(clone, "checkout", "--quiet", "main");
    await git(clone, ...ME, "merge", "--quiet", "--no-ff", "--no-edit", "side");
    expect(await refusal(clone, "origin", "main")).toContain("private is not allowed");
    expect(await head()).toBe(before);
  });

  it("never rewinds, diverts or deletes main", async () => {
    const clone = await fresh();
    const before = await head();
    await git(clone, "reset", "--quiet", "--hard", "HEAD~1");
    expect(await refusal(clone, "--force", "origin", "main")).toContain("main requires a linear history");
    await commit(clone, "Beside", { "apps/shop/z.ts": "z\n" });
    expect(await refusal(clone, "origin", "main")).toContain("rejected");
    await git(clone, ...ME, "merge", "--quiet", "--no-edit", "origin/main");
    expect(await refusal(clone, "origin", "main")).toContain("git pull --rebase");
    await git(clone, "config", "receive.denyDeletes", "false");
    expect(await refusal(clone, "origin", "--delete", "main")).toContain("main can't be deleted");
    expect(await head()).toBe(before);
    await git(clone, ...ME, "rebase", "--quiet", "origin/main");
    await git(clone, "push", "--quiet", "origin", "main");
    await sound();
  });

  it("with a read-only key, or a foreign one, is rejected with the reason", async () => {
    const clone = await fresh();
    await commit(clone, "Nothing", { "apps/shop/q.ts": "q\n" });
    const reading = world.urlFor(await world.keyOf(world.owner, "read"));
    expect(await refusal(clone, reading, "main")).toContain("This API key is read-only");
    const other = await newGitWorld();
    const foreign = world.urlFor(await other.keyOf(other.owner));
    expect(await refusal(clone, foreign, "main")).toContain("not found");
    await other.end();
  });

  /** Nine anchors, each ten times the one before. */
  const ALIASES = Array.from({ length: 9 }, (_, n) => {
    const before = n === 0 ? "x" : `*a${n - 1}`;
    return `  a${n}: &a${n} [${Array(10).fill(before).join(",")}]\n`;
  }).join("");
  const BAD: [string, Record<string, string | Buffer>, RegExp][] = [
    ["a path outside of the folders", { "src/a.ts": "1" }, /src is not allowed/],
    ["a file at the top", { "notes.md": "1" }, /notes\.md is not allowed/],
    ["names that differ by case alone", { "apps/shop/B.ts": "1", "apps/shop/b.ts": "2" }, /same name on some systems/],
    ["a name with control characters", { "apps/shop/a\u0007b": "1" }, /control or direction characters/],
    ["a terminal's commands in a top name", { "a\u001b[2J\nok": "1" }, /a\\u001b\[2J\\u000aok": .*control/],
    ["a terminal's commands in a name", { "apps/shop/a\u001b[2J\u009b": "1" }, /a\\u001b\[2J\\u009b": .*control/],
    [
      "a terminal's commands in a field",
      { "dashboards/x.json": '{"\u202e\u009b2J": 1}' },
      /\\u202e\\u009b2J|is not a valid dashboard/,
    ],
    ["a name that belongs to git", { "apps/shop/.gitmodules": "1" }, /belongs to git/],
    ["attributes that could run filters", { "apps/shop/.gitattributes": "* filter=x" }, /belongs to git/],
    ["C21 a name that Windows reserves", { "apps/shop/aux.ts": "1" }, /"apps\/shop\/aux\.ts": .*that Windows reserves/],
    ["C21 a folder that Windows reserves", { "consoles/NUL/x.sql": "1" }, /name that Windows reserves/],
    ["C21 a colon in its name", { "consoles/a:b.sql": "1" }, /must not contain </],
    ["a folder that nothing reads", { "queries/a.yaml": "1" }, /queries is not allowed.*docs\/ \.millrace\//],
    ["documentation that is neither text nor an image", { "docs/a.bin": Buffer.of(0, 1) }, /is not UTF-8 text, and/],
    ["a setting that is not text", { ".millrace/a": Buffer.of(0xff) }, /\.millrace\/a is not UTF-8 text/],
    ["an attribute line over 2 KiB", { ".gitattributes": "a".repeat(2048) }, /has a line over 2048 bytes/],
    ["an app's file beside the apps", { "apps/loose.ts": "1" }, /is not in an app/],
    ["a console that is none", { "consoles/x.txt": "1" }, /consoles\/x\.txt is not a console/],
    [
      "a console over 4 MiB",
      { "consoles/x.sql": Buffer.alloc(5 * 1024 * 1024, "-") },
      /x\.sql is too large\. Files in consoles\/ are limited to 4 MiB\./,
    ],
    ["a console that is no text", { "consoles/x.sql": Buffer.of(0xff, 0xfe) }, /is not valid UTF-8/],
    [
      "front matter whose aliases expand",
      { "consoles/x.sql": `/* ---\nvariables:\n${ALIASES}--- */\n` },
      /x\.sql is not a valid console \(line 2\): YAML anchors and aliases are not supported/,
    ],
    [
      "front matter of 50,000 levels",
      { "consoles/x.sql": `/* ---\nchart: ${"[".repeat(50_000)}${"]".repeat(50_000)}\n--- */\n` },
      /x\.sql is not a valid console \(line 2\): Invalid YAML: more than 100 levels/,
    ],
    [
      "a dashboard that is no JSON",
      { "dashboards/x.json": '{\n  "title": "x",\n  oops\n}\n' },
      /dashboards\/x\.json is not valid JSON \(line 3, column 3\)/,
    ],
    [
      "a dashboard that is a list",
      { "dashboards/x.json": "[]" },
      /x\.json is not a valid dashboard: Must be an object/,
    ],
    ["a dashboard that lacks its parts", { "dashboards/x.json": "{}" }, /dashboards\/x\.json is not a valid dashboard/],
    [
      "files over 25 MB",
      { "apps/shop/huge": Buffer.alloc(26 * 1024 * 1024), "docs/deep/a/b.csv": Buffer.alloc(60 * 1024 * 1024, "1") },
      /(?=.*apps\/shop\/huge \(26 MiB\))(?=.*docs\/deep\/a\/b\.csv \(60 MiB\)).* are larger than 25 MiB/,
    ],
  ];
  for (const { tags, cases } of splitCases(BAD, 2))
    it.each(cases)(
      "with %s is rejected completely, with the reason (T87, T88, T90)",
      { tags },
      async (_, files, reason) => {
        const clone = await fresh();
        const before = await listHeads(world.workspaceId);
        await commit(clone, "Good", { "apps/shop/good.ts": "good\n" });
        await commit(clone, "Bad", files);
        for (const branch of [`refs/heads/${mine}`, "refs/heads/main"]) {
          const shown = await refusal(clone, "origin", `HEAD:${branch}`);
          expect(shown).toMatch(reason);
          // The terminal would obey these.
          expect(shown).not.toMatch(/(?![\n\r\t])\p{Cc}|[\u202a-\u202e]/u);
        }
        expect(await listHeads(world.workspaceId)).toEqual(before);
      },
    );

  describe("C21 to a branch from before names were checked", () => {
    const OLD = ["apps/shop/aux.ts", "apps/shop/nul/deep/x.ts", "consoles/a:b.sql", "consoles/COM1/q.sql"];
    /** Recreates the branch with these files, and returns a clone that has it checked out. */
    const oldBranch = async (paths: readonly string[]): Promise<string> => {
      const clone = await fresh();
      await git(clone, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${mine}`);
      const changes = paths.map((path) => put(path, "select 1\n"));
      await world.save("From before", [put("apps/shop/plain.ts", "1\n"), ...changes], mine);
      await git(clone, "pull", "--quiet", "origin", mine);
      return clone;
    };
    const pushed = (clone: string) => git(clone, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${mine}`);

    for (const { tags, cases } of splitCases(OLD, OLD.length))
      it.each(cases)(
        "accepts a commit that does not touch %s, one that changes it and one that deletes it",
        { tags },
        async (path) => {
          const clone = await oldBranch([path]);
          await commit(clone, "Beside", { "apps/shop/beside.ts": "1\n" });
          await pushed(clone);
          await commit(clone, "Change", { [path]: "select 2\n" });
          await pushed(clone);
          await git(clone, "rm", "--quiet", path);
          const sha = await commit(clone, "Delete");
          await pushed(clone);
          expect(await head(mine)).toBe(sha);
        },
      );

    it("accepts new files of other names in its folders", { tags: ["long"] }, async () => {
      const clone = await oldBranch(OLD);
      const sha = await commit(clone, "Beside", { "apps/shop/nul/deep/y.ts": "1\n", "apps/shop/nul/new/z.ts": "1\n" });
      await pushed(clone);
      expect(await head(mine)).toBe(sha);
    });

    const OTHERS = [
      ["another old name", "apps/shop/con.ts"],
      ["a folder of an old name in another one", "apps/other/nul/x.ts"],
      ["another one in a folder of an old name", "apps/shop/nul/prn.ts"],
      ["the same name in another folder", "apps/other/aux.ts"],
    ] as const;
    for (const { tags, cases } of splitCases(OTHERS, 2))
      it.each(cases)("rejects %s", { tags }, async (_, path) => {
        const clone = await oldBranch(OLD);
        const before = await head(mine);
        await commit(clone, "New", { [path]: "select 1\n" });
        expect(await refusal(clone, "origin", `HEAD:refs/heads/${mine}`)).toMatch(/name that Windows reserves/);
        expect(await head(mine)).toBe(before);
      });

    it("rejects its old names on main, and on the branch once it has been deleted", async () => {
      const clone = await oldBranch(OLD);
      expect(await refusal(clone, "origin", "HEAD:refs/heads/main")).toMatch(/Windows reserves|must not contain/);
      await git(clone, "push", "--quiet", "origin", "--delete", mine);
      expect(await refusal(clone, "origin", `HEAD:refs/heads/${mine}`)).toMatch(/Windows reserves|must not contain/);
    });
  });

  it("with symbolic links, submodules or reserved headers is rejected (T88)", async () => {
    const linked = await fresh();
    await symlink("/etc/passwd", join(linked, "apps/shop/passwd"));
    await commit(linked, "Link");
    expect(await refusal(linked, "origin", "main")).toContain("is a symbolic link");
    const nested = await fresh();
    await git(nested, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},apps/shop/sub`);
    await git(nested, ...ME, "commit", "--quiet", "--message", "Submodule");
    expect(await refusal(nested, "origin", "main")).toContain("is a submodule");
    // A commit with the header lines for file ids, which only the product may write.
    const forged = await fresh();
    const [tree = "", parent = ""] = await gitLines(forged, "rev-parse", "HEAD^{tree}", "HEAD");
    const me = "Bo <bo@example.com> 1700000000 +0000";
    const lines = [
      `tree ${tree}`,
      `parent ${parent}`,
      `author ${me}`,
      `committer ${me}`,
      "millrace-file x\tapps/shop/a.ts",
      "",
      "Forged",
    ];
    await writeFile(join(forged, ".git", "forged"), `${lines.join("\n")}\n`);
    const [sha = ""] = await gitLines(forged, "hash-object", "-t", "commit", "-w", ".git/forged");
    expect(await refusal(forged, "origin", `${sha}:refs/heads/main`)).toContain("is reserved");
    const tagged = await fresh();
    await git(tagged, ...ME, "tag", "--annotate", "v1", "--message", "v1");
    expect(await refusal(tagged, "origin", "v1")).toContain("rejected");
  });

  it("whose commits change half a million files in all, or have 101 parents or 600 folders, is rejected", {}, async () => {
    const clone = await fresh();
    const input = (args: string[], text: string) =>
      execFileSync("git", ["-C", clone, ...args], { input: text, encoding: "utf8" }).trim();
    const commitOf = (more: string) =>
      `commit refs/heads/bomb\ncommitter Bo <bo@example.com> 1700000000 +0000\ndata 0\n${more}\n`;
    const files = (name: string) =>
      Array.from({ length: 2_000 }, (_, n) => `M 100644 :1 apps/shop/${name}-${n}.ts\n`).join("");
    const states = [`from refs/heads/main^0\ndeleteall\n${files("a")}`, `deleteall\n${files("b")}`];
    input(["fast-import", "--quiet"], `blob\nmark :1\ndata 1\nx\n${states.map(commitOf).join("")}`);
    const trees = await gitLines(clone, "rev-parse", "bomb~1^{tree}", "bomb^{tree}");
    // Each commit only names one of the two trees: 15 MB of history in a pack of 30 KB.
    const turns = Array.from({ length: 200 }, (_, n) =>
      commitOf(`${n === 0 ? "from refs/heads/bomb^0\n" : ""}M 040000 ${trees[n % 2]} ""\n`),
    );
    input(["fast-import", "--quiet"], turns.join(""));
    const person = "Bo <bo@example.com> 1700000000 +0000";
    const [parent] = await gitLines(clone, "rev-parse", "main");
    const head = `tree ${trees[0]}\n${`parent ${parent}\n`.repeat(101)}author ${person}\ncommitter ${person}\n\nMany\n`;
    const many = input(["hash-object", "-t", "commit", "-w", "--stdin"], head);
    // The second commit removes what the first one adds.
    const deep = ["apps/shop", ...Array.from({ length: 600 }, () => "d"), "x.ts"].join("/");
    const both = [`from refs/heads/main^0\nM 100644 inline ${deep}\ndata 1\nx\n`, `D ${deep}\n`].map(commitOf);
    input(["fast-import", "--quiet"], both.join("").replaceAll("heads/bomb", "heads/deep"));
    for (const ref of ["main", `refs/heads/${mine}`, "refs/heads/review/bomb"]) {
      expect(await refusal(clone, "origin", `bomb:${ref}`)).toContain("change too many files. Push in parts");
      expect(await refusal(clone, "origin", `${many}:${ref}`)).toContain("more than 100 parents");
      expect(await refusal(clone, "origin", `deep:${ref}`)).toContain("more than 500 folders");
    }
  });

  it("of 40 MB arrives byte for byte, in pieces and without a length", { tags: ["long"] }, async () => {
    const clone = await fresh();
    const parts = Array.from(
      { length: 2 },
      (_, n) => [`apps/shop/part-${n}.bin`, randomBytes(20 * 1024 * 1024)] as const,
    );
    await commit(clone, "Large", Object.fromEntries(parts));
    await git(clone, "push", "--quiet", "origin", "main");
    const other = await fresh();
    for (const [path] of parts) {
      expect(await gitLines(other, "rev-parse", `HEAD:${path}`)).toEqual(
        await gitLines(clone, "rev-parse", `HEAD:${path}`),
      );
    }
  });

  it("of more than 64 MiB is rejected with a message", { tags: ["long"] }, async () => {
    const clone = await fresh();
    const before = await head();
    const parts = Array.from(
      { length: 4 },
      (_, n) => [`apps/shop/more-${n}.bin`, randomBytes(18 * 1024 * 1024)] as const,
    );
    await commit(clone, "Too large", Object.fromEntries(parts));
    expect(await refusal(clone, "origin", "main")).toContain("limited to 64 MiB");
    expect(await head()).toBe(before);
  });

  it("of a branch diverged by 500 commits on both sides is accepted or rejected within 10 s of processor time", {
    tags: ["long"],
    timeout: 600_000,
  }, async () => {
    await world.save(
      "Wide",
      Array.from({ length: 200 }, (_, n) => put(`apps/wide/f${n}.ts`, `${n}\n`)),
    );
    const [clone, theirs] = [await fresh(), await fresh()];
    const base = await head();
    const changes = (whose: string, from: number) =>
      Array.from({ length: 500 }, (_, n) => ({ path: `apps/wide/f${from + (n % 100)}.ts`, text: `${whose} ${n}\n` }));
    await fastImport(theirs, changes("theirs", 0));
    await expectBounded(() => git(theirs, "push", "--quiet", "origin", "main"));
    await fastImport(clone, changes("ours", 100));
    const [tip = ""] = await gitLines(clone, "rev-parse", "HEAD");
    // Main never moves back; git reports it before it sends anything.
    expect(await refusal(clone, "origin", "main")).toContain("fetch first");

    await expectBounded(() => git(clone, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${mine}`));
    expect(await head(mine)).toBe(tip);
    await git(clone, ...ME, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main");
    await expectBounded(async () => expect(await refusal(clone, "origin", "main")).toContain("git pull --rebase"));
    // Commits as a rebase creates them; git itself needs minutes for that many on a busy machine.
    await git(clone, "reset", "--quiet", "--hard", "origin/main");
    await fastImport(clone, changes("ours", 100));
    await expectBounded(() => git(clone, "push", "--quiet", "origin", "main"));
    expect(await head()).toBe((await gitLines(clone, "rev-parse", "HEAD"))[0]);
    expect(await gitLines(clone, "rev-list", "--count", `${base}..HEAD`)).toEqual(["1000"]);
    const other = await fresh();
    expect(await gitLines(other, "rev-parse", "HEAD^{tree}")).toEqual(
      await gitLines(clone, "rev-parse", "HEAD^{tree}"),
    );
    await sound();
    await git(clone, "push", "--quiet", "origin", "--delete", mine);
  });

  it("of two branches with --atomic fails if one is rejected", async () => {
    const clone = await fresh();
    const before = await listHeads(world.workspaceId);
    await commit(clone, "Both", { "apps/shop/both.ts": "both\n" });
    const elsewhere = "HEAD:refs/heads/elsewhere";
    expect(await refusal(clone, "--atomic", "origin", `HEAD:refs/heads/${mine}`, elsewhere)).toContain("rejected");
    expect(await listHeads(world.workspaceId)).toEqual(before);
    await git(clone, "push", "--quiet", "--atomic", "origin", "main", `HEAD:refs/heads/${mine}`);
    expect(await head()).toBe(await head(mine));
    // Without that, the branch that can move does.
    const sha = await commit(clone, "One", { "apps/shop/both.ts": "one\n" });
    expect(await refusal(clone, "origin", `HEAD:refs/heads/${mine}`, elsewhere)).toContain("allowed branches are main");
    expect(await head(mine)).toBe(sha);
  });

  it("of two to main at once succeeds for one; the other must fetch", async () => {
    const all = await Promise.all(Array.from({ length: 3 }, () => fresh()));
    const shas = await Promise.all(
      all.map((clone, n) => commit(clone, `At once ${n}`, { [`apps/shop/once-${n}.ts`]: "1\n" })),
    );
    const outcomes = await Promise.allSettled(all.map((clone) => git(clone, "push", "origin", "main")));
    const won = outcomes.flatMap(({ status }, n) => (status === "fulfilled" ? [shas[n]] : []));
    expect(won).toEqual([await head()]);
    await sound();
  });

  it("that is killed changes nothing, and can be retried", async () => {
    const clone = await fresh();
    const before = await head();
    await commit(clone, "Cut off", { "apps/shop/cut.bin": randomBytes(12 * 1024 * 1024) });
    const child = execFile("git", ["-C", clone, "push", "--progress", "origin", "main"]);
    await new Promise<void>((resolve) => {
      child.stderr?.on("data", (text: string) => {
        if (/Writing objects:\s+[1-9]/.test(text)) resolve();
      });
      child.on("exit", () => resolve());
    });
    child.kill("SIGKILL");
    // The push may have completed, or may complete now through git's own processes; it is never half done.
    await sound();
    const [sha] = await gitLines(clone, "rev-parse", "HEAD");
    expect([before, sha]).toContain(await head());
    const again = () => git(clone, "push", "--quiet", "origin", "main").catch(() => {});
    await expect.poll(async () => [await again(), await head()][1], { timeout: 60_000 }).toBe(sha);
    await sound();
  });

  it("from a shallow clone is accepted", { tags: ["long"] }, async () => {
    const clone = await cloneTo(world, url, "shallow-push", "--depth", "1");
    const sha = await commit(clone, "From little", { "apps/shop/little.ts": "1\n" });
    await git(clone, "push", "--quiet", "origin", "main");
    expect(await head()).toBe(sha);
    await sound();
  });

  it("that would unpack to 10 GB is stopped before, and leaves nothing (T90)", { tags: ["long"] }, async () => {
    const before = (await head()) ?? "";
    const count = () => collections.gitObjects().countDocuments({ workspaceId: world.workspaceId });
    const stored = await count();
    // Each of 450 files is 24 MiB of zeros, or 24 KiB packed: 10 MB in all.
    const zeros = Buffer.alloc(24 * 1024 * 1024);
    const entry = Buffer.concat([entryHead("blob", zeros.length), deflateSync(zeros)]);
    const body = Buffer.concat([packHead(450), ...Array.from({ length: 450 }, () => entry)]);
    const pack = Buffer.concat([body, createHash("sha1").update(body).digest()]);
    const command = `${before} ${"1".repeat(40)} refs/heads/main\0report-status\n`;
    const line = (command.length + 4).toString(16).padStart(4, "0") + command;
    const held = process.memoryUsage().rss;
    const response = await fetch(`${world.base}/${world.slug}.git/git-receive-pack`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`x:${new URL(url).password}`).toString("base64")}`,
        "content-type": "application/x-git-receive-pack-request",
      },
      body: Buffer.concat([Buffer.from(`${line}0000`), pack]),
    });
    expect(await response.text()).toContain("A push is limited to 500 MiB");
    expect(pack.length).toBeGreaterThan(10_000_000);
    expect(process.memoryUsage().rss - held).toBeLessThan(700 * 1024 * 1024);
    expect([await head(), await count()]).toEqual([before, stored]);
  });

  it("leaves the same history after a rebuild of the index", { tags: ["long"] }, async () => {
    const story = async () => (await historyOf({ repositoryId: world.workspaceId, path: "apps/shop/a.ts" })).items;
    const before = await story();
    await rebuildIndex(world.workspaceId);
    expect(await story()).toEqual(before);
  });
});
