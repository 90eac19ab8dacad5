import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { METADATA_KEY } from "../browser/choices";
import { answer, type Reply } from "./assistant";
import { type Conversation, callKey, readConversation, type ToolCall, type ToolResult } from "./conversation";
import { cell } from "./explain";

export const OFFLINE_MODEL_ID = "millrace/offline";

/** Length of a streamed piece: a few words. */
const DELTA_CHARS = 24;

/**
 * The assistant without a network: a `LanguageModelV4` of the ai SDK. It sees only the prompt, uses the offered tools,
 * and gives the same answer to the same prompt.
 */
export function offlineModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "millrace",
    modelId: OFFLINE_MODEL_ID,
    supportedUrls: {},
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted();
      const { content, finishReason } = nextStep(options);
      return { content, finishReason, usage: usageOf(options, content), warnings: [] };
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      const { content, finishReason } = nextStep(options);
      const parts = toParts(content, finishReason, usageOf(options, content));
      return {
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          pull(controller) {
            if (options.abortSignal?.aborted) return controller.error(options.abortSignal.reason);
            const { value, done } = parts.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
        }),
      };
    },
  };
}

type Next = { content: LanguageModelV4Content[]; finishReason: LanguageModelV4FinishReason };

/**
 * Replays the turn from its start with the results that exist, up to the first call without one: no state has to be
 * kept between two requests.
 */
function nextStep({ prompt, tools }: LanguageModelV4CallOptions): Next {
  const conversation = readConversation(prompt);
  const names = new Set((tools ?? []).flatMap((tool) => (tool.type === "function" ? [tool.name] : [])));
  const turn = answer(conversation, names);
  let used = 0;
  let step = turn.next();
  while (!step.done) {
    const results: (ToolResult | null)[] = [];
    for (const call of step.value) {
      const known = knownResult(conversation, call);
      results.push(known ?? resultOf(conversation, call, used));
      if (!known) used++;
    }
    const missing = step.value.flatMap((call, i) => (results[i] ? [] : [{ call, place: i }]));
    if (missing.length > 0) {
      const before = used - missing.length;
      return {
        content: missing.map(({ call }, i) => ({
          type: "tool-call",
          toolCallId: `offline-${prompt.length}-${before + i + 1}`,
          toolName: call.tool,
          input: JSON.stringify(call.input),
        })),
        finishReason: { unified: "tool-calls", raw: undefined },
      };
    }
    step = turn.next(results.filter((result) => result !== null));
  }
  return { content: toContent(step.value), finishReason: { unified: "stop", raw: undefined } };
}

/** The choices are a second text, a list, which carries the question of each one for buttons. */
function toContent(reply: Reply): LanguageModelV4Content[] {
  if (typeof reply === "string") return [{ type: "text", text: reply }];
  const { text, choices } = reply;
  const list = choices.map(({ label }) => `- ${cell(label)}`).join("\n");
  return [
    { type: "text", text },
    { type: "text", text: `\n\n${list}`, providerMetadata: { [METADATA_KEY]: { choices } } },
  ];
}

/** Returns an earlier turn's result for a call about tables, or null. */
function knownResult({ known }: Conversation, call: ToolCall): ToolResult | null {
  const result = known.get(callKey(call));
  return result?.isOk ? result : null;
}

function resultOf({ results }: Conversation, call: ToolCall, place: number): ToolResult | null {
  const found = results[place];
  return found && found.tool === call.tool ? found.result : null;
}

function* toParts(
  content: readonly LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
): Generator<LanguageModelV4StreamPart, undefined> {
  yield { type: "stream-start", warnings: [] };
  for (const [place, part] of content.entries()) {
    if (part.type === "text") {
      const id = `text-${place + 1}`;
      const { providerMetadata } = part;
      yield { type: "text-start", id };
      for (const delta of pieces(part.text)) yield { type: "text-delta", id, delta };
      yield { type: "text-end", id, ...(providerMetadata && { providerMetadata }) };
    } else if (part.type === "tool-call") {
      yield { type: "tool-input-start", id: part.toolCallId, toolName: part.toolName };
      yield { type: "tool-input-delta", id: part.toolCallId, delta: part.input };
      yield { type: "tool-input-end", id: part.toolCallId };
      yield part;
    }
  }
  yield { type: "finish", finishReason, usage };
}

/** Cuts after spaces, so that no character is split. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let piece = "";
  for (const word of text.split(/(?<=\s)/)) {
    piece += word;
    if (piece.length < DELTA_CHARS) continue;
    found.push(piece);
    piece = "";
  }
  return piece === "" ? found : [...found, piece];
}

/** Four characters are about one token; no one pays for these. */
function usageOf(
  { prompt }: LanguageModelV4CallOptions,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4Usage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const input = tokens(prompt);
  const output = tokens(content);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}
