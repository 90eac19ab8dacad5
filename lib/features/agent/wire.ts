import type { UIMessageChunk } from "ai";

/** How a stream names its events: as the interface has them, or as the ai SDK does. */
export type WireForm = "plain" | "ui";

/** Asked for by the SDK's own header, or in the address by who cannot set one (docs/develop/api.md, Agent). */
export const UI_STREAM_HEADER = "x-vercel-ai-ui-message-stream";
export const UI_STREAM_VERSION = "v1";

export function wireFormOf(headers: Headers, stream: string | undefined): WireForm {
  return stream === "ui" || headers.get(UI_STREAM_HEADER) === UI_STREAM_VERSION ? "ui" : "plain";
}

/** What leaves for a chunk; null for what this form has no word for. */
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

/** The end of a tool's call in the plain form, which names the tool again. */
export function toPlainResult(chunk: UIMessageChunk, toolName: string): object | null {
  if (chunk.type === "tool-output-available") {
    return { type: "tool-result", toolCallId: chunk.toolCallId, toolName, output: chunk.output };
  }
  if (chunk.type === "tool-output-error") {
    return { type: "tool-result", toolCallId: chunk.toolCallId, toolName, errorText: chunk.errorText };
  }
  return null;
}
