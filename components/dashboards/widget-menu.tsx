"use client";

import { Code, Ellipsis, FileSpreadsheet, ImageDown, Maximize2, Table2, ZoomIn } from "lucide-react";
import { useId, useState } from "react";
import { KIND_VIEWS } from "@/components/dashboards/kinds/registry";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { useFrame } from "@/components/layout/use-frame";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { showFailure } from "@/components/ui/toast";
import { withPageGrain } from "@/lib/base/charts/widget-period";
import { firstRowsNotice } from "@/lib/base/values/cut-rows";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toClickKey, toClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import { findClickColumns, findFinerGrains } from "@/lib/features/dashboards/browser/widget-click";
import type { Dashboard, Widget, WidgetData } from "@/lib/features/dashboards/schema";
import { toCopyText } from "@/lib/features/results/browser/copy-rows";
import { later } from "@/lib/platform/browser/load-again";
import { saveFile } from "@/lib/platform/browser/save-file";

const loadLarge = later(() => import("@/components/dashboards/widget-large"));
const WidgetLarge = lazyComponent(loadLarge, (module) => module.WidgetLarge);
const loadQuery = later(() => import("@/components/dashboards/widget-query"));
const WidgetQuery = lazyComponent(loadQuery, (module) => module.WidgetQuery);
const loadRows = later(() => import("@/components/dashboards/widget-source-rows"));
const WidgetSourceRows = lazyComponent(loadRows, (module) => module.WidgetSourceRows);
const loadCardPicture = later(() => import("@/components/dashboards/page-picture"));
const loadPicture = later(() => import("@/components/dashboards/kinds/chart/picture-file"));

type WidgetMenuProps = {
  dashboard: Dashboard;
  widget: Widget;
  data: WidgetData | undefined;
  /** Filters of the page, which also apply to the rows behind a widget. */
  choice: FilterChoice;
  period: Period;
  /** Shows a click at a finer grain; omitted for widgets without one. */
  zoomIn?: WidgetPress["zoomIn"];
};

/** Menu of a widget that shows rows. */
export function WidgetMenu({ dashboard, widget, data, choice, period, zoomIn }: WidgetMenuProps) {
  const { digits, times } = useFrame().frame;
  const [opened, setOpened] = useState<"large" | "query" | "rows" | null>(null);
  const name = widget.title || widget.kind;
  const { toCsv, toPictureSpec, isPictured } = KIND_VIEWS[widget.kind];
  const buttonId = useId();
  // The name of an exported file carries the notice that the page shows beside the widget.
  const fileMark = data?.firstRows === undefined ? "" : ` (${firstRowsNotice(data.firstRows).toLowerCase()})`;
  const saveRows = () => {
    if (!data) return;
    const own = toCsv?.(withPageGrain(widget.spec, data?.grain ?? period.grain), data) ?? null;
    const text = own ?? toCopyText("csv", data.fields, data.rows as ResultRow[], true);
    saveFile(new Blob([text], { type: "text/csv;charset=utf-8" }), `${name}${fileMark}.csv`);
    announce(data.truncated ? "Visible rows exported" : "CSV exported");
  };
  const saveCard = async () => {
    const card = document.getElementById(buttonId)?.closest<HTMLElement>(".widget-card");
    if (!card) return;
    try {
      const { savePageAs } = await loadCardPicture();
      await savePageAs(`${name}${fileMark}`, card);
      announce("PNG exported");
    } catch {
      showFailure("Couldn't export the PNG. Export CSV instead.");
    }
  };
  const savePicture = async () => {
    if (isPictured) return saveCard();
    if (!data || !toPictureSpec) return;
    const drawn = {
      title: `${name}${fileMark}`,
      spec: toPictureSpec(withPageGrain(widget.spec, data?.grain ?? period.grain)),
    };
    try {
      const { savePictureOf } = await loadPicture();
      if (await savePictureOf(drawn, data, { digits, times })) announce("PNG exported");
      else showFailure("This widget can't be exported as PNG. Export CSV instead.");
    } catch {
      showFailure("Couldn't export the PNG. Export CSV instead.");
    }
  };
  const click = toClickValue(choice[toClickKey(widget.id)]);
  const shownSpec = withPageGrain(widget.spec, data?.grain ?? period.grain);
  const grains = click === null || !data ? [] : findFinerGrains(findClickColumns(shownSpec, data.fields), click);
  const hasRows = data !== undefined && data.rows.length > 0;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button
            id={buttonId}
            type="button"
            className="btn ghost icon sm widget-more"
            aria-label={`Actions for ${name}`}
          >
            <Ellipsis className="s" />
          </button>
        }
      >
        <MenuItem icon={<Maximize2 />} onSelect={() => setOpened("large")}>
          Full screen
        </MenuItem>
        <MenuItem icon={<Table2 />} onSelect={() => setOpened("rows")}>
          {Object.hasOwn(choice, toClickKey(widget.id)) ? "View selected rows" : "View underlying rows"}
        </MenuItem>
        {zoomIn &&
          click !== null &&
          grains.map((grain) => (
            <MenuItem key={grain} icon={<ZoomIn />} onSelect={() => zoomIn(click, grain)}>
              Zoom in by {grain}
            </MenuItem>
          ))}
        <MenuItem icon={<Code />} onSelect={() => setOpened("query")}>
          View query
        </MenuItem>
        {hasRows && (
          <>
            <MenuLine />
            <MenuItem icon={<FileSpreadsheet />} onSelect={saveRows}>
              Export CSV
            </MenuItem>
            {(toPictureSpec || isPictured) && (
              <MenuItem icon={<ImageDown />} onSelect={() => void savePicture()}>
                Export PNG
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      {opened === "large" && (
        <WidgetLarge widget={widget} data={data} period={period} onClose={() => setOpened(null)} />
      )}
      {opened === "rows" && (
        <WidgetSourceRows dashboardId={dashboard.id} widget={widget} choice={choice} onClose={() => setOpened(null)} />
      )}
      {opened === "query" && <WidgetQuery dashboard={dashboard} widget={widget} onClose={() => setOpened(null)} />}
    </>
  );
}
