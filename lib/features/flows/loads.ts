import "server-only";
import { createHash } from "node:crypto";
import type { DataSource } from "@/lib/features/connections/data-source";
import { AppError } from "@/lib/platform/http/errors";
import type { FlowDefinition, FlowDoc, FlowEntity } from "./model";

const NAME_HASH_CHARS = 16;

/**
 * Returns the name by which the destination knows the load. Another source, entity or cursor is another load, which
 * starts from the beginning. Another destination has no load of this name.
 */
export function loadNameOf(flow: Pick<FlowDoc, "_id" | "source">, { schema, name, cursorField }: FlowEntity): string {
  const facts = [flow.source?.connectionId.toHexString() ?? null, schema ?? null, name, cursorField ?? null];
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, NAME_HASH_CHARS);
  return `flow:${flow._id.toHexString()}:${digest}`;
}

/** Returns the loads of a flow that reads by a cursor: those whose position should be kept. */
export function loadNamesOf(_id: FlowDoc["_id"], definition: FlowDefinition): string[] {
  if (definition.type !== "sync") return [];
  return definition.source.entities.map((entity) => loadNameOf({ _id, source: definition.source }, entity));
}

/** @throws AppError `invalid_request` */
export function requireLoad(destination: DataSource): Required<DataSource>["load"] {
  if (!destination.load) throw new AppError("invalid_request", "Flows can't write to this connection type.");
  return destination.load.bind(destination);
}
