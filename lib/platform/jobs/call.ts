import { Agent, type IncomingMessage, request } from "node:http";
import { z } from "zod";
import { canonicalJson } from "./canonical-json";
import { ANSWER_BYTES_MAX, CALL_BYTES_MAX, CALL_TIMEOUT_MS } from "./limits";
import type { EventPayload } from "./model";
import { SIGNATURE_HEADER, sign } from "./signature";

/** Value of a call's `stepId` that asks the function for its next steps. */
export const DISCOVERY_STEP = "step";

/** A call of a function: run one step, or discover the next steps. */
export type Call = {
  functionId: string;
  /** DISCOVERY_STEP or a step's id. */
  stepId: string;
  runId: string;
  event: EventPayload;
  /** Results by step id, in the protocol's form. */
  steps: Record<string, unknown>;
  stack: readonly string[];
  attempt: number;
  attemptsMax: number;
  version: number;
  isPlanning: boolean;
};

/** A response before it is parsed. `text` is null when the response is too large. */
export type RawAnswer = { status: number; headers: IncomingMessage["headers"]; text: string | null };

/** Calls the application over HTTP, at its public address on this machine, with signed bodies. */
export class Application {
  readonly #url: URL;
  readonly #signingKey: string;
  readonly #agent: Agent;

  /** @param url of the endpoint, `http://127.0.0.1:3000/api/inngest` */
  constructor(url: URL, signingKey: string, callsMax: number) {
    this.#url = url;
    this.#signingKey = signingKey;
    this.#agent = new Agent({ keepAlive: true, maxSockets: callsMax + 1 });
  }

  /** Fetches the declarations of all functions. @throws Error when there is no response or an unexpected one */
  async listFunctions(): Promise<unknown[]> {
    const answer = await this.#send("PUT", this.#url, canonicalJson({ url: this.#url.href }), {
      "x-inngest-sync-kind": "in_band",
    });
    if (answer.status !== 200) throw new Error(`The application returned ${answer.status} for its list of functions.`);
    return z.object({ functions: z.array(z.unknown()) }).parse(JSON.parse(answer.text ?? "")).functions;
  }

  /** @throws Error of the connection when there is no response */
  async ask(call: Call, signal: AbortSignal): Promise<RawAnswer> {
    const url = new URL(this.#url);
    url.searchParams.set("fnId", call.functionId);
    url.searchParams.set("stepId", call.stepId);
    const headers = {
      "x-run-id": call.runId,
      "x-inngest-step-id": call.stepId,
      ...(call.version >= 0 && { "x-inngest-req-version": String(call.version) }),
    };
    return this.#send("POST", url, bodyOf(call), headers, signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(
    method: string,
    url: URL,
    body: string,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<RawAnswer> {
    const attempt = () =>
      send(url, body, {
        method,
        agent: this.#agent,
        headers: {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(body)),
          [SIGNATURE_HEADER]: sign(body, this.#signingKey),
          ...headers,
        },
        signal,
      });
    try {
      return await attempt();
    } catch (error) {
      // The server closed the kept-alive connection at the same moment, so the request was not sent.
      if (error instanceof StaleConnection) return attempt();
      throw error;
    }
  }
}

/** Returns the body of a call. A large state is omitted; the application then fetches it (listener.ts). */
function bodyOf(call: Call): string {
  const body = canonicalJson(toBody(call, false));
  return Buffer.byteLength(body) <= CALL_BYTES_MAX ? body : canonicalJson(toBody(call, true));
}

/** Omits `fn_id`: with it, the SDK would send results separately while it runs. */
function toBody(call: Call, isFetched: boolean): Record<string, unknown> {
  return {
    event: call.event,
    events: isFetched ? [] : [call.event],
    steps: isFetched ? {} : call.steps,
    defers: {},
    version: call.version,
    use_api: isFetched,
    ctx: {
      run_id: call.runId,
      step_id: DISCOVERY_STEP,
      env: "",
      attempt: call.attempt,
      max_attempts: call.attemptsMax,
      disable_immediate_execution: call.isPlanning,
      use_api: isFetched,
      stack: { stack: [...call.stack], current: call.stack.length },
    },
  };
}

class StaleConnection extends Error {}

type SendOptions = {
  method: string;
  agent: Agent;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
};

function send(url: URL, body: string, { signal, ...options }: SendOptions): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, timeout: CALL_TIMEOUT_MS, ...(signal && { signal }) });
    outgoing.once("response", (incoming) =>
      readText(incoming).then(
        (text) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
        reject,
      ),
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error("The call took longer than two hours.")));
    outgoing.once("error", (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      reject(isStale ? new StaleConnection(error.message) : error);
    });
    outgoing.end(body);
  });
}

async function readText(incoming: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming) {
    bytes += (part as Buffer).length;
    if (bytes > ANSWER_BYTES_MAX) {
      incoming.destroy();
      return null;
    }
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}
