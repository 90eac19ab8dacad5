import type { AgentRequest } from "@/components/agent/agent-store";
import type { AgentMessage } from "@/components/agent/chats";
import type { Outgoing } from "@/components/agent/composer";
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
