import { type ChosenEntity, type FlowDraft, NEW_FLOW } from "@/lib/features/flows/browser/flow-form";
import type { ScheduleBody } from "@/lib/features/runs/browser/schedules";

/** What of the page's store it needs, which is `sessionStorage`: another tab may make another flow at the same time. */
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const toKey = (userId: string, workspaceId: string) => `millrace:new-flow:${userId}:${workspaceId}`;

/** The form of a new flow that a person has begun in this tab, kept over reloads until it is saved or discarded. */
export class KeptFlow {
  readonly #key: string;

  constructor(
    userId: string,
    workspaceId: string,
    private readonly store: Store,
  ) {
    this.#key = toKey(userId, workspaceId);
  }

  /** @param connectionIds those that there are by now: what was chosen of one that is gone is chosen anew @returns null where nothing was begun */
  read(connectionIds: readonly string[]): FlowDraft | null {
    const draft = parseDraft(this.#text());
    if (draft === null) return null;
    const isThere = (id: string) => connectionIds.includes(id);
    return {
      ...draft,
      ...(!isThere(draft.sourceId) && { sourceId: "", entities: [] }),
      ...(!isThere(draft.destinationId) && { destinationId: "" }),
    };
  }

  /** A form as it was at first is none that was begun. */
  keep(draft: FlowDraft): void {
    if (!isBegun(draft)) {
      this.discard();
      return;
    }
    try {
      this.store.setItem(this.#key, JSON.stringify(draft));
    } catch {
      // A full or forbidden store: the form goes on without, and leaving it asks all the same.
    }
  }

  discard(): void {
    try {
      this.store.removeItem(this.#key);
    } catch {}
  }

  #text(): string | null {
    try {
      return this.store.getItem(this.#key);
    } catch {
      return null;
    }
  }
}

export function isBegun(draft: FlowDraft): boolean {
  return JSON.stringify(draft) !== JSON.stringify(NEW_FLOW);
}

/** What was kept by this version of the form; anything else is nothing. */
function parseDraft(text: string | null): FlowDraft | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isDraft(value) ? value : null;
}

function isDraft(value: unknown): value is FlowDraft {
  if (!isRecord(value)) return false;
  const { type, mode, write, entities, queryKey, schedule, enabled } = value;
  const texts = ["name", "sourceId", "query", "destinationId", "schema", "table"] as const;
  return (
    texts.every((name) => typeof value[name] === "string") &&
    isOneOf(type, ["sync", "query", "webhook"]) &&
    isOneOf(mode, ["full", "incremental"]) &&
    isOneOf(write, ["append", "replace", "upsert"]) &&
    typeof enabled === "boolean" &&
    isTexts(queryKey) &&
    Array.isArray(entities) &&
    entities.every(isEntity) &&
    (schedule === null || isSchedule(schedule))
  );
}

function isEntity(value: unknown): value is ChosenEntity {
  return (
    isRecord(value) &&
    typeof value.name === "string" &&
    (value.schema === undefined || typeof value.schema === "string") &&
    typeof value.cursorField === "string" &&
    isTexts(value.primaryKey)
  );
}

function isSchedule(value: unknown): value is ScheduleBody {
  return (
    isRecord(value) &&
    typeof value.cron === "string" &&
    typeof value.timezone === "string" &&
    typeof value.enabled === "boolean"
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isOneOf(value: unknown, all: readonly string[]): boolean {
  return typeof value === "string" && all.includes(value);
}
