import "server-only";
import { ObjectId } from "mongodb";
import { listConnections } from "@/lib/features/connections/service";
import { getConsole, listConsoles } from "@/lib/features/consoles/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { readCursor } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { entitiesOf, toDescription } from "../tools/connections";

const PAGE = 100;
/**
 * Maximum number of tables of a schema described in full. The others of a larger database are listed by name, and the
 * tools find them.
 */
const DESCRIBED_MAX = 200;
const NAMED_MAX = 5000;

export const TEMPLATES = [
  {
    uriTemplate: "millrace://connections/{id}/schema",
    name: "schema",
    description: "Tables, columns and foreign keys of a connection",
    mimeType: "application/json",
  },
  {
    uriTemplate: "millrace://consoles/{id}",
    name: "console",
    description: "Text of a saved console",
    mimeType: "text/plain",
  },
];

type Listed = { uri: string; name: string; description?: string; mimeType: string };

/**
 * Lists the schemas of the connections, then the consoles that the key's creator may see.
 * @throws AppError `invalid_request` for an unknown cursor
 */
export async function listResources(
  caller: Caller,
  cursor: string | undefined,
): Promise<{ resources: Listed[]; nextCursor?: string }> {
  const after = readCursor(cursor)?.toHexString();
  const page = await listConsoles(caller, { limit: PAGE, ...(after !== undefined && { cursor: after }) });
  const consoles = page.items.map(({ id, path, language }) => ({
    uri: `millrace://consoles/${id}`,
    name: path,
    mimeType: language === "sql" ? "application/sql" : "text/plain",
  }));
  const schemas = after === undefined ? await listSchemas(caller) : [];
  return { resources: [...schemas, ...consoles], ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) };
}

async function listSchemas(caller: Caller): Promise<Listed[]> {
  const { items } = await listConnections(caller, { limit: LIST_LIMIT_MAX });
  return items.map(({ id, name, type }) => ({
    uri: `millrace://connections/${id}/schema`,
    name: `${name}: schema`,
    description: `Tables of the connection ${name} (${type})`,
    mimeType: "application/json",
  }));
}

const SCHEMA = /^millrace:\/\/connections\/([0-9a-f]{24})\/schema$/i;
const CONSOLE = /^millrace:\/\/consoles\/([0-9a-f]{24})$/i;

/** @throws AppError `not_found`, the same for an invalid URI and for a resource that the key's creator cannot see */
export async function readResource(caller: Caller, uri: string, signal: AbortSignal) {
  const [, connectionId] = SCHEMA.exec(uri) ?? [];
  if (connectionId) {
    const entities = await entitiesOf(caller, connectionId, signal);
    const schema = {
      entities: entities.slice(0, DESCRIBED_MAX).map((entity) => toDescription(entities, entity)),
      total: entities.length,
      others: entities
        .slice(DESCRIBED_MAX, NAMED_MAX)
        .map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`)),
    };
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(schema) }] };
  }
  const [, consoleId] = CONSOLE.exec(uri) ?? [];
  if (consoleId) {
    const { content, language } = await getConsole(caller, new ObjectId(consoleId));
    return {
      contents: [{ uri, mimeType: language === "sql" ? "application/sql" : "text/plain", text: content }],
    };
  }
  throw new AppError("not_found", "Resource not found.");
}
