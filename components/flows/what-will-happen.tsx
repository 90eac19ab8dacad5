import type { Connection } from "@/lib/features/connections/schema";
import type { FlowDraft } from "@/lib/features/flows/browser/flow-form";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";

/** Maximum number of tables to name; for more, only the number is given. */
const NAMED_MAX = 3;

/** Summary of a flow in sentences, so that a wrong choice shows before it is saved. */
export function WhatWillHappen({ draft, connections }: { draft: FlowDraft; connections: Connection[] }) {
  const to = connections.find(({ id }) => id === draft.destinationId)?.name;
  const tables =
    draft.table.trim() !== ""
      ? [draft.table.trim()]
      : draft.type === "sync"
        ? draft.entities.map(({ name }) => name)
        : [];
  if (to === undefined || (draft.type === "sync" && tables.length === 0)) return null;
  const named = tables.slice(0, NAMED_MAX).join(", ");
  const left = tables.length - NAMED_MAX;
  const into = tables.length === 0 ? "a table named after the flow" : left > 0 ? `${named} and ${left} more` : named;
  const { schedule } = draft;
  return (
    <section className="card preview will" aria-labelledby="will">
      <h2 id="will">Summary</h2>
      <p className="xs t2">
        {draft.type === "webhook"
          ? `Events are written to ${into} in ${to} in batches. Each batch is a run. `
          : `Each run ${toReading(draft)} and ${toWriting(draft)} ${into} in ${to}. `}
        {draft.type !== "webhook" &&
          (schedule === null
            ? "It runs when started manually."
            : `It runs on a schedule: ${(toScheduleWords(schedule.cron) ?? "custom").toLowerCase()}, ${schedule.timezone}.`)}{" "}
        {draft.type === "sync" &&
          draft.mode === "incremental" &&
          "If a run stops, the next one resumes without duplicate rows."}
        {draft.type !== "webhook" && draft.write === "replace" && "If a run stops, the table keeps its previous rows."}
      </p>
    </section>
  );
}

function toReading({ type, mode }: FlowDraft): string {
  if (type === "query") return "runs the query";
  return mode === "incremental" ? "reads rows that are new or changed" : "reads every row";
}

function toWriting({ write }: FlowDraft): string {
  if (write === "replace") return "replaces";
  return write === "upsert" ? "upserts into" : "appends to";
}
