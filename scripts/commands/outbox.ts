import "server-only";
import { parseArgs } from "node:util";
import { listWaitingAccountMails, readKeptText } from "@/lib/platform/mail/account-mail";
import type { MailDoc } from "@/lib/platform/mail/model";
import { openStore } from "./open-store";

const SHOWN_DEFAULT = 20;
const SHOWN_MAX = 200;
const RULE = "-".repeat(72);

/**
 * Runs `npm run outbox`: prints the mails to accounts, such as reset links, that no mail service has accepted, newest
 * first. They belong to no workspace, so no page shows them; anyone with this installation's keys may see them.
 * @returns the exit code
 */
export async function outboxCommand(args: string[], print: (line: string) => void): Promise<number> {
  const limit = readLimit(args);
  const stop = await openStore();
  try {
    const mails = await listWaitingAccountMails(limit);
    for (const line of toLines(mails)) print(line);
    return 0;
  } finally {
    await stop();
  }
}

/** @throws Error with a code of parseArgs, whose message says what to do */
function readLimit(args: string[]): number {
  const { values } = parseArgs({ args, options: { limit: { type: "string" } }, strict: true });
  if (values.limit === undefined) return SHOWN_DEFAULT;
  const limit = Number(values.limit);
  if (Number.isInteger(limit) && limit >= 1 && limit <= SHOWN_MAX) return limit;
  throw Object.assign(new Error(`--limit must be a number from 1 to ${SHOWN_MAX}.`), {
    code: "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
  });
}

function toLines(mails: MailDoc[]): string[] {
  if (mails.length === 0) return ["No account emails in the outbox."];
  return mails.flatMap(({ _id, createdAt, to, subject, text, status, error }) => [
    RULE,
    `${createdAt.toISOString()}  to ${visible(to.join(", "))}`,
    `${visible(subject)}  (${status}${error ? `: ${visible(error)}` : ""})`,
    "",
    readKeptText({ _id, text }).split("\n").map(visible).join("\n").trim(),
    "",
  ]);
}

/** Replaces control characters, which a terminal obeys and a name may contain. */
function visible(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
