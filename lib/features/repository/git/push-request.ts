import { AppError } from "@/lib/platform/http/errors";
import { PktReader, textOf } from "./pkt-line";

/** One branch's part of a push; null means that the branch does not exist before or after. */
export type Command = { ref: string; before: string | null; after: string | null };
export type PushRequest = {
  commands: Command[];
  capabilities: ReadonlySet<string>;
  /** Options of `git push -o`. */
  options: ReadonlySet<string>;
  pack: Buffer;
};

const NOTHING = "0".repeat(40);
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0]+)(?:\0(.*))?$/s;
/** Maximum number of branches in one push: main, the user's own one and some reviews. */
const COMMANDS_MAX = 16;
/** There is one option. Others are ignored, as git servers do. */
const OPTIONS_MAX = 16;

/** Null for a message without a command, by which git tests its access. @throws AppError */
export function parsePush(bytes: Buffer): PushRequest | null {
  const reader = new PktReader(bytes);
  const commands: Command[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  for (let packet = reader.next(); packet?.kind !== "flush"; packet = reader.next()) {
    if (packet?.kind !== "line") throw bad("The push is truncated.");
    const text = textOf(packet.data);
    // The end of a shallow clone: the full history is here.
    if (/^shallow [0-9a-f]{40}$/.test(text)) continue;
    const [, before = "", after = "", ref = "", words] = COMMAND.exec(text) ?? [];
    if (ref === "" || commands.length >= COMMANDS_MAX) throw bad("The push has no branch, or too many.");
    if (words !== undefined) capabilities = new Set(words.split(" ").filter(Boolean));
    if (commands.some((other) => other.ref === ref)) throw bad(`Duplicate ref ${ref} in the push.`);
    commands.push({ ref, before: before === NOTHING ? null : before, after: after === NOTHING ? null : after });
  }
  if (commands.length === 0) return null;
  const options = capabilities.has("push-options") ? readOptions(reader) : new Set<string>();
  return { commands, capabilities, options, pack: reader.rest() };
}

function readOptions(reader: PktReader): Set<string> {
  const options = new Set<string>();
  for (let packet = reader.next(); packet?.kind !== "flush"; packet = reader.next()) {
    if (packet?.kind !== "line" || options.size >= OPTIONS_MAX) throw bad("The push has invalid options.");
    options.add(textOf(packet.data));
  }
  return options;
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
