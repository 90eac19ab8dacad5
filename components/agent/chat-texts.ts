import type { AgentRequest } from "@/components/agent/agent-store";
import type { AgentMessage } from "@/components/agent/chats";
import type { Outgoing } from "@/components/agent/composer";
import type { Entity } from "@/lib/base/values/fields";
import { REJECTED_SUFFIX } from "@/lib/base/values/names";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

/** Returns the message that asks the agent to fix a failed query. */
export function toFixText({ query, message, suggestions }: Extract<AgentRequest, { kind: "fix" }>): string {
  const meant = suggestions.length === 0 ? "" : ` (did you mean ${suggestions.join(", ")}?)`;
  return `Fix this error: ${message.trim()}${meant}\n\n\`\`\`sql\n${query.trim()}\n\`\`\``;
}

/** Returns a sent message as a draft. */
export function toOutgoing({ parts }: AgentMessage): Outgoing {
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    images: parts.flatMap((part) => (part.type === "file" ? [part] : [])),
  };
}

const TITLE_CHARS = 60;

/** Returns the title of a chat that the server has not named yet: the start of its first message. */
export function titleOf(messages: AgentMessage[]): string {
  const first = messages.find(({ role }) => role === "user");
  const text = first ? toOutgoing(first).text.replace(/\s+/g, " ").trim() : "";
  return text.length > TITLE_CHARS ? `${text.slice(0, TITLE_CHARS)}...` : text || "Agent";
}

/** Returns what went wrong and what to do, in the server's words if it sent any. */
export function toWords(error: Error | undefined): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfterSeconds;
    return wait === null ? error.message : `${error.message} Try again in ${formatCountOf(wait, "second")}.`;
  }
  return error?.message || "The answer was interrupted. Try again.";
}

const QUESTIONS_MAX = 4;
/** Maximum number of tables whose columns are read: a database may have thousands. */
const LOOKED_AT_MAX = 200;

/**
 * Returns questions that the columns can answer: by time, by a foreign key, by category, and counts. Tables that others
 * refer to come first, since people ask about customers and orders rather than about a log of events. Rows that an
 * import rejected are no data to ask about.
 */
export function toQuestions(entities: readonly Entity[]): string[] {
  const read = entities
    .slice(0, LOOKED_AT_MAX)
    .filter(({ name, columns }) => (columns?.length ?? 0) > 0 && !name.endsWith(REJECTED_SUFFIX));
  const referenced = new Set(
    read.flatMap(({ foreignKeys = [] }) => foreignKeys.map(({ references }) => references.name)),
  );
  const isReferenced = ({ name }: Entity) => Number(referenced.has(name));
  const tables = read.sort((a, b) => isReferenced(b) - isReferenced(a) || (b.rowEstimate ?? 0) - (a.rowEstimate ?? 0));
  const words = (name: string) => name.replaceAll("_", " ");
  const questions: string[] = [];
  const timed = tables.find(({ columns = [] }) => columns.some(({ type }) => /date|time/i.test(type)));
  const rows = ({ name }: Pick<Entity, "name">) => toPlural(words(name));
  if (timed) questions.push(`How many ${rows(timed)} per month?`);
  const parent = timed?.foreignKeys?.find(({ references }) => references.name !== timed.name)?.references.name;
  if (timed && parent) questions.push(`Which ${rows({ name: parent })} have the most ${rows(timed)}?`);
  const grouped = [...tables.filter((table) => table !== timed), ...(timed ? [timed] : [])].find(categoryOf);
  if (grouped) questions.push(`How many ${rows(grouped)} per ${words(categoryOf(grouped) ?? "")}?`);
  for (const table of tables) questions.push(`How many ${rows(table)} are there?`);
  return [...new Set(questions)].slice(0, QUESTIONS_MAX);
}

/** Returns the plural of a table's name, which may be one already. */
function toPlural(words: string): string {
  if (/(?:s|data|people|children|men|staff|media|[^a-z])$/i.test(words)) return words;
  if (/[^aeiou]y$/i.test(words)) return `${words.slice(0, -1)}ies`;
  return `${words}${/(?:ch|sh|x|z)$/i.test(words) ? "es" : "s"}`;
}

function categoryOf({ columns = [] }: Entity): string | undefined {
  return columns.find(
    ({ name, type }) =>
      /char|text|string|enum/i.test(type) && /status|state|country|region|city|type|kind|category|channel/i.test(name),
  )?.name;
}
