import type { UIMessageChunk } from "ai";

/** Format of a stream's events: the documented one, or the one of the ai SDK. */
export type WireForm = "plain" | "ui";

/** Reads the format from the SDK's header, or from the URL (docs/develop/api.md, Agent) if headers cannot be set. */
export const UI_STREAM_HEADER = "x-vercel-ai-ui-message-stream";
export const UI_STREAM_VERSION = "v1";

export function wireFormOf(headers: Headers, stream: string | undefined): WireForm {
  return stream === "ui" || headers.get(UI_STREAM_HEADER) === UI_STREAM_VERSION ? "ui" : "plain";
}

/** Returns the event for a chunk, or null if this format has none. */
export function toWire(chunk: UIMessageChunk, form: WireForm): object | null {
  if (form === "ui") return chunk;
  switch (chunk.type) {
    case "start":
      return { type: "start", messageId: chunk.messageId };
    case "text-delta":
      return { type: "text-delta", id: chunk.id, delta: chunk.delta };
    case "tool-input-available":
    case "tool-input-error":
      return {
        type: "tool-input-available",
        toolCallId: chunk.toolCallId,
        toolName: chunk.toolName,
        input: chunk.input,
      };
    case "error":
      return { type: "error", errorText: chunk.errorText };
    case "finish":
      return { type: "finish", finishReason: chunk.finishReason ?? "other" };
    default:
      return null;
  }
}

/** Returns the end of a tool call in the plain form, which repeats the tool's name. */
export function toPlainResult(chunk: UIMessageChunk, toolName: string): object | null {
  if (chunk.type === "tool-output-available") {
    return { type: "tool-result", toolCallId: chunk.toolCallId, toolName, output: chunk.output };
  }
  if (chunk.type === "tool-output-error") {
    return { type: "tool-result", toolCallId: chunk.toolCallId, toolName, errorText: chunk.errorText };
  }
  return null;
}
