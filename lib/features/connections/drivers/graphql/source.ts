import "server-only";
import { formatCountOf } from "@/lib/base/values/amounts";
import type { Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, ExtractRequest, ExtractStream, SourceFacts } from "../../data-source";
import type { CursorValue } from "../shared/cursor-value";
import { HttpClient, PassingFailure, sourceFailure, type WebAnswer, withResumeAdvice } from "../shared/http-client";
import { readJsonPath } from "../shared/json-path";
import { extractRecords, type PagePlace, type RecordPage } from "../shared/record-pages";
import { isObject } from "../shared/record-table";
import { sampleEntities } from "../shared/sample-entities";
import { CURSOR_MARK, type GraphqlConfig, type GraphqlResource } from "./config";

/** Codes of services that rate-limit within a 200 response. */
const BUSY = new Set(["THROTTLED", "RATE_LIMITED", "RATELIMITED", "TOO_MANY_REQUESTS"]);
const HELLO = "query { __typename }";

type PageOptions = { signal: AbortSignal; isForPerson?: boolean };

/** Lists and connections (cursors as in Relay's specification) of a GraphQL service. */
export class GraphqlSource implements DataSource {
  readonly #config: GraphqlConfig;
  readonly #line: HttpClient;

  constructor(config: GraphqlConfig, connectionId: string) {
    this.#config = config;
    this.#line = new HttpClient(config.web, connectionId);
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    const resource = this.#config.resources.find(({ name }) => name === request.entity.name);
    if (!resource) {
      throw new AppError("invalid_request", `Resource ${request.entity.name} not found in this connection.`);
    }
    const { signal } = request;
    const read = () => extractRecords(request, (place, since) => this.#readPage(resource, place, since, { signal }));
    return this.#line.whileReading(read, signal);
  }

  entities(signal: AbortSignal): Promise<Entity[]> {
    return sampleEntities(this.#config.resources, signal, async (resource, within) => {
      return (await this.#readPage(resource, null, null, { signal: within, isForPerson: true })).records;
    });
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    const [first] = this.#config.resources;
    if (first) await this.#readPage(first, null, null, { signal, isForPerson: true });
    else await this.#ask(HELLO, {}, { signal, isForPerson: true });
    return {};
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  async #readPage(
    resource: GraphqlResource,
    place: PagePlace | null,
    since: CursorValue | null,
    { signal, isForPerson }: PageOptions,
  ): Promise<RecordPage> {
    const { query, path, name, afterVariable } = resource;
    const variables = variablesOf(resource, since);
    if (place !== null) variables[afterVariable] = place;
    const data = await this.#ask(query, variables, { signal, isForPerson }).catch((error: unknown) => {
      throw place === null ? error : withResumeAdvice(error);
    });
    const found = readJsonPath(data, path);
    if (found === undefined) throw sourceFailure(`No value at the path of ${name} in the response.`);
    if (found === null) return { records: [], next: null };
    if (Array.isArray(found)) return { records: found, next: null };
    return this.#connection(found, name);
  }

  #connection(found: unknown, name: string): RecordPage {
    const { nodes, edges, pageInfo } = isObject(found) ? found : {};
    const records = Array.isArray(nodes)
      ? nodes
      : Array.isArray(edges)
        ? edges.map((edge) => (isObject(edge) ? edge.node : null))
        : null;
    if (records === null) throw sourceFailure(`The value at the path of ${name} is neither a list nor a connection.`);
    if (!isObject(pageInfo) || typeof pageInfo.hasNextPage !== "boolean") {
      throw sourceFailure(`The query for ${name} must request pageInfo { hasNextPage endCursor }.`);
    }
    // In a list with null items, null is a record that the user may not see.
    const seen = records.filter((record) => record !== null && record !== undefined);
    if (!pageInfo.hasNextPage) return { records: seen, next: null };
    const { endCursor } = pageInfo;
    if (typeof endCursor === "string" && endCursor !== "") {
      return { records: seen, next: endCursor, isSecret: this.#line.holdsSecret(endCursor) };
    }
    throw sourceFailure(`The response for ${name} has a next page but no endCursor. Request endCursor in pageInfo.`);
  }

  /** Sends a query. @returns the whole `data`: a response with errors counts as none, even where it has some data */
  async #ask(query: string, variables: Record<string, unknown>, options: PageOptions): Promise<unknown> {
    const url = new URL(this.#config.web.baseUrl);
    const { json } = await this.#line.ask({
      ...options,
      url,
      body: { query, variables },
      judge: (each) => this.#judge(each),
    });
    return isObject(json) ? json.data : undefined;
  }

  #judge({ json }: WebAnswer): void {
    const errors = isObject(json) ? json.errors : undefined;
    if (Array.isArray(errors) && errors.length > 0) {
      const [first] = errors;
      const message = isObject(first) && typeof first.message === "string" ? first.message : "no reason given";
      const more = errors.length > 1 ? ` Plus ${formatCountOf(errors.length - 1, "more error")}.` : "";
      const failure = sourceFailure(
        `The source returned an error: ${this.#line.words(message).replace(/[.!]?$/, ".")}${more}`,
      );
      throw errors.some(isBusy) ? new PassingFailure(failure, null) : failure;
    }
    if (!isObject(json) || !isObject(json.data)) {
      throw sourceFailure("This endpoint is not GraphQL: the response has no data.");
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!isObject(error)) return false;
  const code = isObject(error.extensions) ? error.extensions.code : undefined;
  return BUSY.has(String(code ?? error.type).toUpperCase());
}

function variablesOf({ variables, cursorStart }: GraphqlResource, since: CursorValue | null): Record<string, unknown> {
  const cursor = since ?? cursorStart;
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => {
      const filled = fill(value, cursor);
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}

/** Replaces the cursor mark. Undefined removes a value that is meaningless without a cursor. */
function fill(value: unknown, cursor: CursorValue | undefined): unknown {
  if (typeof value === "string") {
    // A mark that is the whole value keeps the cursor's type: a number stays a number.
    if (value === CURSOR_MARK) return cursor;
    if (!value.includes(CURSOR_MARK)) return value;
    return cursor === undefined ? undefined : value.replaceAll(CURSOR_MARK, () => String(cursor));
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, cursor)).filter((each) => each !== undefined);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, fill(each, cursor)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}
