import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readText, startLocalServer } from "@/test/security/local-server";

/** What a model does in one step, in this order. */
export type Say =
  | { text: string; everyMs?: number }
  | { tool: string; input: unknown; id?: string }
  /** Says nothing more, and keeps the line open until its reader leaves. */
  | { hang: true }
  /** The line breaks. */
  | { cut: true }
  | { raw: string }
  /** Instead of an answer. */
  | { status: number; body?: string };

/** What a model was sent, in the form of the protocol. */
export type ModelCall = {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: unknown } }[];
  max_tokens?: number;
};

export type ModelServer = {
  /** Where OPENAI_COMPATIBLE_BASE_URL points. */
  url: string;
  calls: ModelCall[];
  /** What the next steps do: a function of the call and of how many came before it since the script was set. */
  script: (call: ModelCall, index: number) => Say[];
  /** Answers that are under way. */
  open: () => number;
  /** Answers whose reader left before their end. */
  left: () => number;
  say: (...steps: Say[][]) => void;
  close: () => Promise<void>;
};

/**
 * A model without a mind behind the protocol that OpenAI-compatible servers speak: it says what the test tells it to.
 * The code under test does not know.
 */
export async function startModelServer(): Promise<ModelServer> {
  let open = 0;
  let left = 0;
  const server = await startLocalServer(async (request, response) => {
    if (request.url === "/v1/models") {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "scripted" }, { id: "other" }] }));
      return;
    }
    const call = JSON.parse(await readText(request)) as ModelCall;
    const index = model.calls.push(call) - 1 - firstCall;
    open += 1;
    response.once("close", () => {
      open -= 1;
      if (!response.writableFinished) left += 1;
    });
    await answer(response, model.script(call, index));
  });
  let firstCall = 0;
  const model: ModelServer = {
    url: `${server.url}/v1`,
    calls: [],
    script: () => [{ text: "Hello." }],
    open: () => open,
    left: () => left,
    say(...steps) {
      firstCall = model.calls.length;
      model.script = (_, index) => steps[index] ?? [{ text: "That is all." }];
    },
    close: server.close,
  };
  return model;
}

async function answer(response: ServerResponse, steps: Say[]): Promise<void> {
  const refusal = steps.find((step) => "status" in step);
  if (refusal) {
    response.writeHead(refusal.status, { "Content-Type": "application/json" });
    response.end(refusal.body ?? JSON.stringify({ error: { message: "no" } }));
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.flushHeaders();
  const send = async (delta: object, finish: string | null = null) => {
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted" };
    const choices = [{ index: 0, delta, finish_reason: finish }];
    if (!response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`) && !response.destroyed) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  };
  let tools = 0;
  await send({ role: "assistant" });
  for (const step of steps) {
    if (response.destroyed) return;
    if ("text" in step) {
      for (const word of step.text.match(/\S*\s*/g)?.filter(Boolean) ?? []) {
        if (response.destroyed) return;
        await send({ content: word });
        if (step.everyMs) await sleep(step.everyMs);
      }
    } else if ("tool" in step) {
      const call = { name: step.tool, arguments: JSON.stringify(step.input) };
      const id = step.id ?? `call_${crypto.randomUUID()}`;
      await send({ tool_calls: [{ index: tools++, id, type: "function", function: call }] });
    } else if ("hang" in step) {
      await once(response, "close");
      return;
    } else if ("cut" in step) {
      response.destroy();
      return;
    } else if ("raw" in step) {
      response.write(step.raw);
    }
  }
  await send({}, tools > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}
