import type { Entity } from "@/lib/base/values/fields";
import type {
  ImportBody,
  ImportedTable,
  ImportLine,
  ImportPreview,
  ImportSettings,
  UploadedImport,
} from "@/lib/features/connections/imports/schema";
import type { Connection } from "@/lib/features/connections/schema";
import { linesCut, readLines } from "@/lib/platform/browser/lines";
import { ApiError, send } from "@/lib/platform/browser/request";
import { uploadTo } from "./client";
import { FILES_FILE } from "./imported-file";

export type ImportProgress = Extract<ImportLine<never>, { progress: unknown }>["progress"];
type Watch = { signal: AbortSignal; onProgress: (progress: ImportProgress) => void };

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/imports`;

/** Requests of the import page. Each function throws ApiError. */
export const importsApi = {
  upload: (workspaceId: string, file: File, options: Parameters<typeof uploadTo>[2]) =>
    uploadTo<UploadedImport>(root(workspaceId), file, options),
  read: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<UploadedImport>("GET", `${root(workspaceId)}/${id}`, { signal }),
  preview: (workspaceId: string, id: string, settings: ImportSettings, watch: Watch) =>
    sendLines<ImportPreview>(`${root(workspaceId)}/${id}/preview`, { settings }, watch),
  store: (workspaceId: string, id: string, body: ImportBody, watch: Watch) =>
    sendLines<ImportedTable>(`${root(workspaceId)}/${id}/table`, body, watch),
  remove: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}`),
  removeTable: (workspaceId: string, table: string) =>
    send<null>("DELETE", `/api/workspaces/${workspaceId}/imported-tables/${encodeURIComponent(table)}`),
  /** Returns the address of the rejected rows as CSV. */
  rejectedUrl: (workspaceId: string, id: string) => `${root(workspaceId)}/${id}/rejected-rows`,
};

/** Returns whether a table was imported from a file: such a table can be deleted. */
export function isImportedTable(
  connection: Pick<Connection, "config"> | null | undefined,
  { schema, kind }: Pick<Entity, "schema" | "kind">,
): boolean {
  return connection?.config.file === FILES_FILE && schema === undefined && kind === "table";
}

/** Sends a request whose answer is lines of progress and then the data. */
async function sendLines<T>(url: string, body: object, { signal, onProgress }: Watch): Promise<T> {
  for await (const line of readLines<ImportLine<T>>({ url, method: "POST", body }, { signal })) {
    if ("data" in line) return line.data;
    if ("error" in line) throw new ApiError(400, line.error.code, line.error.message);
    onProgress(line.progress);
  }
  throw linesCut();
}

/** Returns a table's name for a file: "orders_2026" for "Orders 2026.csv". */
export function toTableName(file: string): string {
  const name = file
    .replace(/\.[^.]*$/, "")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  if (name === "") return "table_1";
  return /^[0-9]/.test(name) ? `t_${name}` : name;
}
