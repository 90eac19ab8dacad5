import type { Entity, EntityColumn } from "@/lib/base/values/fields";
import type { CreateFlowBody, Flow, UpdateFlowBody } from "@/lib/features/flows/schema";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";

export type ChosenEntity = { name: string; schema?: string; cursorField: string; primaryKey: string[] };

/** Form values of a flow, before they become a definition. An empty text means that nothing was chosen. */
export type FlowDraft = {
  name: string;
  type: Flow["type"];
  sourceId: string;
  entities: ChosenEntity[];
  query: string;
  queryKey: string[];
  destinationId: string;
  schema: string;
  table: string;
  mode: Flow["mode"];
  write: Flow["destination"]["write"];
  schedule: ScheduleBody | null;
  enabled: boolean;
};

export const NEW_FLOW: FlowDraft = {
  name: "",
  type: "sync",
  sourceId: "",
  entities: [],
  query: "",
  queryKey: [],
  destinationId: "",
  schema: "",
  table: "",
  mode: "full",
  write: "replace",
  schedule: null,
  enabled: true,
};

export function toDraft(flow: Flow): FlowDraft {
  const { source, destination, schedule } = flow;
  const isSync = source !== null && "entities" in source;
  return {
    name: flow.name,
    type: flow.type,
    sourceId: source?.connectionId ?? "",
    entities: isSync
      ? source.entities.map(({ cursorField = "", primaryKey = [], ...entity }) => ({
          ...entity,
          cursorField,
          primaryKey,
        }))
      : [],
    query: source !== null && "query" in source ? source.query : "",
    queryKey: source !== null && "query" in source ? (source.primaryKey ?? []) : [],
    destinationId: destination.connectionId,
    schema: destination.schema ?? "",
    table: destination.table ?? "",
    mode: flow.mode,
    write: destination.write,
    schedule: schedule && { cron: schedule.cron, timezone: schedule.timezone, enabled: schedule.enabled },
    enabled: flow.enabled,
  };
}

/**
 * Returns the body that creates the flow.
 * @param trigger whether it runs immediately
 */
export function toCreateBody(draft: FlowDraft, trigger: boolean): CreateFlowBody {
  const common = {
    name: draft.name.trim(),
    destination: toDestination(draft),
    enabled: draft.enabled,
    trigger,
    ...(draft.type !== "webhook" && draft.schedule !== null && { schedule: draft.schedule }),
  };
  if (draft.type === "webhook") return { type: "webhook", ...common };
  if (draft.type === "query") return { type: "query", source: toQuerySource(draft), mode: "full", ...common };
  return { type: "sync", source: toSyncSource(draft), mode: draft.mode, ...common };
}

/**
 * Returns only the changed fields. Saving a schedule changes the user that it runs as, and a running flow can still be
 * renamed.
 */
export function toUpdateBody(draft: FlowDraft, flow: Flow): UpdateFlowBody {
  const before = toDraft(flow);
  const body: UpdateFlowBody = { updatedAt: flow.updatedAt };
  if (draft.name.trim() !== before.name) body.name = draft.name.trim();
  if (draft.enabled !== before.enabled) body.enabled = draft.enabled;
  if (draft.mode !== before.mode) body.mode = draft.mode;
  if (!isSame(toDestination(draft), toDestination(before))) body.destination = toDestination(draft);
  if (draft.type !== "webhook") {
    const toSource = draft.type === "sync" ? toSyncSource : toQuerySource;
    if (!isSame(toSource(draft), toSource(before))) body.source = toSource(draft);
    if (!isSame(draft.schedule, before.schedule)) body.schedule = draft.schedule;
  }
  return body;
}

function toSyncSource({ sourceId, entities }: FlowDraft) {
  return {
    connectionId: sourceId,
    entities: entities.map(({ name, schema, cursorField, primaryKey }) => ({
      name,
      ...(schema !== undefined && { schema }),
      ...(cursorField !== "" && { cursorField }),
      ...(primaryKey.length > 0 && { primaryKey }),
    })),
  };
}

function toQuerySource({ sourceId, query, queryKey }: FlowDraft) {
  return { connectionId: sourceId, query, ...(queryKey.length > 0 && { primaryKey: queryKey }) };
}

function toDestination({ destinationId, schema, table, write }: FlowDraft) {
  return {
    connectionId: destinationId,
    ...(schema.trim() !== "" && { schema: schema.trim() }),
    ...(table.trim() !== "" && { table: table.trim() }),
    write,
  };
}

