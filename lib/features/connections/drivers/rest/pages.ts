import "server-only";
import { formatCountOf } from "@/lib/base/values/amounts";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import type { CursorValue } from "../shared/cursor-value";
import { type HttpClient, isNoSuchPlace, sourceFailure, type WebAnswer, withResumeAdvice } from "../shared/http-client";
import { type JsonPath, readJsonPath } from "../shared/json-path";
import type { PagePlace, RecordPage } from "../shared/record-pages";
import { isObject } from "../shared/record-table";
import { CURSOR_MARK, type RestConfig, type RestPagination, type RestResource } from "./config";
import { nextLink } from "./link-header";

type Paged<K> = Extract<RestPagination, { kind: K }>;

/** One reading of a resource: the page to request, and the pages that follow from a response. */
export class RestPages {
  readonly #line: HttpClient;
  readonly #config: RestConfig;
  readonly #resource: RestResource;
  readonly #signal: AbortSignal;
  readonly #isForPerson: boolean | undefined;
  /** The last page by the source's count, once it was full: the pages after it must be empty. */
  #lastPage: { number: number; text: string } | null = null;

  constructor(
    line: HttpClient,
    config: RestConfig,
    resource: RestResource,
    options: { signal: AbortSignal; isForPerson?: boolean },
  ) {
    this.#line = line;
    this.#config = config;
    this.#resource = resource;
    this.#signal = options.signal;
    this.#isForPerson = options.isForPerson;
  }

  /** Reads one page. @throws AppError `source_unreachable`, `timeout`, `address_refused`, `invalid_request` */
  async read(place: PagePlace | null, since: CursorValue | null): Promise<RecordPage> {
    const url = this.#urlOf(place, since);
    let answer: WebAnswer;
    try {
      answer = await this.#line.ask({ url, signal: this.#signal, isForPerson: this.#isForPerson });
    } catch (error) {
      if (this.#lastPage && this.#lastPage.number === Number(place) - 1 && isNoSuchPlace(error)) return END;
      throw place === null ? error : withResumeAdvice(error);
    }
    const records = this.#recordsIn(answer.json);
    const { pagination } = this.#config;
    switch (pagination.kind) {
      case "none":
        return { records, next: null };
      case "page":
        return this.#afterPage(pagination, Number(place ?? pagination.startPage), records, answer.json);
      case "offset":
        return this.#afterOffset(pagination, Number(place ?? 0), records, answer.json);
      case "cursor":
        return this.#afterCursor(pagination, records, answer.json);
      case "link":
        return this.#afterLink(pagination, records, answer, url);
    }
  }

  #afterPage(pagination: Paged<"page">, page: number, records: unknown[], json: unknown): RecordPage {
    const { startPage, totalPagesPath, size } = pagination;
    const total = countAt(json, totalPagesPath);
    const last = total === null ? null : startPage + total - 1;
    const hasMore = flagAt(json, pagination.hasMorePath);
    if (this.#lastPage !== null && page > this.#lastPage.number) {
      // Some services repeat their last page beyond the end.
      if (records.length === 0 || JSON.stringify(records) === this.#lastPage.text) return END;
      throw this.#liesAbout(`page ${this.#lastPage.number} is reported as the last, but page ${page} has records`);
    }
    if (records.length === 0) {
      if (last !== null && page < last)
        throw this.#liesAbout(`it reports ${formatCountOf(total ?? 0, "page")}, but page ${page} is empty`);
      if (hasMore === true) throw this.#liesAbout(`it reports more records, but page ${page} is empty`);
      return { records, next: null };
    }
    if (hasMore === false) return { records, next: null };
    if (last === null || page < last) return { records, next: page + 1 };
    if (size === undefined || records.length < size) return { records, next: null };
    this.#lastPage = { number: page, text: JSON.stringify(records) };
    return { records, next: page + 1 };
  }

  #afterOffset(pagination: Paged<"offset">, offset: number, records: unknown[], json: unknown): RecordPage {
    const total = countAt(json, pagination.totalPath);
    const hasMore = flagAt(json, pagination.hasMorePath);
    // A source may return fewer records than requested, so the count of the response decides.
    const next = offset + records.length;
    if (records.length === 0) {
      if (total !== null && offset < total) {
        throw this.#liesAbout(`it reports ${formatCountOf(total, "record")}, but none at offset ${offset}`);
      }
      if (hasMore === true) throw this.#liesAbout(`it reports more records, but none at offset ${offset}`);
      return { records, next: null };
    }
    return { records, next: hasMore === false || (total !== null && next >= total) ? null : next };
  }

