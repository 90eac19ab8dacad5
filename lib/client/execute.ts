import { findVariables, type TypedValue } from "@/lib/sql/variables";

/** The saved console whose statements take these values for their variables. */
export type Bound = { consoleId: string; variables: Record<string, TypedValue> };
/** What a statement is run on; `bound` is null when its console takes no values. */
export type ExecuteTarget = { workspaceId: string; connectionId: string; bound: Bound | null };
/** `limit` is left out for all rows of a stream (docs/api.md, Queries). */
type ExecuteOptions = { executionId: string; limit?: number; timeoutMs?: number };
export type ExecuteRequest = { url: string; body: Record<string, unknown> };

/** The request that runs a text. Values go beside it and are bound by the server, never written into it. */
export function toExecuteRequest(
  { workspaceId, connectionId, bound }: ExecuteTarget,
  text: string,
  options: ExecuteOptions,
): ExecuteRequest {
  const root = `/api/workspaces/${workspaceId}`;
  if (bound !== null && findVariables(text).length > 0) {
    const { consoleId, variables } = bound;
    return {
      url: `${root}/consoles/${consoleId}/execute`,
      body: { content: text, variables, connectionId, ...options },
    };
  }
  return { url: `${root}/databases/${connectionId}/execute`, body: { query: text, ...options } };
}
