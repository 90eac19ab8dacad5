import type { VariableValue } from "@/lib/features/query/schema";

/** The console that a text is of, null for one that was never saved, and the values for its variables. */
export type Bound = { consoleId: string | null; variables: Record<string, VariableValue> };
/** What a statement is run on; `bound` is null for a text of no console. */
export type ExecuteTarget = { workspaceId: string; connectionId: string; bound: Bound | null };
/** `limit` is left out for all rows of a stream (docs/develop/api.md, Queries). */
type ExecuteOptions = {
  executionId: string;
  limit?: number;
  /** Number of the result to begin with, of a statement with several, from 0. */
  result?: number;
  timeoutMs?: number;
  /** False for what is no result of the console: a plan, or the same rows once more. */
  keep?: false;
  /** True refuses all but reading, whatever the connection may do. */
  readOnly?: boolean;
};
export type ExecuteRequest = { url: string; body: Record<string, unknown> };

/**
 * The request that runs a text. What is of a saved console says so, since who sees the console decides who sees its text
 * in the history. Values go beside the text and are bound by the server, never written into it.
 */
export function toExecuteRequest(
  { workspaceId, connectionId, bound }: ExecuteTarget,
  text: string,
  options: ExecuteOptions,
): ExecuteRequest {
  const root = `/api/workspaces/${workspaceId}`;
  const { consoleId = null, variables = {} } = bound ?? {};
  if (consoleId !== null) {
    return {
      url: `${root}/consoles/${consoleId}/execute`,
      body: { content: text, variables, connectionId, ...options },
    };
  }
  const { keep: _, ...rest } = options;
  const values = Object.keys(variables).length > 0 ? { variables } : {};
  return { url: `${root}/databases/${connectionId}/execute`, body: { query: text, ...values, ...rest } };
}
