"use client";

import { ChartLine, Table2 } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { ChartShelvesForm } from "@/components/results/chart-shelves-form";
import { ChartTable } from "@/components/results/chart-table";
import { drawChart } from "@/components/results/draw-chart";
import { useChartTheme } from "@/components/results/use-chart-theme";
import type { KeptChart } from "@/lib/client/consoles";
import type { ChartData } from "@/lib/ui/results/chart-data";
import { type ChartShelves, fitShelves, guessShelves } from "@/lib/ui/results/chart-shelves";
import { readShelves, toDrawnSpec, toKeptSpec } from "@/lib/ui/results/chart-spec";
import { describeChart, describeCuts } from "@/lib/ui/results/chart-words";
import type { RowsSource } from "@/lib/ui/results/rows-source";
import "./results.css";

type ChartViewProps = {
  source: RowsSource;
  /** The chart that the console has; null before anybody chose one. */
  kept: KeptChart | null;
  onChange: (chart: KeptChart) => void;
};

/** A chart over the result: a first guess, and four shelves to change it. */
export function ChartView({ source, kept, onChange }: ChartViewProps) {
  const guess = useMemo(() => guessShelves(source.sample), [source.sample]);
  const chosen = useMemo(() => fitShelves(readShelves(kept), source.fields), [kept, source.fields]);
  const shelves = chosen ?? guess;
  if (shelves === null) return <NoChart />;
  return <Chart source={source} shelves={shelves} onChange={(next) => onChange(toKeptSpec(next, source.fields))} />;
}

type ChartProps = { source: RowsSource; shelves: ChartShelves; onChange: (shelves: ChartShelves) => void };

function Chart({ source, shelves, onChange }: ChartProps) {
  const [isTable, setIsTable] = useState(false);
  const { data, isFailed } = useChartData(source, shelves);
  const cuts = data === null ? [] : describeCuts(data, shelves);
  return (
    <div className="chart-view">
      <div className="chart-area">
        {isFailed ? (
          <p className="chart-said">The chart could not be worked out. Choose other columns, or run the query again.</p>
        ) : data === null ? (
          <ChartBones />
        ) : data.points.length === 0 ? (
          <p className="chart-said">
            No row has both a value for {shelves.across} and one to draw upwards. Choose other columns.
          </p>
        ) : isTable ? (
          <ChartTable data={data} shelves={shelves} />
        ) : (
          <Drawing data={data} shelves={shelves} />
        )}
        {cuts.length > 0 && (
          <p className="chart-cuts xs t3" role="status">
            {cuts.join(" ")}
          </p>
        )}
      </div>
      <div className="chart-shelves">
        <ChartShelvesForm fields={source.fields} shelves={shelves} onChange={onChange} />
        <button type="button" className="btn sm" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? <ChartLine className="s" /> : <Table2 className="s" />}
          {isTable ? "Show as chart" : "Show as table"}
        </button>
      </div>
    </div>
  );
}

function Drawing({ data, shelves }: { data: ChartData; shelves: ChartShelves }) {
  const hostRef = useRef<HTMLDivElement>(null);
  const summaryId = useId();
  const theme = useChartTheme();
  const size = useSize(hostRef);
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    const host = hostRef.current;
    if (host === null || size === null) return;
    let isStale = false;
    let end: (() => void) | null = null;
    setIsFailed(false);
    drawChart(host, toDrawnSpec(data, shelves, theme, size)).then(
      (finish) => {
        if (isStale) finish();
        else end = finish;
      },
      () => !isStale && setIsFailed(true),
    );
    return () => {
      isStale = true;
      end?.();
    };
  }, [data, shelves, theme, size]);
  return (
    <>
      {isFailed && <p className="chart-said">The chart could not be drawn. Choose another kind.</p>}
      <div className="chart-frame" role="img" aria-labelledby={summaryId}>
        <div ref={hostRef} className="chart-host" />
      </div>
      <p id={summaryId} className="sr-only">
        {describeChart(data, shelves)}
      </p>
    </>
  );
}

function useChartData(source: RowsSource, shelves: ChartShelves): { data: ChartData | null; isFailed: boolean } {
  const [answer, setAnswer] = useState<{ data: ChartData | null; isFailed: boolean }>({ data: null, isFailed: false });
  const { arrangement, count } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement lets other rows through
  useEffect(() => {
    let isStale = false;
    source.chart(shelves).then(
      (data) => !isStale && setAnswer({ data, isFailed: false }),
      () => !isStale && setAnswer({ data: null, isFailed: true }),
    );
    return () => {
      isStale = true;
    };
  }, [source, shelves, arrangement, count]);
  return answer;
}

function useSize(ref: React.RefObject<HTMLElement | null>): { width: number; height: number } | null {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width > 0 && height > 0)
        setSize((last) => (last?.width === width && last.height === height ? last : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

const BONES = [62, 48, 71, 39, 55, 66, 44];

function ChartBones() {
  return (
    <div className="chart-skeleton" aria-busy="true">
      {BONES.map((height) => (
        <i key={height} style={{ height: `${height}%` }} />
      ))}
    </div>
  );
}

function NoChart() {
  return (
    <div className="result-fill center">
      <div className="empty">
        <span className="empty-mark">
          <ChartLine />
        </span>
        <h2>Nothing here can be drawn</h2>
        <p>A chart needs a number, a time or a category. Select such a column in the query, or count its rows.</p>
      </div>
    </div>
  );
}
