import type { UIMessageChunk } from "ai";
import { AppError } from "@/lib/platform/http/errors";

/** A part of an answer in the form of the ai SDK's UI messages, which chats store. */
export type AnswerPart = { type: string; [field: string]: unknown };

/**
 * Maximum size of one answer with all tool results, in bytes. It is one document of the store, which takes twice as
 * much.
 */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The parts of an answer so far, collected from its stream. The SDK's reader copies the whole message with each piece
 * of text, which is too slow for five hundred streams at once.
 */
export class AnswerParts {
  readonly parts: AnswerPart[] = [];
  readonly #texts = new Map<string, AnswerPart>();
  readonly #tools = new Map<string, AnswerPart>();
  #bytes = 0;

  /** @throws AppError `too_large` */
  take(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case "start-step":
        // Ids of texts are unique within a step.
        this.#texts.clear();
        this.parts.push({ type: "step-start" });
        return;
      case "text-start":
      case "reasoning-start": {
        const part = { type: chunk.type.slice(0, -6), text: "", ...metadata(chunk) };
        this.#texts.set(keyOf(chunk), part);
        this.parts.push(part);
        return;
      }
      case "text-delta":
      case "reasoning-delta": {
        const part = this.#texts.get(keyOf(chunk));
        this.#count(chunk.delta.length);
        if (part) Object.assign(part, { text: part.text + chunk.delta, ...metadata(chunk) });
        return;
      }
      case "text-end":
      case "reasoning-end":
        Object.assign(this.#texts.get(keyOf(chunk)) ?? {}, metadata(chunk));
        return;
      case "tool-input-available":
        this.#tool(chunk, { state: "input-available", input: chunk.input });
        return;
      case "tool-input-error":
        this.#tool(chunk, { state: "output-error", input: chunk.input, errorText: chunk.errorText });
        return;
      case "tool-output-available":
        this.#count(JSON.stringify(chunk.output ?? null).length);
        this.#end(chunk.toolCallId, { state: "output-available", output: chunk.output });
        return;
      case "tool-output-error":
        this.#end(chunk.toolCallId, { state: "output-error", errorText: chunk.errorText });
    }
  }

  #tool(
    chunk: Extract<UIMessageChunk, { type: "tool-input-available" | "tool-input-error" }>,
    facts: Record<string, unknown>,
  ): void {
    this.#count(JSON.stringify(chunk.input ?? null).length);
    const { toolCallId, toolName, providerMetadata } = chunk;
    const part = {
      type: `tool-${toolName}`,
      toolCallId,
      ...facts,
      ...(providerMetadata && { callProviderMetadata: providerMetadata }),
    };
    this.#tools.set(toolCallId, part);
    this.parts.push(part);
  }

  #end(toolCallId: string, facts: Record<string, unknown>): void {
    const part = this.#tools.get(toolCallId);
    if (part) Object.assign(part, facts);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > ANSWER_BYTES_MAX) {
      throw new AppError("too_large", "The answer is too long. Ask for less at a time.");
    }
  }
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type.startsWith("text") ? "text" : "reasoning"} ${id}`;
}

function metadata({ providerMetadata }: { providerMetadata?: unknown }) {
  return providerMetadata === undefined ? {} : { providerMetadata };
}
