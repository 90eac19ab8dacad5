import type { StoredFile, UploadedFile } from "@/lib/features/connections/files/schema";
import type {
  Connection,
  ConnectionType,
  ConnectionUse,
  CreateConnectionBody,
  ListedConnection,
  TestAnswer,
  TestConnectionBody,
  UpdateConnectionBody,
} from "@/lib/features/connections/schema";
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { sendListPage, toIdLists } from "@/lib/platform/browser/lists";
import { ApiError, parseEnvelope, send, toApiError } from "@/lib/platform/browser/request";

/** The outcome of a connection test. A failed test is an answer here, not an error. */
export type TestOutcome = TestAnswer;
/** A use that blocks the deletion of a connection. */
export type Usage = ConnectionUse;

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;

/** Requests of the connection pages. Each function throws ApiError. */
export const connectionsApi = {
  listTypes: (signal?: AbortSignal) => send<ConnectionType[]>("GET", "/api/connectors/types", { signal }),
  /** Returns the numbers of consoles and flows that use each of these connections, by its id. */
  countUses: async (workspaceId: string, ids: readonly string[], signal?: AbortSignal) => {
    const read = (list: string) =>
      send<ListedConnection[]>("GET", `${root(workspaceId)}/connectors?uses=true&limit=200&ids=${list}`, { signal });
    const found = (await Promise.all(toIdLists(ids).map(read))).flat();
    return new Map(found.flatMap(({ id, uses }) => (uses ? [[id, uses] as const] : [])));
  },
  read: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<Connection>("GET", `${root(workspaceId)}/connectors/${id}`, { signal }),
  create: (workspaceId: string, body: CreateConnectionBody) =>
    send<Connection>("POST", `${root(workspaceId)}/connectors`, { body }),
  /** Updates a connection. A secret that is not sent keeps its stored value. */
  update: (workspaceId: string, id: string, body: Omit<UpdateConnectionBody, "type">) =>
    send<Connection>("PATCH", `${root(workspaceId)}/connectors/${id}`, { body }),
  /** Tests a config that is not saved. */
  tryConfig: (workspaceId: string, body: TestConnectionBody, signal?: AbortSignal) =>
    send<TestOutcome>("POST", `${root(workspaceId)}/connectors/test`, { body, signal }),
  test: (workspaceId: string, id: string) =>
    send<TestOutcome>("POST", `${root(workspaceId)}/connections/sources/${id}/test`),
  listUses: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<Usage[]>("GET", `${root(workspaceId)}/connectors/${id}/uses`, { signal }),
  /** Deletes a connection. Without `force`, one in use is refused with `in_use` and the list of its users. */
  remove: (workspaceId: string, id: string, options: { force: boolean }) =>
    send<null>("DELETE", `${root(workspaceId)}/connections/sources/${id}${options.force ? "?force=true" : ""}`),
  /** @param cursor of the previous page; null for the first page */
  listFiles: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendListPage<StoredFile[]>(`${root(workspaceId)}/files`, cursor, signal),
  removeFile: (workspaceId: string, file: string) =>
    send<null>("DELETE", `${root(workspaceId)}/files/${encodeURIComponent(file)}`),
  uploadFile: (workspaceId: string, file: File, options: UploadOptions) =>
    uploadTo<UploadedFile>(`${root(workspaceId)}/files`, file, options),
};

type UploadOptions = { onProgress: (sentBytes: number) => void; signal: AbortSignal };

/**
 * Uploads a file unchanged. Uses XMLHttpRequest, since fetch does not report upload progress.
 * @param onProgress bytes sent so far
 * @throws ApiError; the signal's reason when it was aborted
 */
export function uploadTo<T>(url: string, file: File, options: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const sentAfter = lastOutage();
    const abort = () => request.abort();
    options.signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => options.onProgress(event.loaded);
    request.onabort = () => reject(options.signal.reason);
    request.onerror = () => {
      reportUnreachable();
      reject(
        new ApiError(0, "unreachable", "The upload was interrupted. Check your network, then upload the file again."),
      );
    };
    request.onload = () => {
      const answer = parseEnvelope(request.responseText);
      if (answer !== null) reportReachable(sentAfter);
      if (request.status < 300 && answer?.success === true) resolve(answer.data as T);
      else reject(toApiError(request.status, request.getResponseHeader("retry-after"), answer));
    };
    request.onloadend = () => options.signal.removeEventListener("abort", abort);
    request.open("POST", `${url}?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.send(file);
  });
}

/** Returns the uses of a connection from an `in_use` error; null for every other error. */
export function toUsages(error: unknown): Usage[] | null {
  if (!(error instanceof ApiError) || error.code !== "in_use") return null;
  return Array.isArray(error.details) ? error.details.filter(isUsage) : [];
}

function isUsage(item: unknown): item is Usage {
  return typeof item === "object" && item !== null && "kind" in item && "id" in item && "name" in item;
}
