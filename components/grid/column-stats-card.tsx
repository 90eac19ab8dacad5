"use client";

import { Popover } from "@base-ui/react/popover";
import { X } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import type { ResultField } from "@/lib/base/values/json-rows";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import type { ColumnStats, StatsBar } from "@/lib/features/results/browser/column-stats";
import { DISTINCT_MAX } from "@/lib/features/results/browser/column-stats";
import { formatCount, formatDuration } from "@/lib/platform/browser/format";
import "./column-stats.css";

/** Statistics with the rows that they are of, their duration, and why they are not of all rows. */
export type ShownStats = { stats: ColumnStats; of: string; ms: number; note: string | null };
export type ToStats = (column: number, signal: AbortSignal) => Promise<ShownStats>;

type CardProps = {
  field: ResultField;
  /** Place of the column's head in the window. */
  place: DOMRect;
  load: (signal: AbortSignal) => Promise<ShownStats>;
  look: CellLook;
  onFilter: (value: string) => void;
  onClose: () => void;
};

type Loaded = { status: "loading" } | { status: "done"; shown: ShownStats } | { status: "failed"; message: string };

/** Statistics of a column, below its head. */
export function ColumnStatsCard({ field, place, load, look, onFilter, onClose }: CardProps) {
  const [loaded, setLoaded] = useState<Loaded>({ status: "loading" });
  const start = useEffectEvent((signal: AbortSignal) =>
    load(signal).then(
      (shown) => !signal.aborted && setLoaded({ status: "done", shown }),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : "Couldn't compute the statistics. Try again.";
        if (!signal.aborted) setLoaded({ status: "failed", message });
      },
    ),
  );
  useEffect(() => {
    const stop = new AbortController();
    void start(stop.signal);
    return () => stop.abort();
  }, []);
  const type = (field.dbType ?? field.type).toLowerCase();
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Portal>
        <Popover.Positioner
          className="menu-pos"
          anchor={{ getBoundingClientRect: () => place }}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          <Popover.Popup className="menu pop column-stats" aria-label={`Statistics of ${field.name}`}>
            <div className="column-stats-head">
              <b className="mono trunc">{field.name}</b>
              <span className="mono t3 trunc">{type}</span>
              <span className="grow" />
              {loaded.status === "done" && <span className="t3 num">{loaded.shown.of}</span>}
              <button type="button" className="btn ghost icon sm" aria-label="Close" onClick={onClose}>
                <X className="s" />
              </button>
            </div>
            {loaded.status === "loading" && (
              <p className="column-stats-said" aria-busy="true">
                Computing statistics
              </p>
            )}
            {loaded.status === "failed" && (
              <p className="column-stats-said" role="alert">
                {loaded.message}
              </p>
            )}
            {loaded.status === "done" && <Stats {...{ field, look, onFilter }} shown={loaded.shown} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Letters that fit beside a name in half of the card. */
const NARROW_LETTERS = 14;
/** A time without seconds, below the histogram. */
const END_LETTERS = 16;

type StatsProps = Pick<CardProps, "field" | "look" | "onFilter"> & { shown: ShownStats };

function Stats({ field, look, onFilter, shown }: StatsProps) {
  const { stats, ms, note } = shown;
  const { rows, nulls, distinct, min, max, average, sum, bars, top } = stats;
  const textOf = (value: string) => toShownText(value, field, look);
  const facts: [name: string, value: string][] = [
    ["Nulls", nulls === 0 ? "0" : `${formatCount(nulls)} (${toPercent(nulls, rows)})`],
    ["Distinct", distinct === null ? `over ${formatCount(DISTINCT_MAX)}` : formatCount(distinct)],
    ...(min === null || max === null
      ? []
      : ([
          ["Min", textOf(min)],
          ["Max", textOf(max)],
        ] satisfies [string, string][])),
    ...(average === null ? [] : ([["Average", textOf(average)]] satisfies [string, string][])),
    ...(sum === null ? [] : ([["Sum", textOf(sum)]] satisfies [string, string][])),
  ];
  return (
    <>
      {bars.length > 0 ? (
        <Histogram
          bars={bars}
          field={field}
          ends={[min, max].map((value) => (value === null ? "" : textOf(value).slice(0, END_LETTERS)))}
        />
      ) : (
        top.length > 0 && (
          <ul className="column-stats-top" aria-label="Most frequent values">
            {top.map(({ value, count }) => (
              <li key={value}>
                <button type="button" title={`Filter by ${value}`} onClick={() => onFilter(value)}>
                  <i style={{ width: `${(100 * count) / (top[0]?.count || 1)}%` }} />
                  <span className="mono trunc">{value === "" ? "empty text" : textOf(value)}</span>
                  <span className="num t2">{formatCount(count)}</span>
                  <span className="num t3">{toPercent(count, rows)}</span>
                </button>
              </li>
            ))}
          </ul>
        )
      )}
      <dl className="column-stats-facts">
        {facts.map(([name, value]) => (
          <div key={name} className={value.length > NARROW_LETTERS ? "wide" : undefined}>
            <dt>{name}</dt>
            <dd className="mono trunc" title={value}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <div className="column-stats-foot">
        <span className="grow">{note}</span>
        <span className="t3 num">{formatDuration(ms)}</span>
      </div>
    </>
  );
}

const HISTOGRAM_PX = { width: 272, height: 72, gap: 2 };

function Histogram({ bars, field, ends }: { bars: StatsBar[]; field: ResultField; ends: string[] }) {
  const most = Math.max(...bars.map(({ count }) => count));
  const step = HISTOGRAM_PX.width / bars.length;
  const edge = (at: number) =>
    isNumericField(field) ? formatEdge(at) : new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const highest = bars.find(({ count }) => count === most);
  return (
    <div className="column-stats-bars">
      <svg
        viewBox={`0 0 ${HISTOGRAM_PX.width} ${HISTOGRAM_PX.height}`}
        role="img"
        aria-label={`Histogram of ${field.name}, ${bars.length} bars, most rows between ${highest ? edge(highest.from) : ""} and ${highest ? edge(highest.to) : ""}`}
      >
        {bars.map((bar, at) => {
          const height = bar.count === 0 ? 0 : Math.max(1, (bar.count / most) * HISTOGRAM_PX.height);
          return (
            <rect
              key={bar.from}
              className={bar === highest ? "high" : ""}
              x={at * step}
              y={HISTOGRAM_PX.height - height}
              width={step - HISTOGRAM_PX.gap}
              height={height}
            >
              <title>{`${edge(bar.from)} to ${edge(bar.to)}: ${formatCount(bar.count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="row xxs t2 num">
        <span className="trunc">{ends[0]}</span>
        <span className="grow" />
        <span className="trunc">{ends[1]}</span>
      </div>
    </div>
  );
}

/** Rounds a computed edge of a bar to six digits. */
function formatEdge(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function toPercent(part: number, of: number): string {
  const percent = (100 * part) / of;
  return percent > 0 && percent < 0.1 ? "<0.1%" : `${Number(percent.toFixed(1))}%`;
}
