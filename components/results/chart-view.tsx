"use client";

import { ChartLine, Table2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Chart, useHidden } from "@/components/chart/chart";
import { PictureMenu } from "@/components/chart/picture-menu";
import { ChartSettingsForm } from "@/components/chart/settings-form";
import type { ChartMarks } from "@/components/chart/use-chart-cursor";
import { useContextMenu } from "@/components/ui/context-menu";
import { type MenuAction, MenuActions } from "@/components/ui/menu-actions";
import type { ChartData } from "@/lib/base/charts/data";
import { readSettings, toKeptSpec } from "@/lib/base/charts/kept-spec";
import { zoneOf } from "@/lib/base/charts/moments";
import { type Stop, type StopRow, toPicture } from "@/lib/base/charts/picture";
import { type ChartSettings, fitSettings, guessSettings } from "@/lib/base/charts/settings";
import { formatStop } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import "./results.css";

type ChartViewProps = {
  source: RowsSource;
  /** The console's chart; null if none was chosen. */
  kept: KeptChart | null;
  onChange: (chart: KeptChart) => void;
  look: CellLook;
  /** Name for pictures. */
  name: string;
  /** Returns the actions at a mark; absent where marks have none. */
  actionsOf?: ((mark: ChartMark) => MenuAction[]) | undefined;
};

/** A mark with the data that it was drawn from. */
export type ChartMark = { stop: Stop; row: StopRow; data: ChartData; settings: ChartSettings };

/** Chart of the result: a first guess, and shelves to change it. */
export function ChartView({ source, kept, onChange, look, name, actionsOf }: ChartViewProps) {
  const guess = useMemo(() => guessSettings(source.sample), [source.sample]);
  const chosen = useMemo(() => fitSettings(readSettings(kept), source.fields), [kept, source.fields]);
  const settings = chosen ?? guess;
  if (settings === null) return <NoChart />;
  const keep = (next: ChartSettings) => onChange(toKeptSpec(next, source.fields));
  const shelves = { source, settings, onChange: keep, look, name };
  return <Shelves {...shelves} actionsOf={actionsOf} />;
}

type ShelvesProps = {
  source: RowsSource;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  look: CellLook;
  name: string;
  actionsOf: ChartViewProps["actionsOf"];
};

function Shelves({ source, settings, onChange, look, name, actionsOf }: ShelvesProps) {
  const [isTable, setIsTable] = useState(false);
  const { data, drawn, isFailed } = useChartData(source, settings, look);
  const [hidden, setHidden] = useHidden(
    `${settings.kind} ${settings.across} ${settings.colour} ${data?.series.length}`,
  );
  const menu = useContextMenu((mark: ChartMark) => {
    const actions = actionsOf?.(mark) ?? [];
    const about = formatStop(toPicture(mark.data, mark.settings, hidden), mark.stop, look);
    return actions.length === 0 ? null : { about, items: <MenuActions actions={actions} /> };
  });
  const marks: ChartMarks | undefined =
    actionsOf && data !== null
      ? {
          purpose: "for actions",
          isPicked: () => false,
          onPick: (stop, row, _, at) => menu.openAt({ stop, row, data, settings: drawn }, at),
          onRange: null,
        }
      : undefined;
  return (
    <div className="chart-view" {...(actionsOf && menu.near)}>
      {isFailed ? (
        <p className="chart-said">Couldn't draw the chart. Select other columns or run the query again.</p>
      ) : data === null ? (
        <ChartBones />
      ) : (
        <Chart
          data={data}
          settings={drawn}
          look={look}
          isTable={isTable}
          hidden={hidden}
          onHidden={setHidden}
          marks={marks}
        />
      )}
      {menu.layer}
      <div className="chart-shelves">
        <ChartSettingsForm fields={source.fields} settings={settings} onChange={onChange} />
        <button type="button" className="btn sm" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? <ChartLine className="s" /> : <Table2 className="s" />}
          {isTable ? "View as chart" : "View as table"}
        </button>
        <PictureMenu data={data} settings={drawn} look={look} hidden={hidden} name={name} />
      </div>
    </div>
  );
}

type Answer = { data: ChartData | null; drawn: ChartSettings; isFailed: boolean };

/**
 * Returns the data of a chart with the settings that they were aggregated by: the previous ones until the next are
 * ready.
 */
function useChartData(source: RowsSource, settings: ChartSettings, look: CellLook): Answer {
  const [answer, setAnswer] = useState<Answer>({ data: null, drawn: settings, isFailed: false });
  const { arrangement, count } = source;
  const zone = zoneOf(look);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement lets other rows through
  useEffect(() => {
    let isStale = false;
    source.chart({ settings, zone }).then(
      (data) => !isStale && setAnswer({ data, drawn: settings, isFailed: false }),
      () => !isStale && setAnswer({ data: null, drawn: settings, isFailed: true }),
    );
    return () => {
      isStale = true;
    };
  }, [source, settings, zone, arrangement, count]);
  return answer;
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
        <h2>No chartable columns</h2>
        <p>Add a number, date or category column to the query.</p>
      </div>
    </div>
  );
}
