import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { gitLines, withExport } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { storedIndex } from "@/test/fixtures/repository/stored-index";
import { type Change, changeOf, historyOf, listTree, readFile } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

/** The rules of a repository in their simplest form: files by path, and the changes to each. */
type File = { key: number; path: string; content: string; fileId: string | undefined };
type FileAction = { sha: string; status: string; path: string; previousPath: string | null; content: string | null };

const PATHS = ["a", "b", "c", "d/a", "d/b", "d/e/f", "g h", "ü"];
const step = fc.record({
  kind: fc.constantFrom("put", "put", "edit", "edit", "delete", "move", "moveEdit", "replace", "swap", "two"),
  pick: fc.nat(1_000),
  target: fc.constantFrom(...PATHS),
  hasId: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** A commit's changes, and their effect on the model once its id is known. */
type Planned = [changes: Change[], settle: (sha: string) => void];

class Model {
  files: File[] = [];
  readonly actions = new Map<number, FileAction[]>();
  private keys = 0;
  private texts = 0;

  newFile(path: string, hasId: boolean): File {
    const key = ++this.keys;
    this.actions.set(key, []);
    return { key, path, content: this.newText(), fileId: hasId ? `file-${key}` : undefined };
  }

  /** All different: git alone could not tell which of several equal files was moved. */
  newText(): string {
    return `text ${++this.texts}\n`;
  }

  at(path: string): File | undefined {
    return this.files.find((file) => file.path === path);
  }

  /** Whether a path is free: a file and a folder cannot share a name. */
  fits(path: string, leaving: File[] = []): boolean {
    return this.files
      .filter((file) => !leaving.includes(file))
      .every((file) => file.path !== path && !file.path.startsWith(`${path}/`) && !path.startsWith(`${file.path}/`));
  }

  tell(file: File, sha: string, status: string, previousPath: string | null = null): void {
    const content = status === "deleted" ? null : file.content;
    this.actions.get(file.key)?.unshift({ sha, status, path: file.path, previousPath, content });
  }
}

/** Returns the planned step; null if it does not fit the current files. */
function plan(model: Model, { kind, pick, target, hasId }: Step): Planned | null {
  const file = model.files[pick % Math.max(1, model.files.length)];
  const other = model.files[(pick >> 3) % Math.max(1, model.files.length)];
  const putNew = (): Planned | null => {
    if (!model.fits(target)) return null;
    const created = model.newFile(target, hasId);
    return [
      [put(target, created.content, created.fileId)],
      (sha) => {
        model.files.push(created);
        model.tell(created, sha, "added");
      },
    ];
  };
  const edit = (subject: File): Planned => {
    const content = model.newText();
    return [
      [put(subject.path, content, hasId ? subject.fileId : undefined)],
      (sha) => {
        subject.content = content;
        model.tell(subject, sha, "modified");
      },
    ];
  };
  const moveTo = (subject: File, content: string | undefined): Planned | null => {
    if (!model.fits(target, [subject]) || subject.path === target) return null;
    const from = subject.path;
    return [
      [move(from, target, content, subject.fileId)],
      (sha) => {
        subject.path = target;
        subject.content = content ?? subject.content;
        model.tell(subject, sha, "renamed", from);
      },
    ];
  };
  if (kind === "put" || !file || !other) return putNew();
  if (kind === "edit") return edit(file);
  if (kind === "move") return moveTo(file, undefined);
  if (kind === "moveEdit") return moveTo(file, model.newText());
  if (kind === "delete") {
    return [
      [remove(file.path)],
      (sha: string) => {
        model.files = model.files.filter((kept) => kept !== file);
        model.tell(file, sha, "deleted");
      },
    ];
  }
  if (kind === "replace") {
    const created = model.newFile(file.path, true);
    return [
      [put(file.path, created.content, created.fileId)],
      (sha: string) => {
        model.files = model.files.map((kept) => (kept === file ? created : kept));
        model.tell(file, sha, "deleted");
        model.tell(created, sha, "added");
      },
    ];
  }
  if (kind === "swap") {
    if (file === other) return null;
    const [a, b] = [file.path, other.path];
    return [
      [move(a, b, undefined, file.fileId), move(b, a, undefined, other.fileId)],
      (sha: string) => {
        file.path = b;
        other.path = a;
        model.tell(file, sha, "renamed", a);
        model.tell(other, sha, "renamed", b);
      },
    ];
  }
  const created = putNew();
  if (!created) return null;
  const edited = edit(file);
  return [
    [...created[0], ...edited[0]],
    (sha: string) => {
      created[1](sha);
      edited[1](sha);
    },
  ];
}

it("matches a simple model of files and git over random saves, moves and removals", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { repositoryId, save } = await newRepository();
      const model = new Model();
      for (const [index, each] of steps.entries()) {
        const planned = plan(model, each);
        if (!planned) continue;
        const [changes, settle] = planned;
        settle(await save(`Step ${index}`, changes));
      }
      const listed = (await listTree({ repositoryId, recursive: true })).filter(({ kind }) => kind === "file");
      expect(listed.map(({ path }) => path).toSorted()).toEqual(model.files.map(({ path }) => path).toSorted());
      for (const file of model.files) {
        const { path, fileId, key, content } = file;
        expect((await readFile({ repositoryId, path })).content.toString()).toBe(content);
        const actions = model.actions.get(key) ?? [];
        const { items } = await historyOf({ repositoryId, path });
        expect(items.map(({ sha, status, path, previousPath }) => ({ sha, status, path, previousPath }))).toEqual(
          actions.map(({ content: _, ...action }) => action),
        );
        if (fileId) expect(await historyOf({ repositoryId, fileId })).toEqual({ items, nextCursor: null });
        const last = actions[0];
        const [change] = (await changeOf({ repositoryId, path, sha: last?.sha ?? "" })).files;
        expect(change).toMatchObject({ after: content, before: actions[1]?.content ?? null });
      }
      const kept = await storedIndex(repositoryId);
      await rebuildIndex(repositoryId);
      expect(await storedIndex(repositoryId)).toEqual(kept);
      if (model.files.length === 0) return;
      await withExport(repositoryId, async (dir) => {
        const paths = await gitLines(dir, "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", "main");
        expect(paths.toSorted()).toEqual(model.files.map(({ path }) => path).toSorted());
      });
    }),
    { numRuns: 15 },
  );
});
