import { placeWidgets } from "@/lib/features/dashboards/browser/dashboard-grid";
import type { Widget } from "@/lib/features/dashboards/schema";

type Tabbed = Pick<Widget, "layout" | "tab">;

/** Returns the names of a dashboard's tabs, in the order of their first widgets. Empty without tabs. */
export function tabsOf(widgets: readonly Pick<Widget, "tab">[]): string[] {
  return [...new Set(widgets.flatMap(({ tab }) => tab ?? []))];
}

/** Returns the tab to show: the asked one, or the first one if there is none with this name; null without tabs. */
export function tabToShow(tabs: readonly string[], asked: string | null): string | null {
  return tabs.find((tab) => tab === asked) ?? tabs[0] ?? null;
}

/** Returns the widgets of a tab, and those of all tabs. */
export function widgetsOfTab<W extends Tabbed>(widgets: readonly W[], tab: string | null): readonly W[] {
  return tab === null ? widgets : widgets.filter((widget) => widget.tab === undefined || widget.tab === tab);
}

/** Returns all widgets on one grid: those of all tabs first, then tab below tab. Each tab has its own positions. */
export function stackTabs<W extends Tabbed>(widgets: readonly W[]): W[] {
  let top = 0;
  return [undefined, ...tabsOf(widgets)].flatMap((tab) => {
    const from = top;
    const placed = placeWidgets(widgets.filter((widget) => widget.tab === tab));
    const stacked = placed.map((widget) => ({ ...widget, layout: { ...widget.layout, y: from + widget.layout.y } }));
    top = Math.max(from, ...stacked.map(({ layout }) => layout.y + layout.h));
    return stacked;
  });
}
