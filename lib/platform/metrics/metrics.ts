import "server-only";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { serverMember } from "@/lib/platform/process/server-context";

/** Buckets from a cached look-up to the longest query allowed, in seconds. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** A value of a gauge with its labels. */
export type Sample = { labels?: Record<string, string>; value: number };

export type Metrics = {
  registry: Registry;
  requests: Counter<"method" | "route" | "status">;
  requestSeconds: Histogram<"method" | "route">;
  queries: Counter<"outcome">;
  querySeconds: Histogram<"outcome">;
  deliveryAttempts: Counter<"channel" | "outcome">;
};

/** Returns the metrics of this process, in the names and units that Prometheus recommends. */
export const metrics = serverMember("metrics", create);

/**
 * Declares a gauge that is read when Prometheus scrapes.
 * @param read returns its values; a rejection leaves the gauge out of that answer
 */
export function declareGauge<L extends string>(
  { name, help, labels = [] }: { name: string; help: string; labels?: readonly L[] },
  read: () => Promise<Sample[]> | Sample[],
): void {
  const { registry } = metrics();
  if (registry.getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      this.reset();
      try {
        for (const { labels: of = {}, value } of await read()) this.set(of as Record<L, string>, value);
      } catch {
        // The other metrics matter most while a part is unreachable.
      }
    },
  });
}

function create(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "millrace_http_requests_total",
      help: "API requests by method, route and status.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "millrace_http_request_duration_seconds",
      help: "Time to response headers, by method and route.",
      labelNames: ["method", "route"],
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    queries: new Counter({
      name: "millrace_queries_total",
      help: "Finished queries by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    querySeconds: new Histogram({
      name: "millrace_query_duration_seconds",
      help: "Duration of queries by outcome.",
      labelNames: ["outcome"],
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    deliveryAttempts: new Counter({
      name: "millrace_delivery_attempts_total",
      help: "Attempts to deliver notifications by channel and outcome.",
      labelNames: ["channel", "outcome"],
      registers,
    }),
  };
}
