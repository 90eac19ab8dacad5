import { AppError } from "@/lib/platform/http/errors";
import { PktReader, textOf } from "./pkt-line";

/** One branch's part of a push; null means that the branch does not exist before or after. */
export type Command = { ref: string; before: string | null; after: string | null };
export type PushRequest = { commands: Command[]; capabilities: ReadonlySet<string>; pack: Buffer };

const NOTHING = "0".repeat(40);
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0]+)(?:\0(.*))?$/s;
/** Maximum number of commands; a key may push to two branches. */
const COMMANDS_MAX = 16;

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
  return commands.length === 0 ? null : { commands, capabilities, pack: reader.rest() };
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
