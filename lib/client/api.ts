import type { z } from "zod";
import type { LoginAnswer, LoginBody, RegisterAnswer, RegisterBody } from "@/lib/auth/schema";
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/client/connectivity";
import type { ExecuteRequest } from "@/lib/client/execute";
import type { Connection, ddlAnswer } from "@/lib/connections/schema";
import type { LastResult as SentResult } from "@/lib/consoles/schema";
import type { ExecuteAnswer as SentAnswer, TableRowsAnswer, tableCountAnswer, tableRowsBody } from "@/lib/query/schema";
import type { Entity, EntityColumn } from "@/lib/tabular/fields";
import type { ResultField, ResultRow } from "@/lib/tabular/json-rows";
import type { User } from "@/lib/users/schema";
import type { WorkspaceSummary } from "@/lib/workspaces/schema";

export type { Entity, EntityColumn, User, WorkspaceSummary };

/** One thing wrong with the input, as the envelope carries it. */
export type ApiProblem = { path: string; message: string };

/** A request that the server answered with a failure, or did not answer at all (`status` 0, code `unreachable`). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = undefined,
    /** Whole seconds until another try makes sense; null when the server does not say. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** The problems field by field; empty for failures of another kind. */
  get problems(): ApiProblem[] {
    return Array.isArray(this.details) ? this.details.filter(isProblem) : [];
  }
}

/** `bytes` is the size of the answer, counted here. */
export type ExecuteAnswer = Omit<SentAnswer, "rows" | "fields"> & {
  fields: ResultField[];
  rows: ResultRow[];
  bytes: number;
};

/** What is asked of a table; what is left out is as the server has it. */
export type TableRowsAsk = Pick<z.input<typeof tableRowsBody>, "table"> & Partial<z.input<typeof tableRowsBody>>;
export type TablePage = Omit<TableRowsAnswer, "rows" | "fields"> & { fields: ResultField[]; rows: ResultRow[] };
export type LastResult = Omit<SentResult, "rows" | "fields"> & Pick<ExecuteAnswer, "rows" | "fields" | "bytes">;

/** Everything that the browser asks of the server. Each function throws ApiError. */
export const api = {
  register: (body: RegisterBody) => send<RegisterAnswer>("POST", "/api/auth/register", { body }),
  login: (body: LoginBody) => send<LoginAnswer>("POST", "/api/auth/login", { body }),
  logout: () => send<unknown>("POST", "/api/auth/logout", { body: {} }),
  listConnections: (workspaceId: string, signal?: AbortSignal) =>
    sendAll<Connection>(`/api/workspaces/${workspaceId}/connectors`, { signal }),
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
  /** Runs what `toExecuteRequest` has made, and reads the whole answer. */
  execute: async ({ url, body }: ExecuteRequest, signal?: AbortSignal) => {
    const { data, bytes } = await request<Omit<ExecuteAnswer, "bytes">>("POST", url, { body, signal });
    return { ...data, bytes } satisfies ExecuteAnswer;
  },
  /** A console's last result, whoever ran it; null when none is kept. */
  readLastResult: async (workspaceId: string, consoleId: string, signal?: AbortSignal) => {
    const url = `/api/workspaces/${workspaceId}/consoles/${consoleId}/result`;
    const { data, bytes } = await request<Omit<LastResult, "bytes"> | null>("GET", url, { signal });
    return data && ({ ...data, bytes } satisfies LastResult);
  },
  cancelExecution: (workspaceId: string, executionId: string) =>
    send<unknown>("POST", `/api/workspaces/${workspaceId}/executions/${executionId}/cancel`, { body: {} }),
  /**
   * Resolves when the server is there, whatever state its parts are in.
   * @throws when nothing answers, when a proxy does for a server that is gone, and when the server is about to stop
   */
  ping: async () => {
    const answer = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
    const health: { status?: string; failing?: string } | null = await answer.json();
    if (health?.status === undefined || health.failing === "shutdown") throw new Error("There is no server");
  },
};

/** A server that is there and busy answers within this; one that takes longer is of no use to a reader either. */
const PING_TIMEOUT_MS = 5000;

