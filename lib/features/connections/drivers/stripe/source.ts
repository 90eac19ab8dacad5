import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, ExtractRequest, ExtractStream, SourceFacts } from "../../data-source";
import type { CursorValue } from "../shared/cursor-value";
import { HttpClient, sourceFailure, withResumeAdvice } from "../shared/http-client";
import { extractRecords, type PagePlace, type RecordPage } from "../shared/record-pages";
import { isObject } from "../shared/record-table";
import { sampleEntities } from "../shared/sample-entities";
import type { WebConfig } from "../shared/web-config";
import { STRIPE_RESOURCES, type StripeResource } from "./resources";

/** Stripe's maximum page size. */
const PAGE_RECORDS = 100;
/** Records to sample for fields. */
const SAMPLE_RECORDS = 20;
/** The only field that filters Stripe's lists, in seconds since 1970. */
const CURSOR_FIELD = "created";

type PageRequest = {
  place: PagePlace | null;
  since: CursorValue | null;
  limit: number;
  signal: AbortSignal;
  isForPerson?: boolean;
};

/**
 * The lists of a Stripe account. They are newest first, so values of `created` count only when a reading is complete
 * (`extractRecords`). Records that are created during a reading come before its start, and belong to the next one.
 */
export class StripeSource implements DataSource {
  readonly #base: string;
  readonly #isTestKey: boolean;
  readonly #line: HttpClient;

  constructor(web: WebConfig, options: { connectionId: string; isTestKey: boolean }) {
    this.#base = `${web.baseUrl}/v1/`;
    this.#isTestKey = options.isTestKey;
    this.#line = new HttpClient(web, options.connectionId);
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    const { entity, cursorField, signal } = request;
    const resource = STRIPE_RESOURCES.find(({ name }) => name === entity.name);
    if (!resource) throw new AppError("invalid_request", `Unknown Stripe resource ${entity.name}.`);
    if (cursorField !== null && cursorField !== CURSOR_FIELD) {
      throw new AppError(
        "invalid_request",
        `Stripe resources only support ${CURSOR_FIELD} as cursor field, not ${cursorField}.`,
      );
    }
    const read = () =>
      extractRecords(request, (place, since) =>
        this.#readPage(resource, { place, since, limit: PAGE_RECORDS, signal }),
      );
    return this.#line.whileReading(read, signal);
  }

  entities(signal: AbortSignal): Promise<Entity[]> {
    return sampleEntities(STRIPE_RESOURCES, signal, async (resource, within) => {
      const page = { place: null, since: null, limit: SAMPLE_RECORDS, signal: within, isForPerson: true };
      return (await this.#readPage(resource, page)).records;
    });
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    const { version, isLive } = await this.#readAccount(signal);
    const mode = isLive ? "live mode" : "test mode";
    return { serverVersion: version === null ? mode : `API ${version}, ${mode}` };
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  async #readAccount(signal: AbortSignal): Promise<{ version: string | null; isLive: boolean }> {
    try {
      const { headers, json } = await this.#line.ask({
        url: new URL(`${this.#base}balance`),
        signal,
        isForPerson: true,
      });
      const isLive = isObject(json) && typeof json.livemode === "boolean" ? json.livemode : !this.#isTestKey;
      const version = headers.get("stripe-version");
      return { version: version === null ? null : this.#line.words(version), isLive };
    } catch (error) {
      // A valid restricted key without the permission for this.
      if (!(error instanceof AppError && isObject(error.details) && error.details.status === 403)) throw error;
      return { version: null, isLive: !this.#isTestKey };
    }
  }

  async #readPage(resource: StripeResource, request: PageRequest): Promise<RecordPage> {
    const { place, since, limit, signal, isForPerson } = request;
    const url = new URL(`${this.#base}${resource.path}`);
    url.searchParams.set("limit", String(limit));
    for (const [name, value] of Object.entries(resource.params ?? {})) url.searchParams.set(name, value);
    if (since !== null) url.searchParams.set(`${CURSOR_FIELD}[gte]`, String(since));
    if (place !== null) url.searchParams.set("starting_after", String(place));
    const { json } = await this.#line.ask({ url, signal, isForPerson }).catch((error: unknown) => {
      throw place === null ? error : withResumeAdvice(error);
    });
    if (!isObject(json) || !Array.isArray(json.data) || typeof json.has_more !== "boolean") {
      throw sourceFailure(`The response for ${resource.name} is not a Stripe list.`);
    }
    const records: unknown[] = json.data;
    if (!json.has_more) return { records, next: null, placeAfter: idOf };
    const next = idOf(records.at(-1));
    if (next !== null) return { records, next, placeAfter: idOf };
    throw sourceFailure(`Stripe reports more ${resource.name} but returned no cursor.`);
  }
}

function idOf(record: unknown): string | null {
  return isObject(record) && typeof record.id === "string" && record.id !== "" ? record.id : null;
}
