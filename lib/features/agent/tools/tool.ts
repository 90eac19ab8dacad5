import type { ObjectId } from "mongodb";
import type { z } from "zod";
import type { Caller } from "@/lib/platform/access/caller";
import type { PlanDoc } from "../model";
import type { GrantTarget } from "../plans";
import type { AgentId, Grant } from "../schema";

/** What a tool is called with beside its input: on whose behalf, and what they have allowed. */
export type ToolContext = {
  /** A tool can do what they can, and nothing more. */
  caller: Caller;
  /** Aborts when whoever waits for it has left: what runs is ended. */
  signal: AbortSignal;
  /** @throws AppError `not_allowed` without the grant, asked anew each time */
  requireGrant: (grant: Grant, target?: GrantTarget) => Promise<void>;
  /** Whether queries may write on a connection that lets them. */
  mayWriteByQuery: (connectionId: string) => Promise<boolean>;
  /** Null for a client of the Model Context Protocol, who has no chat. */
  chat: ChatContext | null;
};

export type ChatContext = {
  id: ObjectId;
  /** Notes a result that was kept: the chat's owner may open it. */
  keep: (resultId: string) => void;
  /** Whether a tool of this chat has kept it. */
  hasKept: (resultId: string) => Promise<boolean>;
  /** Failed queries of this turn since one that worked. */
  failedQueries: { count: number };
  /** Waits for what the person decides on a plan that was put before them; null when they have not. */
  decision: (agentSessionId: string) => Promise<PlanDoc | null>;
};

/** One thing that the agent can do, and a client of the Model Context Protocol. */
export type Tool = {
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  input: z.ZodType;
  output: z.ZodType;
  /** The grant that it needs; null for what only reads. */
  writes: Grant | null;
  /** It can take away what was there. */
  isDestructive?: true;
  agents: readonly AgentId[];
  /** Only within a turn of the chat. */
  needsChat?: true;
  /** Differences of the input for a client without a chat: fields it must send, and fields without a meaning there. */
  withoutChat?: { required: readonly string[]; absent: readonly string[] };
  run: (context: ToolContext, input: unknown) => Promise<unknown>;
};

type Declared<I extends z.ZodType, O extends z.ZodType> = Omit<Tool, "input" | "output" | "run"> & {
  input: I;
  output: O;
  run: (context: ToolContext, input: z.output<I>) => Promise<z.input<O>>;
};

/** A tool whose `run` is held to its schemas; its input is parsed again, since models and clients send anything. */
export function defineTool<I extends z.ZodType, O extends z.ZodType>({ run, ...tool }: Declared<I, O>): Tool {
  return { ...tool, run: async (context, input) => run(context, tool.input.parse(input)) };
}

export const BOTH: readonly AgentId[] = ["console", "flow"];
