import { type ChosenEntity, type FlowDraft, NEW_FLOW } from "@/lib/features/flows/browser/flow-form";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";

/** The part of `sessionStorage` that drafts need. Storage for each tab lets two tabs create flows at the same time. */
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const toKey = (userId: string, workspaceId: string) => `millrace:new-flow:${userId}:${workspaceId}`;

/** Draft of a new flow in this tab, kept over reloads until it is saved or discarded. */
export class KeptFlow {
  readonly #key: string;

  constructor(
    userId: string,
    workspaceId: string,
    private readonly store: Store,
  ) {
    this.#key = toKey(userId, workspaceId);
  }

  /**
   * Returns the draft; choices in connections that no longer exist are cleared.
   * @param connectionIds ids of the existing connections
   * @returns null if there is no draft
   */
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

  /** An unchanged form is not kept. */
  keep(draft: FlowDraft): void {
    if (!isBegun(draft)) {
      this.discard();
      return;
    }
    try {
      this.store.setItem(this.#key, JSON.stringify(draft));
    } catch {
      // The storage is full or forbidden: the form works without it, and leaving the page still asks for confirmation.
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

/** Returns null for a draft of another version of the form. */
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
