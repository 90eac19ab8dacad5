import { expect, test } from "vitest";
import { EMPTY_TREE, parseCommit } from "./git-objects";
import { newCommit } from "./new-commit";

const NOW = 1_800_000_000;
const author = { name: "Ada", email: "ada@example.com" };
const at = (seconds: number, parents: Parameters<typeof newCommit>[0]["parents"] = []) => {
  const now = new Date(seconds * 1000);
  const { oid, content } = newCommit({ tree: EMPTY_TREE, parents, author, message: "Save\n", now });
  return { oid, commit: parseCommit(content) };
};

test.each([
  ["of an hour ahead, as of a server whose clock differs", NOW + 3600, NOW + 3600],
  ["of the past", NOW - 3600, NOW],
  ["of the year 5138, which a push may name", 99_999_999_999, NOW],
])("dates a commit after a parent %s", (_, parent, expected) => {
  expect(at(NOW, [at(parent)]).commit.committer.seconds).toBe(expected);
});
