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
 * Returns questions that the columns can answer: counts, by time, by category. Rows that an import rejected are no data
 * to ask about.
 */
export function toQuestions(entities: readonly Entity[]): string[] {
  const tables = entities
    .slice(0, LOOKED_AT_MAX)
    .filter(({ name, columns }) => (columns?.length ?? 0) > 0 && !name.endsWith(REJECTED_SUFFIX))
    .sort((a, b) => (b.rowEstimate ?? 0) - (a.rowEstimate ?? 0));
  const words = (name: string) => name.replaceAll("_", " ");
  const ofType = ({ columns = [] }: Entity, type: RegExp) => columns.filter((column) => type.test(column.type));
  const questions: string[] = [];
  const [first] = tables;
  if (first) questions.push(`How many ${words(first.name)} are there?`);
  const timed = tables.find((table) => ofType(table, /date|time/i).length > 0);
  if (timed) questions.push(`How many ${words(timed.name)} per month?`);
  const grouped = tables.find((table) => categoryOf(table) !== undefined);
  const category = grouped && categoryOf(grouped);
  if (grouped && category) questions.push(`How many ${words(grouped.name)} per ${words(category)}?`);
  for (const table of tables.slice(1)) questions.push(`How many ${words(table.name)} are there?`);
  return [...new Set(questions)].slice(0, QUESTIONS_MAX);
}

function categoryOf({ columns = [] }: Entity): string | undefined {
  return columns.find(
    ({ name, type }) =>
      /char|text|string|enum/i.test(type) && /status|state|country|region|city|type|kind|category|channel/i.test(name),
  )?.name;
}