  #afterCursor(pagination: Paged<"cursor">, records: unknown[], json: unknown): RecordPage {
    const { cursorPath, lastRecordField } = pagination;
    const hasMore = flagAt(json, pagination.hasMorePath);
    const placeAfter =
      lastRecordField === undefined ? undefined : (record: unknown) => placeOf(fieldOf(record, lastRecordField));
    const next = placeAfter ? placeAfter(records.at(-1)) : placeOf(readJsonPath(json, cursorPath ?? []));
    if (hasMore === false) return { records, next: null, placeAfter };
    if (next === null && hasMore === true) throw this.#liesAbout("it reports more records, but no next cursor");
    if (next === null && lastRecordField !== undefined && records.length > 0) {
      throw sourceFailure(
        `The last record of ${this.#resource.name} has no ${lastRecordField}, which is needed for the next page.`,
      );
    }
    return { records, next, placeAfter, isSecret: this.#line.holdsSecret(String(next)) };
  }

  #afterLink({ nextPath }: Paged<"link">, records: unknown[], { headers, json }: WebAnswer, url: URL): RecordPage {
    const named = nextPath === undefined ? nextLink(headers.get("link")) : readJsonPath(json, nextPath);
    if (typeof named !== "string" || named === "") return { records, next: null };
    const { pathname, search } = this.#line.ownAddress(named, url);
    return { records, next: `${pathname}${search}`, isSecret: this.#line.holdsSecret(`${pathname}${search}`) };
  }

  #urlOf(place: PagePlace | null, since: CursorValue | null): URL {
    const { web, pagination } = this.#config;
    const base = new URL(`${web.baseUrl}/`);
    // A link is the complete address of its page.
    if (pagination.kind === "link" && place !== null) return new URL(String(place), base);
    const { path, params, cursorStart } = this.#resource;
    const cursor = since ?? cursorStart ?? null;
    const filled = path.replaceAll(CURSOR_MARK, encodeURIComponent(String(cursor ?? ""))).replace(/^\/+/, "");
    const url = new URL(filled === "" ? web.baseUrl : `${base.href}${filled}`);
    if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(base.pathname)) {
      throw new AppError("invalid_request", `The path of ${this.#resource.name} is outside the base URL.`);
    }
    for (const [name, value] of Object.entries(params)) {
      const text = String(value);
      if (text.includes(CURSOR_MARK) && cursor === null) continue;
      url.searchParams.set(
        name,
        text.replaceAll(CURSOR_MARK, () => String(cursor)),
      );
    }
    if (pagination.kind !== "none" && pagination.sizeParam !== undefined && pagination.size !== undefined) {
      url.searchParams.set(pagination.sizeParam, String(pagination.size));
    }
    if (pagination.kind === "page") url.searchParams.set(pagination.pageParam, String(place ?? pagination.startPage));
    if (pagination.kind === "offset") url.searchParams.set(pagination.offsetParam, String(place ?? 0));
    if (pagination.kind === "cursor" && place !== null) url.searchParams.set(pagination.cursorParam, String(place));
    return url;
  }

  #recordsIn(json: unknown): unknown[] {
    const { recordsPath, name } = this.#resource;
    if (json === undefined) return [];
    const found = readJsonPath(json, recordsPath ?? []);
    if (Array.isArray(found)) return found;
    // Some services return null for an empty list.
    if (found === null) return [];
    if (isObject(found) && recordsPath !== null) return [found];
    const names = isObject(json) ? Object.keys(json).slice(0, 10).join(", ") : "";
    throw sourceFailure(
      found === undefined
        ? `No value at recordsPath in the response for ${name}.${names === "" ? "" : ` Keys: ${this.#line.words(names)}.`}`
        : isObject(found)
          ? `The response for ${name} is an object with keys ${this.#line.words(names)}. Set recordsPath to the list, or $ for the object.`
          : `The value at recordsPath in the response for ${name} is not a list.`,
    );
  }

  #liesAbout(what: string): AppError {
    return sourceFailure(`Inconsistent pagination for ${this.#resource.name}: ${what}.`);
  }
}

const END: RecordPage = { records: [], next: null };

function placeOf(value: unknown): PagePlace | null {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === "number" || (typeof value === "string" && value !== "") ? value : null;
}

function fieldOf(record: unknown, name: string): unknown {
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

function countAt(json: unknown, path: JsonPath | undefined): number | null {
  if (path === undefined) return null;
  const found = readJsonPath(json, path);
  const count = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found;
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) return count;
  throw sourceFailure("The total is missing from the response. Check the pagination settings.");
}

function flagAt(json: unknown, path: JsonPath | undefined): boolean | null {
  if (path === undefined) return null;
  const found = readJsonPath(json, path);
  if (typeof found === "boolean") return found;
  if (found === undefined)
    throw sourceFailure("The has-more flag is missing from the response. Check the pagination settings.");
  // Some services put the next page here, or nothing.
  return found !== null && found !== "" && found !== 0 && found !== "false";
}
