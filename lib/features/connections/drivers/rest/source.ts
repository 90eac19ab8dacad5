import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, ExtractRequest, ExtractStream, SourceFacts } from "../../data-source";
import { HttpClient } from "../shared/http-client";
import { extractRecords } from "../shared/record-pages";
import { sampleEntities } from "../shared/sample-entities";
import type { RestConfig, RestResource } from "./config";
import { RestPages } from "./pages";

/** Resources of a REST service. */
export class RestSource implements DataSource {
  readonly #config: RestConfig;
  readonly #line: HttpClient;

  constructor(config: RestConfig, connectionId: string) {
    this.#config = config;
    this.#line = new HttpClient(config.web, connectionId);
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    const resource = this.#config.resources.find(({ name }) => name === request.entity.name);
    if (!resource) {
      throw new AppError("invalid_request", `Resource ${request.entity.name} not found in this connection.`);
    }
    const pages = new RestPages(this.#line, this.#config, resource, { signal: request.signal });
    const read = () => extractRecords(request, (place, since) => pages.read(place, since));
    return this.#line.whileReading(read, request.signal);
  }

  entities(signal: AbortSignal): Promise<Entity[]> {
    return sampleEntities(this.#config.resources, signal, (resource, within) => this.#firstRecords(resource, within));
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    const [first] = this.#config.resources;
    if (first) await this.#firstRecords(first, signal);
    else await this.#line.ask({ url: new URL(this.#config.web.baseUrl), signal, isForPerson: true });
    return {};
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  async #firstRecords(resource: RestResource, signal: AbortSignal): Promise<readonly unknown[]> {
    const pages = new RestPages(this.#line, this.#config, resource, { signal, isForPerson: true });
    return (await pages.read(null, null)).records;
  }
}
