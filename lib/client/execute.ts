import type { TypedValue } from "@/lib/sql/variables";

/** The saved console that a text is of, and the values for its variables. */
export type Bound = { consoleId: string; variables: Record<string, TypedValue> };
/** What a statement is run on; `bound` is null for a console that was never saved. */
export type ExecuteTarget = { workspaceId: string; connectionId: string; bound: Bound | null };
/** `limit` is left out for all rows of a stream (docs/api.md, Queries). */
type ExecuteOptions = { executionId: string; limit?: number; timeoutMs?: number };
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
  if (bound !== null) {
    const { consoleId, variables } = bound;
    return {
      url: `${root}/consoles/${consoleId}/execute`,
      body: { content: text, variables, connectionId, ...options },
    };
  }
  return { url: `${root}/databases/${connectionId}/execute`, body: { query: text, ...options } };
}
