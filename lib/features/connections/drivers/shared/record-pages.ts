import "server-only";
import { createHash } from "node:crypto";
import type { Field } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import type { Checkpoint, ExtractBatch, ExtractRequest, ExtractStream } from "../../data-source";
import { type CursorValue, compareCursors, toCursorValue } from "./cursor-value";
import { sourceFailure } from "./http-client";
import { isObject, RecordTable, TooManyFields } from "./record-table";

/** Maximum pages of a run: the next one continues from its checkpoint. Also stops a source without an end. */
const PAGES_MAX = 100_000;
/** Maximum consecutive pages without a record. */
const EMPTY_PAGES_MAX = 100;
/** Records of one cursor value that a checkpoint distinguishes by key; records beyond may be repeated. */
const KEYS_MAX = 500;
const DIGEST_CHARS = 16;
/** Two pages with one record and the same key may be two versions of it; two full pages are not. */
const COMPARED_RECORDS_MIN = 2;

/** The start of a page, in the source's terms: a number, an offset, a token, a URL. */
export type PagePlace = string | number;
export type RecordPage = {
  records: readonly unknown[];
  /** Null at the end. */
  next: PagePlace | null;
  /** `next` contains a secret, so it can be followed but not stored. */
  isSecret?: boolean;
  /** Returns the position after a record, where the source can resume after any of them. */
  placeAfter?: (record: unknown) => PagePlace | null;
};

/** Reads one page. `since` is the last cursor value of the previous complete reading, null for all. */
export type ReadPage = (place: PagePlace | null, since: CursorValue | null) => Promise<RecordPage>;

/**
 * The state between two readings. A service returns its records in any order, so cursor values count only when a
 * reading is complete: until then `top` waits beside `since`, and `next` is where to resume.
 */
type Position = {
  since?: CursorValue;
  /** Digests of the keys of records whose value equals `since` (or `top`). */
  sinceKeys?: readonly string[];
  top?: CursorValue;
  topKeys?: readonly string[];
  next?: PagePlace;
  /** Number of records of the page at `next` that are stored already; `skipped` is their digest. */
  skip?: number;
  skipped?: string;
};

/**
 * Returns the records of a service, page by page, as the batches of a flow. Detects a source that repeats itself or
 * never ends.
 * @throws AppError `invalid_request`, `source_unreachable`, `timeout`
 */
export async function extractRecords(request: ExtractRequest, read: ReadPage): Promise<ExtractStream> {
  const reading = new Reading(request, read);
  const first = await reading.nextPage();
  return { fields: reading.fields, batches: reading.batches(first) };
}

class Reading {
  readonly #request: ExtractRequest;
  readonly #read: ReadPage;
  readonly #table = new RecordTable();
  readonly #seenPages = new Set<string>();
  readonly #seenKeys = new Set<string>();
  readonly #seenPlaces = new Set<PagePlace>();
  readonly #since: CursorValue | null;
  readonly #sinceKeys: ReadonlySet<string>;
  #top: CursorValue | null;
  #topKeys: string[] | null;
  #place: PagePlace | null;
  #isPlaceSecret = false;
  /** The skipped records of the first page, while it is unchanged. */
  readonly #skip: { count: number; digest: string } | null;
  #pages = 0;
  #emptyPages = 0;
  #hasCursor = false;

  constructor(request: ExtractRequest, read: ReadPage) {
    const position = toPosition(request.from);
    this.#request = request;
    this.#read = read;
    this.#since = request.cursorField === null ? null : (position.since ?? null);
    this.#sinceKeys = new Set(position.sinceKeys);
    this.#top = position.top ?? this.#since;
    // A copy: the caller's checkpoint never changes.
    const topKeys = position.top === undefined ? (position.sinceKeys ?? []) : position.topKeys;
    this.#topKeys = topKeys === undefined ? null : [...topKeys];
    this.#place = position.next ?? null;
    const { skip, skipped } = position;
    this.#skip = skip === undefined || skipped === undefined ? null : { count: skip, digest: skipped };
  }

  get fields(): Field[] {
    return this.#table.fields;
  }

