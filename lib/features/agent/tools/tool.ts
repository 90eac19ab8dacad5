import type { ObjectId } from "mongodb";
import type { z } from "zod";
import { toPathText } from "@/lib/base/values/problem-path";
import { type Caller, isConnectedApp, type Scope } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { PlanDoc, PlannedDashboard } from "../model";
import type { GrantTarget } from "../plans";
import type { AgentId, Grant } from "../schema";

/** Context of a tool call: the caller, and the grants. */
export type ToolContext = {
  /** The user whose rights limit the tool. */
  caller: Caller;
  /** Aborts when the client disconnects: running work is cancelled. */
  signal: AbortSignal;
  /** Checks the grant on every call. @throws AppError `not_allowed` without the grant */
  requireGrant: (grant: Grant, target?: GrantTarget) => Promise<void>;
  /** Whether queries may write on a connection that allows it. */
  mayWriteByQuery: (connectionId: string) => Promise<boolean>;
  /** Null for a client of the Model Context Protocol, which has no chat. */
  chat: ChatContext | null;
};

export type ChatContext = {
  id: ObjectId;
  /** Records a stored result: the chat's owner may open it. */
  keep: (resultId: string) => void;
  /** Whether a tool of this chat stored it. */
  hasKept: (resultId: string) => Promise<boolean>;
  /** Failed queries of this turn since the last successful one. */
  failedQueries: { count: number };
  /** Dashboards that the approved plans show; null stands for a plan that shows none. */
  plannedDashboards: (target: GrantTarget | null) => Promise<(PlannedDashboard | null)[]>;
  /** Waits for the user's decision on a proposed plan; null without one. */
  decision: (agentSessionId: string) => Promise<PlanDoc | null>;
};

/** An action for the agent and for a client of the Model Context Protocol. */
export type Tool = {
  name: string;
  /** For the model: its purpose and its use. */
  description: string;
  input: z.ZodType;
  output: z.ZodType;
  /** The grant it needs; null for a read-only tool. */
  writes: Grant | null;
  /** The permission that a connected app needs for a tool that writes; default: `write`. Null: no app may use it. */
  scope?: "build" | null;
  /** Whether it can remove existing data. */
  isDestructive?: true;
  agents: readonly AgentId[];
  /** Whether it needs a turn of a chat. */
  needsChat?: true;
  /** Differences of the input for a client without a chat: fields it must send, and fields that do not apply. */
  withoutChat?: { required: readonly string[]; absent: readonly string[] };
  run: (context: ToolContext, input: unknown) => Promise<unknown>;
};

type Declared<I extends z.ZodType, O extends z.ZodType> = Omit<Tool, "input" | "output" | "run"> & {
  input: I;
  output: O;
  run: (context: ToolContext, input: z.output<I>) => Promise<z.input<O>>;
};

/**
 * Defines a tool whose `run` is typed by its schemas; the input is parsed again, since models and clients send
 * anything.
 */
export function defineTool<I extends z.ZodType, O extends z.ZodType>({ run, ...tool }: Declared<I, O>): Tool {
  return { ...tool, run: async (context, input) => run(context, tool.input.parse(input)) };
}

export const BOTH: readonly AgentId[] = ["console", "flow"];

/** Returns the permission that a connected app needs; null if no app may use the tool. */
export function scopeOf({ writes, scope }: Tool): Scope | null {
  if (writes === null) return "read";
  return scope === undefined ? "write" : scope;
}

/**
 * No permission of a connected app is to share.
 * @param instead what the person can do
 * @throws AppError `not_allowed` for a connected app
 */
export function requireMayShare(caller: Caller, instead: string): void {
  if (isConnectedApp(caller)) throw new AppError("not_allowed", `Connected apps can't share. ${instead}`);
}

/** Parses the input of a service. @throws AppError `invalid_request` with the first problem */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const outcome = schema.safeParse(input);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  throw new AppError("invalid_request", `${toPathText(issue?.path ?? [])}: ${issue?.message ?? "malformed"}`);
}