/** The most that a list answers at once (docs/api.md, Common rules). */
const PAGE_ITEMS = 200;

/** `body` is sent as JSON, `bytes` as they are. */
type RequestOptions = { body?: unknown; bytes?: Blob; signal?: AbortSignal };

/**
 * Asks the server and unwraps its envelope: what the clients of the areas are made of.
 * @throws ApiError for every answer that is not a success, and for none at all
 */
export async function send<T>(method: string, url: string, options: RequestOptions = {}): Promise<T> {
  return (await request<T>(method, url, options)).data;
}

/**
 * All pages of a list whose answers are plain arrays: each answer has its limit, and says in a header how it goes on.
 * @param url without a query
 */
export async function sendAll<T>(url: string, options: RequestOptions = {}): Promise<T[]> {
  return (await sendPages<T[]>(url, options)).flat();
}

/** One page of an answer, and the cursor of the next one; null at the end. @param url with its query */
export async function sendPage<T>(
  url: string,
  options: RequestOptions = {},
): Promise<{ data: T; nextCursor: string | null }> {
  const { data, nextCursor } = await request<T>("GET", url, options);
  return { data, nextCursor };
}

/** The answers of all pages, the first one first; there is always one. */
export async function sendPages<T>(url: string, options: RequestOptions = {}): Promise<[T, ...T[]]> {
  const read = (cursor: string) => request<T>("GET", `${url}?limit=${PAGE_ITEMS}${cursor}`, options);
  let page = await read("");
  const pages: [T, ...T[]] = [page.data];
  while (page.nextCursor !== null) {
    page = await read(`&cursor=${encodeURIComponent(page.nextCursor)}`);
    pages.push(page.data);
  }
  return pages;
}

type Received<T> = { data: T; bytes: number; nextCursor: string | null };

function toContent({ body, bytes }: RequestOptions): Pick<RequestInit, "headers" | "body"> {
  if (bytes !== undefined) return { headers: { "content-type": "application/octet-stream" }, body: bytes };
  return body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function request<T>(method: string, url: string, options: RequestOptions): Promise<Received<T>> {
  const sentAfter = lastOutage();
  const { response, body } = await exchange(method, url, options);
  const answer = parseEnvelope(await body.text());
  // A page without an envelope may be of a proxy whose server is gone.
  if (answer !== null) reportReachable(sentAfter);
  if (response.ok && answer?.success === true) {
    return { data: answer.data as T, bytes: body.size, nextCursor: response.headers.get("x-next-cursor") };
  }
  throw toApiError(response.status, response.headers.get("retry-after"), answer);
}

/** An answer that is a file and no envelope. @throws ApiError for every answer that is not a success, and for none at all */
export async function readBytes(url: string, signal?: AbortSignal): Promise<Blob> {
  const { response, body } = await exchange("GET", url, { signal });
  if (response.ok) return body;
  throw toApiError(response.status, response.headers.get("retry-after"), parseEnvelope(await body.text()));
}

async function exchange(method: string, url: string, options: RequestOptions) {
  const { signal } = options;
  try {
    const response = await fetch(url, { method, ...toContent(options), signal, cache: "no-store" });
    return { response, body: await response.blob() };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    reportUnreachable();
    throw new ApiError(0, "unreachable", "The server did not answer. Check the network, then try again.");
  }
}

type Envelope = { success: boolean; data?: unknown; error?: unknown; code?: unknown; details?: unknown };

export function parseEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "success" in value ? (value as Envelope) : null;
  } catch {
    return null;
  }
}

/** @param retryAfterHeader whole seconds as text; null when the header is absent */
export function toApiError(status: number, retryAfterHeader: string | null, answer: Envelope | null): ApiError {
  const retryAfter = Number(retryAfterHeader ?? Number.NaN);
  return new ApiError(
    status,
    typeof answer?.code === "string" ? answer.code : "internal",
    typeof answer?.error === "string" ? answer.error : `The server answered with status ${status}. Try again.`,
    answer?.details,
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

function isProblem(item: unknown): item is ApiProblem {
  return typeof item === "object" && item !== null && "path" in item && "message" in item;
}