  /** @throws AppError `source_unreachable` for a source that loops */
  async nextPage(): Promise<RecordPage> {
    this.#request.signal.throwIfAborted();
    this.#pages += 1;
    if (this.#pages > PAGES_MAX) {
      throw sourceFailure(
        `The source returned more than ${PAGES_MAX.toLocaleString("en")} pages. Increase the page size; the next run resumes from here.`,
      );
    }
    if (this.#place !== null) this.#seenPlaces.add(this.#place);
    const page = await this.#read(this.#place, this.#since);
    await yieldToEventLoop();
    this.#judge(page);
    await yieldToEventLoop();
    try {
      this.#table.learn(page.records);
    } catch (error) {
      if (!(error instanceof TooManyFields)) throw error;
      throw sourceFailure(
        "The records have more than 1,000 distinct fields. Field names that are data can't become columns.",
      );
    }
    return page;
  }

  async *batches(first: RecordPage): AsyncGenerator<ExtractBatch, void> {
    let told = this.fields;
    for (let page = first; ; page = await this.nextPage()) {
      for (const batch of this.#slices(page)) {
        await yieldToEventLoop();
        const { fields } = this;
        yield isSame(told, fields) ? batch : { ...batch, fields };
        told = fields;
      }
      if (page.next === null) return;
      this.#place = page.next;
      this.#isPlaceSecret = page.isSecret === true;
    }
  }

  *#slices(page: RecordPage): Generator<ExtractBatch, void> {
    const { batchRows } = this.#request;
    const { records } = page;
    for (let at = this.#kept(records); ; ) {
      const taken: unknown[] = [];
      for (; at < records.length && taken.length < batchRows; at += 1) {
        if (this.#take(records[at])) taken.push(records[at]);
      }
      const isPageDone = at >= records.length;
      const isDone = isPageDone && page.next === null;
      if (taken.length > 0 || isDone) yield { ...this.#table.toBatch(taken), checkpoint: this.#checkpoint(page, at) };
      if (isPageDone) return;
    }
  }

  /** Returns how many records of a page are stored already. If the page has changed since, all are read again. */
  #kept(records: readonly unknown[]): number {
    if (this.#skip === null || this.#pages > 1) return 0;
    const { count, digest: known } = this.#skip;
    return count <= records.length && digest(records.slice(0, count)) === known ? count : 0;
  }

  /** Returns whether a record is new, and tracks its cursor value. */
  #take(record: unknown): boolean {
    const { cursorField, primaryKey } = this.#request;
    if (cursorField === null) return true;
    const value = isObject(record) && Object.hasOwn(record, cursorField) ? toCursorValue(record[cursorField]) : null;
    // Without a value it has no order: a later reading cannot tell whether it is new, so only the first one takes it.
    if (value === null) return this.#since === null;
    this.#hasCursor = true;
    const key =
      isObject(record) && primaryKey.length > 0 ? digest(primaryKey.map((name) => record[name] ?? null)) : null;
    const order = this.#since === null ? 1 : compareCursors(value, this.#since);
    if (order < 0 || (order === 0 && (key === null || this.#sinceKeys.has(key)))) return false;
    this.#notice(value, key);
    return true;
  }

  #notice(value: CursorValue, key: string | null): void {
    const order = this.#top === null ? 1 : compareCursors(value, this.#top);
    if (order < 0) return;
    if (order > 0) {
      this.#top = value;
      this.#topKeys = [];
    }
    if (key === null || this.#topKeys === null) return;
    if (this.#topKeys.length < KEYS_MAX) this.#topKeys.push(key);
    else this.#topKeys = null;
  }

  /** @param at number of processed records of the page */
  #checkpoint(page: RecordPage, at: number): Checkpoint | null {
    const isPageDone = at >= page.records.length;
    const isFull = this.#request.cursorField === null;
    // A copy: this reading continues while the checkpoint is being stored.
    const keysOf = (keys: readonly string[] | null) => (keys !== null && keys.length > 0 ? [...keys] : undefined);
    if (isPageDone && page.next === null) {
      if (isFull || this.#top === null) return null;
      return compact({ since: this.#top, sinceKeys: keysOf(this.#topKeys) });
    }
    if (isPageDone ? page.isSecret : this.#isPlaceSecret) return null;
    const cursor: Position = isFull
      ? {}
      : {
          since: this.#since ?? undefined,
          sinceKeys: keysOf([...this.#sinceKeys]),
          top: this.#top ?? undefined,
          topKeys: keysOf(this.#topKeys),
        };
    const behind = isPageDone ? page.next : (page.placeAfter?.(page.records[at - 1]) ?? null);
    if (behind !== null) return compact({ ...cursor, next: behind });
    const skipped = digest(page.records.slice(0, at));
    return compact({ ...cursor, next: this.#place ?? undefined, skip: at, skipped });
  }

  /**
   * Compares pages by the keys of their records: a source that ignores the page number may return the same records with
   * other values each time.
   * @throws AppError `source_unreachable`
   */
  #judgeKeys(records: readonly unknown[]): void {
    const keys = distinctKeys(records, this.#request.primaryKey);
    if (keys === null || keys.length < COMPARED_RECORDS_MIN) return;
    const page = digest(keys);
    if (this.#seenKeys.has(page)) {
      throw sourceFailure(
        `Page ${this.#pages} of ${this.#request.entity.name} has the same keys as an earlier page. Check the pagination settings.`,
      );
    }
    this.#seenKeys.add(page);
  }

  #judge({ records, next }: RecordPage): void {
    const { cursorField, entity } = this.#request;
    if (records.length > 0) {
      const page = digest(records);
      if (this.#seenPages.has(page)) {
        throw sourceFailure(
          `Page ${this.#pages} of ${entity.name} repeats an earlier page. Check the pagination settings.`,
        );
      }
      this.#seenPages.add(page);
      this.#judgeKeys(records);
    }
    this.#emptyPages = records.length > 0 ? 0 : this.#emptyPages + 1;
    if (this.#emptyPages > EMPTY_PAGES_MAX) {
      throw sourceFailure(
        `${EMPTY_PAGES_MAX} consecutive pages of ${entity.name} were empty. Check the pagination settings.`,
      );
    }
    if (next !== null && (this.#seenPlaces.has(next) || next === this.#place)) {
      throw sourceFailure(`The next page of ${entity.name} was already read. Check the pagination settings.`);
    }
    if (cursorField === null || records.length === 0 || this.#hasCursor) return;
    const hasCursor = records.some((each) => isObject(each) && toCursorValue(each[cursorField]) !== null);
    if (this.#pages === 1 && !hasCursor) {
      throw new AppError(
        "invalid_request",
        `No record of ${entity.name} has a number or text in ${cursorField}. Choose another cursor field.`,
      );
    }
  }
}

/** @returns null unless the keys of all records are distinct */
function distinctKeys(records: readonly unknown[], primaryKey: readonly string[]): string[] | null {
  if (primaryKey.length === 0) return null;
  const keys = new Set<string>();
  for (const record of records) {
    if (!isObject(record) || !primaryKey.every((name) => Object.hasOwn(record, name))) return null;
    keys.add(JSON.stringify(primaryKey.map((name) => record[name] ?? null)));
  }
  return keys.size === records.length ? [...keys] : null;
}

function toPosition(from: Checkpoint | null): Position {
  if (from === null) return {};
  if (isObject(from)) return from as Position;
  throw new AppError("invalid_request", "This checkpoint belongs to another source. Start again without it.");
}

function compact(position: Position): Checkpoint {
  return Object.fromEntries(Object.entries(position).filter(([, value]) => value !== undefined)) as Checkpoint;
}

function isSame(a: readonly Field[], b: readonly Field[]): boolean {
  return a.length === b.length && a.every(({ type }, index) => type === b[index]?.type);
}

/** @throws AppError `source_unreachable` for excessive nesting */
function digest(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw sourceFailure("A record is nested too deeply.", {}, error);
  }
  return createHash("sha256").update(text).digest("base64url").slice(0, DIGEST_CHARS);
}
