import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readText, startLocalServer } from "@/test/security/local-server";

/** What a model does in one step. */
export type ProviderStep = { text: string[] } | { tool: string; input: object };

/** How one provider speaks: what of it the product has to understand. */
export type Wire = {
  provider: string;
  /** As GET /api/agent/models names it. */
  modelId: string;
  settings: (url: string) => Record<string, string>;
  /** Where its key stands in a request. */
  keyOf: (headers: IncomingHttpHeaders) => string | undefined;
  /** A whole answer, event by event, which says that it took 100 tokens and made 20. */
  answer: (step: ProviderStep) => string[];
  /** The event with which an answer fails in its middle. */
  fault: (message: string) => string;
  /** The body of a refusal. */
  refusal: (message: string) => string;
};

export type ProviderAct =
  | { status: number; body: string; headers?: Record<string, string> }
  /** `bytesAtOnce`: the answer in pieces of this size, wherever they break it. */
  | { pieces: string[]; bytesAtOnce?: number; end?: "cut" | "hang" }
  /** Goes on without a line's end until its reader has had enough. */
  | { endless: string }
  /** The line breaks before anything is said. */
  | { breaks: true };

export type ProviderServer = {
  url: string;
  /** The bodies and headers that it was sent. */
  calls: { path: string; body: string; headers: IncomingHttpHeaders }[];
  /** What the next calls are answered with, in this order; the last one again for all that follow. */
  acts: ProviderAct[];
  /** Answers whose reader left before their end. */
  left: () => number;
  close: () => Promise<void>;
};

/** A server that says byte for byte what a test lets it say. */
export async function startProviderServer(): Promise<ProviderServer> {
  let left = 0;
  const server = await startLocalServer(async (request, response) => {
    const { url: path = "", headers } = request;
    if (request.method === "GET") {
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"data":[{"id":"m"}]}');
      return;
    }
    provider.calls.push({ path, body: await readText(request), headers });
    const act = provider.acts.length > 1 ? provider.acts.shift() : provider.acts[0];
    response.once("close", () => {
      if (!response.writableFinished) left += 1;
    });
    if (act) await perform(response, act);
  });
  const provider: ProviderServer = { url: server.url, calls: [], acts: [], left: () => left, close: server.close };
  return provider;
}

