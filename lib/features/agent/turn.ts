import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { jsonSchema, ModelMessage, Schema, ToolSet, UIMessage, UIMessageChunk } from "ai";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { enterWorkspace } from "@/lib/features/accounts/identity";
import type { Caller, UserCaller } from "@/lib/platform/access/caller";
import { consume } from "@/lib/platform/access/rate-limit";
import { isStoreAway } from "@/lib/platform/db/away";
import { AppError } from "@/lib/platform/http/errors";
import { SseStream } from "@/lib/platform/http/sse";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { onShutdown } from "@/lib/platform/process/shutdown";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { type AgentMode, getAgentOrThrow } from "./agents";
import { publishAnswerEvent } from "./answer-events";
import { AnswerParts } from "./answer-parts";
import { requireBudget, spend } from "./budget";
import { requireSameRole } from "./current-role";
import { beginTurn, hasKeptResult, readHistory, refuseForeignChat, saveAnswer, type TurnMessages } from "./history";
import { getInstructions } from "./instructions";
import {
  MODEL_SILENCE_MS,
  OUTPUT_TOKENS_MAX,
  PING_MS,
  READER_SILENCE_MS,
  STEPS_MAX,
  STORE_RETRY_MS,
  STORE_WAIT_MS,
  STREAM_BUFFER_BYTES,
} from "./limits";
import { mergingModel } from "./merge-deltas";
import type { MessageState } from "./model";
import { getModelOrThrow, type Model } from "./models";
import {
  adoptDecisions,
  endGrants,
  hasGrant,
  listPlannedDashboards,
  type Proposal,
  proposePlan,
  requireGrant,
  type TurnOf,
  waitForDecision,
} from "./plans";
import { contextText, DATA_NOTICE, type ScreenContext, screenContext, systemText } from "./prompt";
import { type ChatBody, userParts } from "./schema";
import { planDashboard } from "./tools/dashboards";
import { requireCover, withSessionId } from "./tools/plans";
import { runTool, ToolFailure, toolsOf } from "./tools/registry";
import type { Tool, ToolContext } from "./tools/tool";
import { toPlainResult, toWire, UI_STREAM_HEADER, UI_STREAM_VERSION, type WireForm } from "./wire";

/** The SDK's warnings about a provider's limits are for its developers, and do not belong in our log. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Maximum number of parallel tool calls in a step; a workspace has ten queries in all. */
const TOOLS_AT_ONCE = 3;

export type TurnRequest = {
  body: ChatBody;
  form: WireForm;
  /** Called before each step: a turn ends with the session, the key or the membership that started it. */
  mayGoOn: (workspaceId: ObjectId) => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * Runs one turn of a chat: the user's message, the model with its tools, the stream. Errors are raised before anything
 * is written (docs/develop/api.md, Agent).
 * @throws AppError `forbidden` for the workspace; `not_found` for the chat, the message to replace, the agent, a
 *   console or a connection; `unknown_model`; `rate_limited`; `conflict` for a chat that is full
 */
export async function startTurn(whoever: UserCaller, { body, form, mayGoOn, signal }: TurnRequest): Promise<Response> {
  const caller = await enterWorkspace(whoever, new ObjectId(body.workspaceId));
  const chatId = new ObjectId(body.chatId);
  await refuseForeignChat(caller, chatId);
  const mode = getAgentOrThrow(body.agentId);
  const model = await getModelOrThrow(body.modelId);
  const screen = await screenContext(caller, body);
  await consume("chatTurn", caller.user._id.toHexString());
  if (!model.isFree) await requireBudget(caller.workspaceId);
  const last = body.messages.at(-1);
  const parts = last ? userParts(last) : [];
  const facts = { agentId: mode.id, modelId: model.id };
  const replaces = body.replaces === undefined ? null : new ObjectId(body.replaces);
  const { messages, claim } = await beginTurn(caller, { chatId, replaces }, parts, facts);

  const stop = new AbortController();
  const onLeave = () => stop.abort(new AppError("cancelled", "The client disconnected."));
  const stream = new SseStream({
    pingMs: PING_MS,
    bufferBytes: STREAM_BUFFER_BYTES,
    silenceMs: READER_SILENCE_MS,
    onLeave,
  });
  // A user who lost the right gets an event; a reader who disconnected gets none.
  const onAbort = () => {
    const { reason } = signal;
    if (reason instanceof AppError && reason.kind === "unauthenticated") stop.abort(reason);
    else onLeave();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const forget = onShutdown(() =>
    stop.abort(new AppError("unavailable", "The server is stopping. Send the message again.")),
  );
  // The answer was deleted, or another server has ended it.
  claim.signal.addEventListener("abort", () => stop.abort(new AppError("unavailable", INTERRUPTED)), { once: true });
  const turn = new Turn({ caller, mode, model, screen, messages, claim, form, mayGoOn, stream, signal: stop.signal });
  // Not awaited: the response starts now. Its errors concern no one else.
  void turn
    .run()
    .catch((error: unknown) => log.error({ err: error }, "failed to store a chat turn"))
    .finally(() => {
      forget();
      claim.drop();
      signal.removeEventListener("abort", onAbort);
      stream.close();
      // Work of the model or of a tool that still runs has no reader any more.
      stop.abort(new AppError("cancelled", "The turn has ended."));
    });
  return new Response(stream.body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      // A proxy that buffers would delay the text.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
      ...(form === "ui" && { [UI_STREAM_HEADER]: UI_STREAM_VERSION }),
    },
  });
}

