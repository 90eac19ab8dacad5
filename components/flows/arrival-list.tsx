"use client";

import { ChevronDown, ChevronRight, Search, Waves } from "lucide-react";
import Link from "next/link";
import { useEffect, useState } from "react";
import { useArrivals, useFlowRuns } from "@/components/flows/use-flows";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { StatusWord } from "@/components/runs/status-word";
import { CodeBox } from "@/components/ui/code-box";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Segments } from "@/components/ui/segments";
import { useIsAwake, useStaleSince } from "@/components/ui/use-browser";
import type { Arrival } from "@/lib/features/flows/schema";
import { formatRowTime } from "@/lib/features/runs/browser/run-words";
import type { Run } from "@/lib/features/runs/schema";
import { formatClock, formatCountOf, toSize } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";

const HEADS = ["Status", "Event", "Type", { name: "Size", isNumber: true }, "Received", "Details"];

const COLUMNS = 6;
/** Pause between the last key press and the request, in ms. */
const FIND_AFTER_MS = 300;
const SHOWS = [
  { value: "all", label: "All" },
  { value: "refused", label: "Rejected" },
  { value: "repeat", label: "Duplicates" },
] as const;

/**
 * List of the events that a webhook received, newest first: whether each was accepted, and the run that has written it.
 */
export function ArrivalList({ flowId }: { flowId: string }) {
  const { query, put } = useAddress();
  useOwnSteps();
  const isLive = useStaleSince() === null;
  const show = SHOWS.find(({ value }) => value === query.get("show"))?.value ?? "all";
  const eventId = query.get("event") ?? "";
  const openId = query.get("open");
  const [text, setText] = useState(eventId);
  const arrivals = useArrivals(flowId, {
    status: show === "all" ? null : show,
    eventId: eventId === "" ? null : eventId,
  });
  const runs = useFlowRuns(flowId);
  const known = new Map(runs.data?.pages.flatMap(({ items }) => items.map((run) => [run.id, run])));
  const items = arrivals.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = show !== "all" || eventId !== "";

  const find = text.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is written when the text changes, not otherwise
  useEffect(() => {
    if (find === eventId) return;
    const timer = setTimeout(() => put({ event: find === "" ? null : find }), FIND_AFTER_MS);
    return () => clearTimeout(timer);
  }, [find]);

  return (
    <section className="card told-card" aria-labelledby="arrivals">
      <div className="row card-head arrivals-head">
        <h2 id="arrivals" className="sh">
          Recent events
        </h2>
        {isLive && (
          <span className="row xs t3 arrivals-live">
            <Waves className="xs" />
            Live
          </span>
        )}
        <span className="grow" />
        <div className="input quiet xs arrivals-find">
          <Search className="xs t3" />
          <input
            type="search"
            aria-label="Search by event ID"
            placeholder="Search by event ID"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <Segments
          label="Filter events"
          value={show}
          options={SHOWS}
          onChange={(value) => put({ show: value === "all" ? null : value })}
        />
      </div>
      {arrivals.isPending && <ListSkeleton label="Loading events" rows={3} rowPx={36} />}
      {arrivals.isError && items.length === 0 && (
        <LoadFailure error={arrivals.error} onRetry={() => arrivals.refetch()} />
      )}
      {arrivals.isSuccess && items.length === 0 && (
        <p className="t2 card-none">
          {isFiltered ? "No matching events." : "No events yet. Send a test event, or use the code under Try it."}
        </p>
      )}
      {items.length > 0 && (
        <ListTable label="Events" className="arrivals" columns={HEADS}>
          <tbody>
            {items.map((arrival) => (
              <ArrivalRow
                key={arrival.id}
                arrival={arrival}
                flowId={flowId}
                run={known.get(arrival.runId ?? "") ?? null}
                isOpen={arrival.id === openId}
                onToggle={() => put({ open: arrival.id === openId ? null : arrival.id })}
              />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={arrivals} label="Older events" busyLabel="Loading older events" className="btn sm card-more" />
    </section>
  );
}

type ArrivalRowProps = {
  arrival: Arrival;
  flowId: string;
  /** Null if it is not among the newest. */
  run: Run | null;
  isOpen: boolean;
  onToggle: () => void;
};

function ArrivalRow({ arrival, flowId, run, isOpen, onToggle }: ArrivalRowProps) {
  const isAwake = useIsAwake();
  const { eventId, type, bytes, status } = arrival;
  const at = new Date(arrival.receivedAt);
  const size = toSize(bytes);
  return (
    <>
      <tr className={isOpen ? "has-sub" : undefined}>
        <td>
          <StatusWord status={status} />
        </td>
        <td className="cut mono arrival-id" data-label="Event" title={eventId ?? undefined}>
          {eventId ?? <span className="t3">none</span>}
        </td>
        <td className="cut arrival-type" data-label="Type" title={type ?? undefined}>
          {type ?? <span className="t3">unknown</span>}
        </td>
        <td className="r t2 num" data-label="Size">
          {size.value} {size.unit}
        </td>
        <td className="num t2" data-label="Received" title={isAwake ? formatStamp(at) : undefined}>
          {isAwake && formatRowTime(at, new Date()).replace(/^Today /, "")}
        </td>
        <td className="cut arrival-detail" data-label="Details">
          <Detail arrival={arrival} flowId={flowId} run={run} isOpen={isOpen} onToggle={onToggle} />
        </td>
      </tr>
      {isOpen && status === "refused" && (
        <tr className="sub">
          <td colSpan={COLUMNS} className="wrap">
            <div className="arrival-more">
              <dl className="kv">
                <dt>Reason</dt>
                <dd>{arrival.reason}</dd>
                <dt>Sender</dt>
                <dd className="mono">{arrival.from ?? "unknown"}</dd>
                <dt>User agent</dt>
                <dd className="mono">{arrival.agent ?? "none"}</dd>
              </dl>
              {arrival.snippet === null ? (
                <p className="t3">The body was empty or unreadable.</p>
              ) : (
                <CodeBox label="Start of the body">{arrival.snippet}</CodeBox>
              )}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

function Detail({ arrival, flowId, run, isOpen, onToggle }: ArrivalRowProps) {
  const { workspace } = useWorkspace();
  const isAwake = useIsAwake();
  const { status, reason, runId } = arrival;
  if (status === "waiting") return <span className="xs t2">Queued for the next batch</span>;
  if (status === "repeat") return <span className="xs t2">Duplicate, not written</span>;
  if (status === "refused") {
    return (
      <button type="button" className="row xs detail-open" aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
        <span className="trunc">{reason}</span>
      </button>
    );
  }
  if (runId === null) return null;
  const at = run && new Date(run.startedAt ?? run.createdAt);
  return (
    <Link className="xs" href={`/w/${workspace.slug}/flows/${flowId}/runs/${runId}`}>
      {run && at && isAwake ? `Run ${formatClock(at, false)}, ${formatCountOf(run.rowCount ?? 0, "row")}` : "Run"}
    </Link>
  );
}
