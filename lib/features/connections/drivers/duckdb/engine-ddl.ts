import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import type { EngineClient } from "@/lib/platform/engines/client";
import type { Statement } from "../../data-source";
import { toScript } from "../shared/ddl";

/** Time limit for reading definitions, in ms. It takes milliseconds, but another statement may block the file. */
const DDL_TIMEOUT_MS = 10_000;

/** Returns the definitions of an entity from the file's catalogue. @param ask runs a query with one column */
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
