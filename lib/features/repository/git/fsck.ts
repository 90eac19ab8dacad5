import { isUtf8 } from "node:buffer";
import { ATTRIBUTES_FILE, collisionKey, parsePath } from "@/lib/features/repository/service";
import { AppError } from "@/lib/platform/http/errors";
import { MAX_COMMIT_OBJECT_BYTES, MAX_PARENTS } from "./limits";
import { named, toPrintable } from "./printable";

export type Link = { name: string; oid: string; kind: "tree" | "blob" };

const OID_BYTES = 20;
const NO_OBJECT = "0".repeat(40);
/** Number of names whose keys are cached: folders recur in each of their versions. */
const NAMES_MAX = 200_000;
const PERSON = "[^<>\\n\\0]* <[^<>\\n\\0]*> (?:0|[1-9][0-9]{0,10}) [+-][0-9]{4}";
const COMMIT = new RegExp(
  `^tree ([0-9a-f]{40})\\n((?:parent [0-9a-f]{40}\\n)*)author ${PERSON}\\ncommitter ${PERSON}\\n((?:[^\\n\\0]+\\n)*)(?:\\n|$)`,
);

/** Git's own checks of one push, and the additional rules for our paths (T87, T88). */
export class Fsck {
  private readonly keys = new Map<string, string>();

  /** @returns the folder's entries @throws AppError invalid_request */
  tree(content: Buffer): Link[] {
    const links: Link[] = [];
    const taken = new Map<string, string>();
    let last: Buffer | null = null;
    for (let at = 0; at < content.length; ) {
      const space = content.indexOf(0x20, at);
      const end = space < 0 ? -1 : content.indexOf(0, space);
      const next = end + 1 + OID_BYTES;
      if (space < 0 || end < 0 || next > content.length) throw bad("A tree is truncated.");
      const bytes = content.subarray(space + 1, end);
      if (!isUtf8(bytes)) throw bad(`The name ${JSON.stringify(bytes.toString("latin1"))} is not valid UTF-8.`);
      const name = bytes.toString("utf8");
      const kind = kindOf(content.toString("latin1", at, space), name);
      const key = this.keyOf(name);
      const other = taken.get(key);
      if (other !== undefined) {
        throw bad(
          `“${toPrintable(other)}” and “${toPrintable(name)}” are the same name on some systems. Rename one of them.`,
        );
      }
      taken.set(key, name);
      const order = kind === "tree" ? Buffer.concat([bytes, Buffer.from("/")]) : bytes;
      if (last && Buffer.compare(last, order) >= 0) throw bad("The entries of a tree are out of order.");
      last = order;
      const oid = content.toString("hex", end + 1, next);
      if (oid === NO_OBJECT) throw bad(`“${toPrintable(name)}” has no object.`);
      links.push({ name, oid, kind });
      at = next;
    }
    return links;
  }

  private keyOf(name: string): string {
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    // Which level a tree has is known when its files are judged.
    if (name !== ATTRIBUTES_FILE && (name.includes("/") || named(name, () => parsePath(name)) !== name)) {
      throw bad(`The name ${JSON.stringify(name)} contains a slash or is not NFC-normalised.`);
    }
    const key = collisionKey(name);
    if (this.keys.size < NAMES_MAX) this.keys.set(name, key);
    return key;
  }
}

/**
 * @returns the commit's tree and parents, and whether it has lines that only the product writes
 * @throws AppError invalid_request
 */
export function checkCommit(content: Buffer): { tree: string; parents: string[]; isOurs: boolean } {
  if (content.length > MAX_COMMIT_OBJECT_BYTES) throw bad("A commit exceeds 1 MiB.");
  if (content.includes(0)) throw bad("A commit contains a NUL byte.");
  const [, tree, parents = "", headers = ""] = COMMIT.exec(content.toString("latin1")) ?? [];
  if (tree === undefined) throw bad("A commit is malformed. Run git fsck to find it.");
  if (parents.split("\n").length - 1 > MAX_PARENTS) throw bad(`A commit has more than ${MAX_PARENTS} parents.`);
  return { tree, parents: [...parents.matchAll(/[0-9a-f]{40}/g)].map(String), isOurs: /^millrace-/m.test(headers) };
}

function kindOf(mode: string, name: string): Link["kind"] {
  if (mode === "40000") return "tree";
  if (mode === "100644" || mode === "100755") return "blob";
  if (mode === "120000")
    throw bad(`“${toPrintable(name)}” is a symbolic link, which is not supported. Push the file itself.`);
  if (mode === "160000")
    throw bad(`“${toPrintable(name)}” is a submodule, which is not supported. Push the files themselves.`);
  throw bad(`“${toPrintable(name)}” has the mode ${mode}, which is not supported.`);
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
