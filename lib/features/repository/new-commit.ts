import { AppError } from "@/lib/platform/http/errors";
import { type Commit, type FileHeader, type GitObject, makeCommit, type Signature } from "./git-objects";
import { MAX_MESSAGE_BYTES } from "./limits";

export type Author = { name: string; email: string };

/**
 * Maximum time by which a parent's date may be ahead of this server's clock and still count, in seconds. A pushed commit
 * may name any date: one of the year 5000 must not date all later ones.
 */
const AHEAD_MAX_S = 24 * 60 * 60;
/** Characters that would end a field of git's signature line, or be invisible in it. */
const NOT_IN_SIGNATURE = /[\p{Cc}<>\u2028\u2029]/gu;
const NOT_IN_MESSAGE = /[\p{Cc}--[\t\n]]/gv;

/**
 * Returns a commit on top of `parents`. Its date is not before a parent's, even if the servers' clocks differ, so that
 * newest first is also the order of landing (F9).
 */
export function newCommit(input: {
  tree: string;
  parents: { oid: string; commit: Commit }[];
  author: Author;
  message: string;
  files?: FileHeader[];
  change?: number | null;
  now: Date;
}): GitObject {
  const now = Math.floor(input.now.getTime() / 1000);
  const dates = input.parents.map(({ commit }) => commit.committer.seconds);
  const seconds = Math.max(now, ...dates.filter((date) => date <= now + AHEAD_MAX_S));
  const signature: Signature = { ...cleanAuthor(input.author), seconds, zone: "+0000" };
  return makeCommit({
    tree: input.tree,
    parents: input.parents.map(({ oid }) => oid),
    author: signature,
    committer: signature,
    message: input.message,
    files: input.files ?? [],
    change: input.change ?? null,
  });
}

/**
 * Returns the message in git's form: Unix line ends, one at the end, no control characters except tabs.
 * @throws AppError invalid_request if it is blank or too long
 */
export function cleanMessage(message: string): string {
  const text = message.toWellFormed().replace(/\r\n?/g, "\n").replace(NOT_IN_MESSAGE, "").trim();
  if (text === "") throw badMessage("Enter a commit message.");
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) throw badMessage("The message is too long. Shorten it.");
  return `${text}\n`;
}

function badMessage(message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path: "message", message }] });
}

function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) => text.toWellFormed().replace(NOT_IN_SIGNATURE, " ").replace(/\s+/g, " ").trim();
  const address = clean(email).replaceAll(" ", "");
  return { name: clean(name) || address || "Unknown", email: address };
}