type TurnParts = {
  caller: Caller;
  mode: AgentMode;
  model: Model;
  screen: ScreenContext;
  messages: TurnMessages;
  claim: Claim;
  form: WireForm;
  mayGoOn: TurnRequest["mayGoOn"];
  stream: SseStream;
  signal: AbortSignal;
};

class Turn {
  readonly #turn: TurnOf;
  readonly #answer = new AnswerParts();
  readonly #resultIds: ObjectId[] = [];
  readonly #toolNames = new Map<string, string>();
  readonly #refusedPlans = new Map<string, AppError>();
  #hasFailed = false;
  #hasFinished = false;
  /** Whether it proposed or adopted plans: without any, there are no grants to end. */
  #hasPlans = false;
  /** Whether the current step has called tools, so that another step follows. */
  #hasCalled = false;
  #saved: { text: string; state: MessageState } | undefined;

  constructor(private readonly of: TurnParts) {
    this.#turn = { caller: of.caller, chatId: of.messages.user.chatId, turnId: of.messages.answer._id };
  }

  /** Runs the turn until it ends. In every case it saves the answer so far and ends the grants. */
  async run(): Promise<void> {
    let state: MessageState = "stopped";
    try {
      for await (const chunk of this.#chunks()) await this.#pass(chunk);
      state = this.#hasFailed ? "failed" : "done";
    } catch (error) {
      state = this.#hasLeft() ? "stopped" : "failed";
      if (state === "failed") await this.#fail(error);
    }
    await this.#end(state);
  }

  /** Yields the model's answer as it arrives; its modules are loaded when the first turn needs them. */
  async *#chunks(): AsyncGenerator<UIMessageChunk> {
    const { mode, model, screen, messages, mayGoOn, signal, caller } = this.of;
    const messageId = messages.answer._id.toHexString();
    yield { type: "start", messageId };
    const [
      { streamText, toUIMessageStream, convertToModelMessages, isStepCount, wrapLanguageModel },
      opened,
      instructions,
      history,
      late,
    ] = await Promise.all([
      import("ai"),
      model.open(),
      getInstructions(caller),
      readHistory(messages.user),
      messages.isNewChat ? [] : adoptDecisions(this.#turn),
    ]);
    this.#hasPlans = late.length > 0;
    const tools = await this.#tools();
    const said = await convertToModelMessages(history as Omit<UIMessage, "id">[], {
      tools,
      ignoreIncompleteToolCalls: true,
    });
    const result = streamText({
      model: wrapLanguageModel({ model: opened, middleware: mergingModel }),
      instructions: systemText(mode, instructions.text, new Date()),
      messages: withContext(said, contextText(screen, late)),
      tools,
      toolCallConcurrency: TOOLS_AT_ONCE,
      experimental_refineToolInput: { propose_plan: (input) => this.#propose(input) },
      stopWhen: isStepCount(STEPS_MAX),
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      timeout: { firstChunkMs: MODEL_SILENCE_MS, chunkMs: MODEL_SILENCE_MS },
      abortSignal: signal,
      prepareStep: async ({ stepNumber }) => {
        // The request was checked a moment ago.
        if (stepNumber === 0) return undefined;
        if (!(await mayGoOn(caller.workspaceId))) {
          throw new AppError("unauthenticated", "Your access to this workspace has ended.");
        }
        if (!model.isFree) await requireBudget(caller.workspaceId);
        return undefined;
      },
      onStepEnd: async ({ usage }) => {
        if (!model.isFree) await spend(caller.workspaceId, usage.totalTokens ?? 0);
      },
      // The stream reports it; without this it would be printed as well.
      onError: () => {},
    });
    const stream = toUIMessageStream({ stream: result.stream, tools, sendStart: false, onError: wordsOf });
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  async #pass(chunk: UIMessageChunk): Promise<void> {
    const { form } = this.of;
    if (chunk.type === "abort") throw this.of.signal.reason ?? new AppError("timeout", SILENT);
    this.#answer.take(chunk);
    if (chunk.type === "start-step") this.#hasCalled = false;
    // The end of the answer, which follows at once, saves the last step.
    if (chunk.type === "finish-step" && this.#hasCalled) await this.#save("running");
    if (chunk.type === "error") this.#hasFailed = true;
    if (chunk.type === "finish") return this.#finish(this.#hasFailed ? "error" : chunk.finishReason);
    if (chunk.type === "tool-input-available" || chunk.type === "tool-input-error") {
      this.#toolNames.set(chunk.toolCallId, chunk.toolName);
      this.#hasCalled = true;
    }
    // The user may decide on it wherever they have the chat open.
    if (chunk.type === "tool-input-available" && chunk.toolName === "propose_plan") await this.#save("running");
    const toolName = "toolCallId" in chunk ? (this.#toolNames.get(chunk.toolCallId) ?? "") : "";
    const event = (form === "plain" ? toPlainResult(chunk, toolName) : null) ?? toWire(chunk, form);
    if (event) await this.of.stream.write(event);
  }

  /** Stores the plan before the stream announces the call, so that its reader can decide on it at once. */
  async #propose(input: unknown): Promise<Proposal> {
    const { dashboard, ...proposal } = withSessionId(input);
    this.#hasPlans = true;
    try {
      const planned = dashboard ? await planDashboard(this.of.caller, dashboard) : null;
      if (planned) requireCover(proposal, planned);
      const revision = await proposePlan(this.#turn, proposal, planned);
      if (!planned) return { ...proposal, revision };
      const { dashboardId, fields } = planned;
      return {
        ...proposal,
        revision,
        dashboard: { ...(dashboardId !== null && { dashboardId }), ...JSON.parse(fields) },
      };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#refusedPlans.set(proposal.agentSessionId, error);
      return proposal;
    }
  }

  /**
   * The complete answer is stored before its reader learns that it is complete. While the store is unreachable, the
   * reader gets an error, and `#end` stores the answer.
   */
  async #finish(finishReason: Extract<UIMessageChunk, { type: "finish" }>["finishReason"] = "other"): Promise<void> {
    if (this.#hasFinished) return;
    this.#hasFinished = true;
    let isStored = true;
    try {
      await this.#save(finishReason === "error" ? "failed" : "done");
      await this.#endGrants();
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      isStored = false;
      if (!this.#hasFailed) await this.#fail(error);
    }
    await this.of.stream.write({ type: "finish", finishReason: isStored ? finishReason : "error" });
  }

  async #fail(error: unknown): Promise<void> {
    this.#hasFailed = true;
    try {
      await this.of.stream.write({ type: "error", errorText: wordsOf(error) });
    } catch {
      // Its reader has disconnected.
    }
  }

  async #end(state: MessageState): Promise<void> {
    try {
      if (!this.#hasFinished && state !== "stopped") await this.#finish(state === "failed" ? "error" : "other");
      await this.of.stream.write("[DONE]");
    } catch (error) {
      if (!this.#hasLeft()) log.warn({ err: error }, "failed to store the end of a chat turn");
    } finally {
      this.of.stream.close();
      await whenStoreIsBack(async () => {
        await this.#save(state);
        await this.#endGrants();
      });
    }
  }

  async #save(state: MessageState): Promise<void> {
    const text = JSON.stringify(this.#answer.parts);
    if (this.#saved?.text === text && this.#saved.state === state) return;
    const { answer } = this.of.messages;
    await saveAnswer(answer, this.of.claim, text, state, this.#resultIds);
    this.#saved = { text, state };
    const { workspaceId, user } = this.of.caller;
    publishAnswerEvent({ _id: answer.chatId, workspaceId, ownerId: user._id }, answer._id, state);
  }

  async #endGrants(): Promise<void> {
    if (!this.#hasPlans) return;
    const { caller, chatId, turnId } = this.#turn;
    await endGrants({ workspaceId: caller.workspaceId, chatId, turnId });
    this.#hasPlans = false;
  }

  /** Whether the reader disconnected. A server that stops is different: the reader is informed. */
  #hasLeft(): boolean {
    const { signal } = this.of;
    return signal.aborted && (signal.reason as AppError).kind === "cancelled";
  }

  async #tools(): Promise<ToolSet> {
    const { caller, mode, messages } = this.of;
    const { tool: toSdk, jsonSchema } = await import("ai");
    const failedQueries = { count: 0 };
    const contextOf = (signal: AbortSignal): ToolContext => ({
      caller,
      signal,
      requireGrant: async (grant, target) => {
        await requireGrant(this.#turn, grant, target);
        await requireSameRole(caller);
      },
      mayWriteByQuery: (id) => hasGrant(this.#turn, "query-write", new Date(), { id }),
      chat: {
        id: this.#turn.chatId,
        keep: (resultId) => this.#resultIds.push(new ObjectId(resultId)),
        hasKept: async (resultId) => {
          const id = new ObjectId(resultId);
          return this.#resultIds.some((own) => own.equals(id)) || hasKeptResult(messages.user, id);
        },
        failedQueries,
        decision: async (agentSessionId) => {
          const refused = this.#refusedPlans.get(agentSessionId);
          if (refused) throw refused;
          return waitForDecision(this.#turn, agentSessionId, signal);
        },
        plannedDashboards: (target) => listPlannedDashboards(this.#turn, target),
      },
    });
    return Object.fromEntries(
      toolsOf(mode.id).map((each) => [
        each.name,
        toSdk({
          description: each.description,
          inputSchema: inputSchemaOf(each, jsonSchema),
          execute: (input: unknown, { abortSignal }) => runTool(each, contextOf(abortSignal ?? this.of.signal), input),
          toModelOutput: ({ output }) => ({
            type: "json",
            value: { notice: DATA_NOTICE, ...(output as object) } as never,
          }),
        }),
      ]),
    );
  }
}

const INPUT_SCHEMAS = new Map<string, Schema>();

/** Returns a tool's input for the SDK. The JSON Schema is built once, not with each step of each turn. */
function inputSchemaOf({ name, input }: Tool, toSchema: typeof jsonSchema): Schema {
  const known = INPUT_SCHEMAS.get(name);
  if (known) return known;
  const made = toSchema<unknown>(z.toJSONSchema(input, { io: "input" }) as Parameters<typeof jsonSchema>[0], {
    validate: (value) => {
      const { success, data, error } = input.safeParse(value);
      return success ? { success, value: data } : { success: false, error };
    },
  });
  INPUT_SCHEMAS.set(name, made);
  return made;
}

/** Adds the context after the user's message, as separate data: the chat stores only the user's text. */
function withContext(messages: ModelMessage[], context: string | null): ModelMessage[] {
  const last = messages.at(-1);
  if (context === null || last?.role !== "user") return messages;
  const content = typeof last.content === "string" ? [{ type: "text" as const, text: last.content }] : last.content;
  return [...messages.slice(0, -1), { ...last, content: [...content, { type: "text", text: context }] }];
}

/**
 * Repeats the work while the store is unreachable, at most STORE_WAIT_MS. Heartbeats hold the answer for this server.
 * @throws the last error
 */
async function whenStoreIsBack(work: () => Promise<void>): Promise<void> {
  for (const until = performance.now() + STORE_WAIT_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreAway(error) || performance.now() > until) throw error;
      await sleep(STORE_RETRY_MS, undefined, { ref: false });
    }
  }
}

const INTERRUPTED = "The answer was interrupted. Send the message again.";
const SILENT = "The model stopped responding. Try again or choose another model.";
const FAILED = "The model failed. Try again or choose another model.";

/** Statuses of busy providers; 529 is specific to one of them. */
const BUSY = new Set([429, 503, 529]);

/** Returns an error message without any text from a provider or a driver (T68). */
export function wordsOf(error: unknown): string {
  if (error instanceof ToolFailure || error instanceof AppError) return error.message;
  const { name, statusCode } = lastTryOf(error);
  const cause = causeOf(error);
  if (cause) return cause.message;
  const known = toAppError(error);
  if (known.kind !== "internal") return known.message;
  if (name === "AI_NoSuchToolError") return "Unknown tool.";
  if (name === "AI_InvalidToolInputError") return "Invalid tool input.";
  log.warn({ err: error, statusCode }, "a model request failed");
  if (statusCode === 401 || statusCode === 403) {
    return "The model provider rejected the API key. Contact the server administrator.";
  }
  if (statusCode !== undefined && BUSY.has(statusCode)) return "The model provider is overloaded. Try again later.";
  if (name === "TimeoutError" || name === "AbortError") return SILENT;
  return FAILED;
}

/** Returns the error of the last attempt, which is the relevant one. */
function lastTryOf(error: unknown): { name?: string; statusCode?: number } {
  const { lastError } = error as { lastError?: unknown };
  return (lastError instanceof Error ? lastError : error) as { name?: string; statusCode?: number };
}

/** Returns our own error that a library wrapped, once or after several attempts. */
function causeOf(error: unknown): AppError | null {
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < 5; depth += 1) {
    if (inner instanceof AppError) return inner;
    inner = inner.cause ?? (inner as { lastError?: unknown }).lastError;
  }
  return null;
}