async function perform(response: ServerResponse, act: ProviderAct): Promise<void> {
  if ("status" in act) {
    response.writeHead(act.status, { "Content-Type": "application/json", ...act.headers }).end(act.body);
    return;
  }
  if ("breaks" in act) {
    response.destroy();
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.flushHeaders();
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const send = async (bytes: Buffer) => {
    if (response.destroyed || response.write(bytes)) return;
    await once(response, "drain", { signal: gone.signal }).catch(() => {});
  };
  if ("endless" in act) {
    const piece = Buffer.from(act.endless);
    while (!response.destroyed) {
      await send(piece);
      await sleep(0);
    }
    return;
  }
  const bytes = Buffer.from(act.pieces.join(""));
  const size = act.bytesAtOnce ?? bytes.length;
  for (let from = 0; from < bytes.length; from += size) {
    await send(bytes.subarray(from, from + size));
    // What is written in one turn of the loop arrives as one.
    await sleep(0);
  }
  if (act.end === "cut") response.destroy();
  else if (act.end !== "hang") response.end();
}

const event = (data: object, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const bearerOf = ({ authorization }: IncomingHttpHeaders) => authorization?.replace(/^Bearer /, "");
/** In two pieces, since providers send it in some. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** https://docs.anthropic.com/en/api/messages-streaming */
const anthropic: Wire = {
  provider: "Anthropic",
  modelId: "anthropic/claude-haiku-5-5",
  settings: (url) => ({ ANTHROPIC_API_KEY: "key-of-anthropic", ANTHROPIC_BASE_URL: `${url}/v1` }),
  keyOf: (headers) => headers["x-api-key"] as string | undefined,
  answer: (step) => {
    const of = (data: { type: string; [field: string]: unknown }) => event(data, data.type);
    const delta = (inner: object) => of({ type: "content_block_delta", index: 0, delta: inner });
    const block =
      "text" in step ? { type: "text", text: "" } : { type: "tool_use", id: "toolu_1", name: step.tool, input: {} };
    const deltas =
      "text" in step
        ? step.text.map((text) => delta({ type: "text_delta", text }))
        : halves(JSON.stringify(step.input)).map((part) => delta({ type: "input_json_delta", partial_json: part }));
    const usage = { input_tokens: 100, output_tokens: 1 };
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage,
    };
    return [
      of({ type: "message_start", message }),
      of({ type: "content_block_start", index: 0, content_block: block }),
      of({ type: "ping" }),
      ...deltas,
      of({ type: "content_block_stop", index: 0 }),
      of({
        type: "message_delta",
        delta: { stop_reason: "text" in step ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { output_tokens: 20 },
      }),
      of({ type: "message_stop" }),
    ];
  },
  fault: (message) => event({ type: "error", error: { type: "overloaded_error", message } }, "error"),
  refusal: (message) => JSON.stringify({ type: "error", error: { type: "api_error", message } }),
};

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const openai: Wire = {
  provider: "OpenAI",
  modelId: "openai/gpt-5.4-mini",
  settings: (url) => ({ OPENAI_API_KEY: "key-of-openai", OPENAI_BASE_URL: `${url}/v1` }),
  keyOf: bearerOf,
  answer: (step) => {
    let number = 0;
    const of = (type: string, more: object) => event({ type, sequence_number: number++, ...more }, type);
    const response = { id: "resp_1", object: "response", created_at: 1, model: "m", status: "in_progress", output: [] };
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
    const at = { item_id: "item_1", output_index: 0 };
    const inner =
      "text" in step
        ? [
            of("response.output_item.added", {
              output_index: 0,
              item: { type: "message", id: "item_1", status: "in_progress", role: "assistant", content: [] },
            }),
            ...step.text.map((delta) => of("response.output_text.delta", { ...at, content_index: 0, delta })),
            of("response.output_item.done", {
              output_index: 0,
              item: {
                type: "message",
                id: "item_1",
                status: "completed",
                role: "assistant",
                content: [{ type: "output_text", text: step.text.join(""), annotations: [] }],
              },
            }),
          ]
        : [
            of("response.output_item.added", {
              output_index: 0,
              item: { type: "function_call", id: "item_1", call_id: "call_1", name: step.tool, arguments: "" },
            }),
            ...halves(JSON.stringify(step.input)).map((delta) =>
              of("response.function_call_arguments.delta", { ...at, delta }),
            ),
            of("response.output_item.done", {
              output_index: 0,
              item: {
                type: "function_call",
                id: "item_1",
                call_id: "call_1",
                name: step.tool,
                arguments: JSON.stringify(step.input),
                status: "completed",
              },
            }),
          ];
    return [
      of("response.created", { response }),
      ...inner,
      of("response.completed", { response: { ...response, status: "completed", usage } }),
    ];
  },
  fault: (message) => event({ type: "error", sequence_number: 9, code: "server_error", message, param: null }, "error"),
  refusal: (message) => JSON.stringify({ error: { message, type: "server_error", param: null, code: null } }),
};

/** https://ai.google.dev/api/generate-content */
const google: Wire = {
  provider: "Google",
  modelId: "google/gemini-flash-latest",
  settings: (url) => ({
    GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  }),
  keyOf: (headers) => headers["x-goog-api-key"] as string | undefined,
  answer: (step) => {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
    const of = (part: object, finishReason?: string) =>
      event({
        candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...(finishReason && { finishReason }) }],
        usageMetadata,
      });
    if ("tool" in step) return [of({ functionCall: { name: step.tool, args: step.input } }, "STOP")];
    return step.text.map((text, index) => of({ text }, index === step.text.length - 1 ? "STOP" : undefined));
  },
  fault: (message) => event({ error: { code: 503, message, status: "UNAVAILABLE" } }),
  refusal: (message) => JSON.stringify({ error: { code: 500, message, status: "INTERNAL" } }),
};

/** https://platform.openai.com/docs/api-reference/chat/streaming, which many servers speak. */
const compatible: Wire = {
  provider: "OpenAI-compatible",
  modelId: "compatible/m",
  settings: (url) => ({ OPENAI_COMPATIBLE_API_KEY: "key-of-compatible", OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
  keyOf: bearerOf,
  answer: (step) => {
    const of = (delta: object, finish: string | null = null, more: object = {}) =>
      event({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const inner =
      "text" in step
        ? step.text.map((content) => of({ content }))
        : halves(JSON.stringify(step.input)).map((part, index) =>
            of({
              tool_calls: [
                index === 0
                  ? { index: 0, id: "call_1", type: "function", function: { name: step.tool, arguments: part } }
                  : { index: 0, function: { arguments: part } },
              ],
            }),
          );
    return [
      of({ role: "assistant" }),
      ...inner,
      of({}, "text" in step ? "stop" : "tool_calls"),
      event({ id: "c", object: "chat.completion.chunk", choices: [], usage }),
      "data: [DONE]\n\n",
    ];
  },
  fault: (message) => event({ error: { message, type: "server_error", code: 500 } }),
  refusal: (message) => JSON.stringify({ error: { message, type: "server_error", code: null } }),
};

export const WIRES: readonly Wire[] = [anthropic, openai, google, compatible];