/** Resolves dependent fields after a change: a value that is no longer possible becomes the nearest possible one. */
export function settle(draft: FlowDraft): FlowDraft {
  const { type, entities } = draft;
  const mode = type === "sync" ? draft.mode : "full";
  const mustKeep = type === "webhook" || mode === "incremental";
  const write = draft.write === "replace" && mustKeep ? (type === "webhook" ? "append" : "upsert") : draft.write;
  const table = type === "sync" && entities.length > 1 ? "" : draft.table;
  return { ...draft, mode, write, table };
}

type EntityField = `entities.${number}.${"name" | "cursorField" | "primaryKey"}`;
/** A field of the form that can show a problem. */
export type FlowField = keyof FlowDraft | `schedule.${"cron" | "timezone"}` | EntityField;

/** Returns the missing fields. The server validates the rest. */
export function findDraftProblems(draft: FlowDraft): Partial<Record<FlowField, string>> {
  const problems: Partial<Record<FlowField, string>> = {};
  const need = (isThere: boolean, field: FlowField, message: string) => {
    if (!isThere) problems[field] = message;
  };
  need(draft.name.trim() !== "", "name", "Enter a name.");
  if (draft.type !== "webhook") need(draft.sourceId !== "", "sourceId", "Select a source connection.");
  if (draft.type === "sync") need(draft.entities.length > 0, "entities", "Select at least one table.");
  if (draft.type === "query") {
    need(draft.query.trim() !== "", "query", "Enter a query.");
    need(draft.write !== "upsert" || draft.queryKey.length > 0, "queryKey", KEY_NEEDED);
  }
  need(draft.destinationId !== "", "destinationId", "Select a destination connection.");
  if (draft.type !== "sync") return problems;
  for (const [index, entity] of draft.entities.entries()) {
    const isReady = draft.mode !== "incremental" || entity.cursorField !== "";
    need(isReady, `entities.${index}.cursorField`, "Select a cursor field.");
    need(draft.write !== "upsert" || entity.primaryKey.length > 0, `entities.${index}.primaryKey`, KEY_NEEDED);
  }
  return problems;
}

const FIELDS: Readonly<Record<string, FlowField>> = {
  name: "name",
  mode: "mode",
  "schedule.cron": "schedule.cron",
  "schedule.timezone": "schedule.timezone",
  "source.connectionId": "sourceId",
  "source.query": "query",
  "destination.connectionId": "destinationId",
  "destination.schema": "schema",
  "destination.table": "table",
  "destination.write": "write",
};

/** Returns the field of a path in the request; null if the form has none. */
export function toFlowField(path: string): FlowField | null {
  const entity = /^source\.entities\.(\d+)\.(name|cursorField|primaryKey)\b/.exec(path);
  if (entity) return `entities.${entity[1]}.${entity[2]}` as EntityField;
  if (path.startsWith("source.entities")) return "entities";
  if (path.startsWith("source.primaryKey")) return "queryKey";
  return FIELDS[path] ?? null;
}

const KEY_NEEDED = "Enter the primary key columns.";

/** Names that grow with every change of a row, best first; then those that grow with every new row. */
const CHANGED = [
  /^(updated|modified|changed|last_?(modified|updated|changed))(_?(at|on|date|time))?$/i,
  /updat|modif|chang/i,
];
const MADE = [/^(created|inserted|added|placed)(_?(at|on|date|time))?$/i, /creat|insert/i];
const IN_TIME = /time|date/i;
const COUNTED = /int|serial|number|decimal|numeric/i;

/** Returns the field to use as the cursor: the time of change, else the time of creation, else a serial number. */
export function guessCursor(columns: readonly EntityColumn[]): string {
  const inTime = columns.filter(({ type }) => IN_TIME.test(type));
  for (const pattern of [...CHANGED, ...MADE]) {
    const found = inTime.find(({ name }) => pattern.test(name));
    if (found) return found.name;
  }
  const key = columns.filter(({ primaryKey }) => primaryKey);
  return key.length === 1 && key[0] && COUNTED.test(key[0].type) ? key[0].name : "";
}

/** Returns the initial settings of an entity: its own key, and the cursor that its columns suggest. */
export function toChosen({ name, schema, columns = [] }: Entity): ChosenEntity {
  return {
    name,
    ...(schema !== undefined && { schema }),
    cursorField: guessCursor(columns),
    primaryKey: columns.filter(({ primaryKey }) => primaryKey).map((column) => column.name),
  };
}

export function isSameEntity(a: { name: string; schema?: string }, b: { name: string; schema?: string }): boolean {
  return a.name === b.name && a.schema === b.schema;
}

/** Splits "a, b" into names. */
export function toNames(text: string): string[] {
  return [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "");
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
