import { createHash } from "node:crypto";
import type { ObjectType } from "./model";

/** Git's file modes. The last two come only from foreign history; this module never writes or follows them (T88). */
export type FileMode = "100644" | "100755" | "40000" | "120000" | "160000";
export type TreeEntry = { mode: FileMode; name: string; oid: string };
export type Signature = { name: string; email: string /** Whole seconds since 1970. */; seconds: number; zone: string };

/**
 * A file's identity in a commit, in a header line that git keeps and does not show:
 * `millrace-file <id or ->TAB<path>[TAB<path before the move>]`.
 */
export type FileHeader = { fileId: string | null; path: string; from: string | null };

export type Commit = {
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
  files: FileHeader[];
  /** The number of the change that the commit belongs to, in a header line too: `millrace-change <number>`. */
  change: number | null;
};

export type GitObject = { oid: string; type: ObjectType; content: Buffer };

export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const OID_BYTES = 20;
const FILE_HEADER = "millrace-file ";
const CHANGE_HEADER = "millrace-change";
const SIGNATURE = /^(.*?) ?<([^>]*)> (-?\d+) ([+-]\d{4})$/;
const SPACE = 0x20;

export function makeObject(type: ObjectType, content: Buffer): GitObject {
  const oid = createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
  return { oid, type, content };
}

/** Returns git's id for a file's content. */
export function blobId(content: Buffer): string {
  return makeObject("blob", content).oid;
}

/** Git sorts by bytes, as if a folder's name ended with a slash. */
export function makeTree(entries: Iterable<TreeEntry>): GitObject {
  const keyed = Array.from(entries, (entry) => ({
    entry,
    key: Buffer.from(entry.mode === "40000" ? `${entry.name}/` : entry.name),
  }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  const parts = keyed.flatMap(({ entry }) => [
    Buffer.from(`${entry.mode} ${entry.name}\0`),
    Buffer.from(entry.oid, "hex"),
  ]);
  return makeObject("tree", Buffer.concat(parts));
}

export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(SPACE, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + OID_BYTES;
    if (space < 0 || end < 0 || next > content.length) throw new Error("A tree object is truncated.");
    entries.push({
      mode: parseMode(content.toString("latin1", at, space)),
      name: content.toString("utf8", space + 1, end),
      oid: content.toString("hex", end + 1, next),
    });
    at = next;
  }
  return entries;
}

export function makeCommit(commit: Commit): GitObject {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(commit.author)}`,
    `committer ${formatSignature(commit.committer)}`,
    ...commit.files.map(
      ({ fileId, path, from }) => `${FILE_HEADER}${[fileId ?? "-", path, ...(from === null ? [] : [from])].join("\t")}`,
    ),
    ...(commit.change === null ? [] : [`${CHANGE_HEADER} ${commit.change}`]),
  ];
  return makeObject("commit", Buffer.from(`${lines.join("\n")}\n\n${commit.message}`));
}

export function parseCommit(content: Buffer): Commit {
  const text = content.toString("utf8");
  const end = text.indexOf("\n\n");
  const head = end < 0 ? text : text.slice(0, end);
  const commit: Commit = {
    tree: EMPTY_TREE,
    parents: [],
    author: parseSignature(""),
    committer: parseSignature(""),
    message: end < 0 ? "" : text.slice(end + 2),
    files: [],
    change: null,
  };
  for (const line of head.split("\n")) {
    const space = line.indexOf(" ");
    const key = line.slice(0, space);
    const value = line.slice(space + 1);
    if (key === "tree") commit.tree = value;
    else if (key === "parent") commit.parents.push(value);
    else if (key === "author") commit.author = parseSignature(value);
    else if (key === "committer") commit.committer = parseSignature(value);
    else if (key === CHANGE_HEADER && /^\d{1,15}$/.test(value)) commit.change = Number(value);
    else if (line.startsWith(FILE_HEADER)) commit.files.push(...parseFileHeader(value));
  }
  return commit;
}

/** Returns the first line of a message, for lists. */
export function subjectOf(message: string): string {
  return message.trimStart().split("\n", 1)[0]?.trim() ?? "";
}

function parseMode(text: string): FileMode {
  switch (text) {
    case "100755":
    case "40000":
    case "120000":
    case "160000":
      return text;
    default:
      // Old tools wrote other permission bits for plain files.
      return "100644";
  }
}

function formatSignature({ name, email, seconds, zone }: Signature): string {
  return `${name} <${email}> ${seconds} ${zone}`;
}

function parseSignature(text: string): Signature {
  const [, name = "", email = "", seconds = "0", zone = "+0000"] = SIGNATURE.exec(text) ?? [];
  return { name, email, seconds: Number(seconds), zone };
}

function parseFileHeader(value: string): FileHeader[] {
  const [id = "-", path, from] = value.split("\t");
  return path === undefined ? [] : [{ fileId: id === "-" ? null : id, path, from: from ?? null }];
}
