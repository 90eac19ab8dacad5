import type { Entity } from "@/lib/base/values/fields";
import { type ChosenEntity, isSameEntity } from "@/lib/features/flows/browser/flow-form";

/** An entity to choose from. `isGone` marks a chosen one that the source no longer has. */
export type EntityChoice = Entity & { isGone?: true };

/** Chosen entities, those that match the search and are not chosen, and whether anything matches. */
export type EntityChoices = { chosen: EntityChoice[]; rest: Entity[]; hasHits: boolean };

/**
 * Splits the entities of a source into chosen ones and others. The search does not hide chosen ones.
 * @param schema the only schema to list; empty for all
 */
export function toEntityChoices(
  all: readonly Entity[],
  picked: readonly ChosenEntity[],
  { search, schema }: { search: string; schema: string },
): EntityChoices {
  const wanted = search.trim().toLowerCase();
  const found = all.filter(
    (entity) => (schema === "" || entity.schema === schema) && entity.name.toLowerCase().includes(wanted),
  );
  return {
    chosen: picked.map(
      (each) => all.find((entity) => isSameEntity(entity, each)) ?? { ...each, kind: "table", isGone: true },
    ),
    rest: found.filter((entity) => !picked.some((each) => isSameEntity(each, entity))),
    hasHits: found.length > 0,
  };
}

/** Returns the schemas of entities, sorted; an entity without a schema adds an empty name. */
export function schemasOf(entities: readonly Entity[]): string[] {
  return [...new Set(entities.map(({ schema }) => schema ?? ""))].sort();
}
