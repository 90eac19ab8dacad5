import "server-only";
import { queryLoad } from "@/lib/features/query/admission";
import { leasedEngines } from "@/lib/platform/engines/service";
import { openStreams } from "@/lib/platform/events/stream";
import { declareGauge, type Sample } from "@/lib/platform/metrics/metrics";
import { collections } from "./collections";
import { health } from "./health";

/** Limit of a count: an alert on a backlog needs no higher figure, and a scrape stays cheap. */
const COUNT_MAX = 10_000;

/** Declares the gauges that read the features when Prometheus scrapes. Call it once, at the start. */
export function declareGauges(): void {
  declareGauge({ name: "millrace_queries", help: "Queries by state.", labels: ["state"] }, () => {
    const { running, waiting } = queryLoad();
    return [
      { labels: { state: "running" }, value: running },
      { labels: { state: "waiting" }, value: waiting },
    ];
  });
  declareGauge({ name: "millrace_event_streams", help: "Open streams of workspace events." }, () => [
    { value: openStreams() },
  ]);
  declareGauge({ name: "millrace_file_engines", help: "Running file engines, one process each." }, () => [
    { value: leasedEngines() },
  ]);
  declareGauge({ name: "millrace_up", help: "1 if the part works, otherwise 0.", labels: ["part"] }, async () => {
    const { mongo, jobs } = await health();
    return [
      { labels: { part: "store" }, value: Number(mongo === "ok") },
      { labels: { part: "jobs" }, value: Number(jobs === "ok") },
    ];
  });
  declareGauge(
    { name: "millrace_store_ping_seconds", help: "Duration of an empty command to the store." },
    async () => {
      const startedAt = performance.now();
      await collections.jobWorkers().findOne({}, { projection: { _id: 1 } });
      return [{ value: (performance.now() - startedAt) / 1000 }];
    },
  );
  declareGauge(
    { name: "millrace_jobs", help: `Jobs by kind and state, counted up to ${COUNT_MAX}.`, labels: ["kind", "state"] },
    async () => (await Promise.all(JOBS.map(countJobs))).flat(),
  );
  declareGauge(
    {
      name: "millrace_deliveries_open",
      help: `Deliveries that are not final by state, counted up to ${COUNT_MAX}.`,
      labels: ["state"],
    },
    async () => [
      { labels: { state: "queued" }, value: await countDeliveries({ status: "queued" }) },
      // The sparse index has the documents with a due attempt or retry.
      { labels: { state: "due" }, value: await countDeliveries({ "work.dueAt": { $gt: new Date(0) } }) },
    ],
  );
}

const JOBS = [
  { kind: "event", of: collections.jobEvents },
  { kind: "run", of: collections.jobRuns },
  { kind: "task", of: collections.jobTasks },
] as const;

async function countJobs({ kind, of }: (typeof JOBS)[number]): Promise<Sample[]> {
  const states = ["ready", "leased"] as const;
  const counted = await Promise.all(states.map((state) => of().countDocuments({ state }, { limit: COUNT_MAX })));
  return states.map((state, index) => ({ labels: { kind, state }, value: counted[index] ?? 0 }));
}

function countDeliveries(filter: Record<string, unknown>): Promise<number> {
  return collections.deliveries().countDocuments(filter, { limit: COUNT_MAX });
}
