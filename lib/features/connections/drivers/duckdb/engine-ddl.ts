import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import type { EngineClient } from "@/lib/platform/engines/client";
import type { Statement } from "../../data-source";
import { toScript } from "../shared/ddl";

/** A catalogue in the same file is read in milliseconds; another's statement may hold the file for a while. */
const DDL_TIMEOUT_MS = 10_000;

/** The texts that a file's own catalogue keeps of an entity. @param ask with one column */
export async function readFileDdl(
  client: EngineClient,
  { query, params }: Statement & { query: string },
  { name }: Entity,
  signal: AbortSignal,
): Promise<string> {
  const request = { type: "execute" as const, query, readOnly: true, timeoutMs: DDL_TIMEOUT_MS, cellBytesMax: null };
  const { batches } = await client.execute({ ...request, ...(params && { params }) }, signal);
  const texts: unknown[] = [];
  for await (const { columns } of batches) texts.push(...(columns[0] ?? []));
  return toScript(texts, name);
}
