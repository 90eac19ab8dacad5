import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";

/** The assistant's input: system prompt, users' messages and tool results. */

export type ToolCall = { tool: string; input: Record<string, unknown> };
export type ToolResult = { isOk: true; value: Record<string, unknown> } | { isOk: false; message: string };

export type Conversation = {
  /** "YYYY-MM-DD"; null if unknown. */
  today: string | null;
  /** The connection of the open console. */
  activeConnectionId: string | null;
  /** Earlier questions, oldest first, each of at most `QUESTION_CHARS_MAX` characters. */
  earlier: string[];
  question: string;
  /** The results of this turn's calls, in their order. */
  results: { tool: string; result: ToolResult }[];
  /** Results of earlier turns about connections and tables, by their call. */
  known: ReadonlyMap<string, ToolResult>;
};

/** Maximum number of characters read of a question. */
export const QUESTION_CHARS_MAX = 2000;
/** Maximum number of earlier questions for a follow-up. */
const EARLIER_MAX = 6;
const SCHEMA_TOOLS = new Set(["list_connections", "list_entities", "describe_entity"]);

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const system = prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n");
  const asked: { text: string; context: string }[] = [];
  const calls = new Map<string, ToolCall>();
  const known = new Map<string, ToolResult>();
  let heard: [string, ToolResult][] = [];
  let results: Conversation["results"] = [];
  for (const message of prompt) {
    if (message.role === "user") {
      const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      asked.push(splitContext(texts));
      results = [];
      for (const [key, result] of heard) known.set(key, result);
      heard = [];
    } else if (message.role !== "system") {
      for (const part of message.content) {
        if (part.type === "tool-call") calls.set(part.toolCallId, { tool: part.toolName, input: asRecord(part.input) });
        if (part.type !== "tool-result") continue;
        const result = toResult(part.output);
        results.push({ tool: part.toolName, result });
        const call = calls.get(part.toolCallId);
        if (call && SCHEMA_TOOLS.has(call.tool)) heard.push([callKey(call), result]);
      }
    }
  }
  const last = asked.pop();
  return {
    today: /\b(\d{4}-\d{2}-\d{2})(?!\d)/.exec(system)?.[1] ?? null,
    activeConnectionId: findActive(last?.context ?? ""),
    earlier: asked.slice(-EARLIER_MAX).map(({ text }) => text.slice(0, QUESTION_CHARS_MAX)),
    question: last?.text ?? "",
    results,
    known,
  };
}

/** Returns the same key for every call of a tool with the same input. */
export function callKey({ tool, input }: ToolCall): string {
  return `${tool} ${JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

const CONTEXT_OPEN = "<context>";
const CONTEXT_CLOSE = "</context>";

/** Context is quoted as JSON between tags. Its texts may contain such tags too, so it ends at the last one. */
function splitContext(texts: readonly string[]): { text: string; context: string } {
  const all = texts.join("\n");
  const from = all.indexOf(CONTEXT_OPEN);
  const to = all.lastIndexOf(CONTEXT_CLOSE);
  if (from < 0 || to < from) return { text: all.trim(), context: "" };
  const text = `${all.slice(0, from)}\n${all.slice(to + CONTEXT_CLOSE.length)}`.trim();
  return { text, context: all.slice(from + CONTEXT_OPEN.length, to) };
}

/** Returns the connection of the active console, else the one that all open consoles share. */
function findActive(context: string): string | null {
  const screen = fromText(context);
  const active = asRecord(screen.activeConsole).connectionId;
  if (typeof active === "string") return active;
  const open = Array.isArray(screen.openConsoles) ? screen.openConsoles.map((each) => asRecord(each).connectionId) : [];
  const ids = new Set(open.filter((id) => typeof id === "string"));
  const [only] = ids;
  return ids.size === 1 && only !== undefined ? only : null;
}

function toResult(output: LanguageModelV4ToolResultOutput): ToolResult {
  switch (output.type) {
    case "json":
      return { isOk: true, value: asRecord(output.value) };
    case "text":
      return { isOk: true, value: fromText(output.value) };
    case "content":
      return {
        isOk: true,
        value: fromText(output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")),
      };
    case "execution-denied":
      return { isOk: false, message: output.reason ?? "It was not allowed." };
    case "error-text":
      return { isOk: false, message: output.value };
    case "error-json": {
      const { message, error } = asRecord(output.value);
      return { isOk: false, message: String(message ?? error ?? JSON.stringify(output.value)) };
    }
  }
}

function fromText(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return { text };
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
