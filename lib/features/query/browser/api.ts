import type { z } from "zod";
import type { Question } from "@/lib/base/questions/question";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { Connection, ddlAnswer } from "@/lib/features/connections/schema";
import type { LastResult as SentResult } from "@/lib/features/consoles/schema";
import type { ExecuteRequest } from "@/lib/features/query/browser/execute";
import type { QuestionAnswer, questionBody } from "@/lib/features/query/question/schema";
import type {
  ResultAnswer,
  RowChangesAnswer,
  rowChangesBody,
  ExecuteAnswer as SentAnswer,
  TableRowsAnswer,
  tableCountAnswer,
  tableRowsBody,
} from "@/lib/features/query/schema";
import { sendListPage } from "@/lib/platform/browser/lists";
import { request, send } from "@/lib/platform/browser/request";

/** `bytes` is the size of the response, counted here. */
export type ExecuteAnswer = Omit<SentAnswer, "rows" | "fields" | "moreResults"> & {
  fields: ResultField[];
  rows: ResultRow[];
  moreResults: FurtherResult[];
  bytes: number;
};
export type FurtherResult = Omit<ResultAnswer, "rows" | "fields"> & { fields: ResultField[]; rows: ResultRow[] };

/** Request for rows of a table; omitted fields get the server's defaults. */
export type TableRowsAsk = Pick<z.input<typeof tableRowsBody>, "table"> & Partial<z.input<typeof tableRowsBody>>;
type QuestionAsk = z.input<typeof questionBody>;
/** Request to change rows; omitted fields get the server's defaults. */
type RowChangesAsk = z.input<typeof rowChangesBody>;
export type TablePage = Omit<TableRowsAnswer, "rows" | "fields"> & { fields: ResultField[]; rows: ResultRow[] };
export type QuestionResult = Pick<ExecuteAnswer, "fields" | "rows" | "rowCount" | "truncated" | "durationMs"> & {
  sql: string;
};
export type LastResult = Omit<SentResult, "rows" | "fields"> & Pick<ExecuteAnswer, "rows" | "fields" | "bytes">;

/** API client for connections, queries and the server itself. Each function throws ApiError. */
export const api = {
  /** Lists connections, oldest first. @param cursor of the previous page; null for the first page */
  listConnections: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendListPage<Connection[]>(`/api/workspaces/${workspaceId}/connectors`, cursor, signal),
  /** Returns connections by their ids, at most a page, or the first page of those whose names contain a text. */
  lookUpConnections: (workspaceId: string, wanted: { ids: string } | { q: string }, signal?: AbortSignal) =>
    send<Connection[]>(
      "GET",
      `/api/workspaces/${workspaceId}/connectors?${new URLSearchParams({ limit: "200", ...wanted })}`,
      { signal },
    ),
  listEntities: (
    workspaceId: string,
    connectionId: string,
    options: { refresh?: boolean; signal?: AbortSignal } = {},
  ) =>
    send<Entity[]>(
      "GET",
      `/api/workspaces/${workspaceId}/connectors/${connectionId}/entities${options.refresh ? "?refresh=1" : ""}`,
      { signal: options.signal },
    ),
  readDdl: (workspaceId: string, connectionId: string, table: TableRowsAsk["table"], signal?: AbortSignal) =>
    send<z.infer<typeof ddlAnswer>>(
      "GET",
      `/api/workspaces/${workspaceId}/connectors/${connectionId}/entities/ddl?${new URLSearchParams(table)}`,
      { signal },
    ),
  readTableRows: (workspaceId: string, connectionId: string, body: TableRowsAsk, signal?: AbortSignal) =>
    send<TablePage>("POST", `/api/workspaces/${workspaceId}/databases/${connectionId}/rows`, { body, signal }),
  countTableRows: (workspaceId: string, connectionId: string, body: Pick<TableRowsAsk, "table" | "filters">) =>
    send<z.infer<typeof tableCountAnswer>>(
      "POST",
      `/api/workspaces/${workspaceId}/databases/${connectionId}/rows/count`,
      { body },
    ),
  changeRows: (workspaceId: string, connectionId: string, body: RowChangesAsk, signal?: AbortSignal) =>
    send<RowChangesAnswer>("POST", `/api/workspaces/${workspaceId}/databases/${connectionId}/rows/changes`, {
      body,
      signal,
    }),
  askQuestion: (workspaceId: string, connectionId: string, body: QuestionAsk, signal?: AbortSignal) =>
    send<QuestionResult>("POST", `/api/workspaces/${workspaceId}/databases/${connectionId}/question`, {
      body,
      signal,
    }),
  /** Returns the statement of a question, without running it. */
  explainQuestion: (workspaceId: string, connectionId: string, question: Question, signal?: AbortSignal) =>
    send<QuestionAnswer>("POST", `/api/workspaces/${workspaceId}/databases/${connectionId}/question`, {
      body: { question, dryRun: true } satisfies QuestionAsk,
      signal,
    }),
  /** Sends a request of `toExecuteRequest`, and reads the whole response. */
  execute: async ({ url, body }: ExecuteRequest, signal?: AbortSignal) => {
    const { data, bytes } = await request<Omit<ExecuteAnswer, "bytes">>("POST", url, { body, signal });
    return { ...data, bytes } satisfies ExecuteAnswer;
  },
  /** Returns a console's last result, from any user; null if none is stored. */
  readLastResult: async (workspaceId: string, consoleId: string, signal?: AbortSignal) => {
    const url = `/api/workspaces/${workspaceId}/consoles/${consoleId}/result`;
    const { data, bytes } = await request<Omit<LastResult, "bytes"> | null>("GET", url, { signal });
    return data && ({ ...data, bytes } satisfies LastResult);
  },
  cancelExecution: (workspaceId: string, executionId: string) =>
    send<unknown>("POST", `/api/workspaces/${workspaceId}/executions/${executionId}/cancel`, { body: {} }),
};
