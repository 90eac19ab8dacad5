"use client";

import { Funnel, Rows3, ZoomIn } from "lucide-react";
import type { KeyboardEvent, MouseEvent } from "react";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { useContextMenu } from "@/components/ui/context-menu";
import { MenuItem } from "@/components/ui/menu";
import type { MenuPlace } from "@/components/ui/menu-parts";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import { findClickColumns, findFinerGrains, isSameClick } from "@/lib/features/dashboards/browser/widget-click";

/** A mark: the filter of a click on it, and its values in words. */
type MenuMark = { click: ClickValue; about: string };

/** Returns the context menu of a widget's marks. A click on a mark filters the page; the menu leads to its rows. */
export function useMarkMenu(
  press: WidgetPress | undefined,
  spec: Readonly<Record<string, unknown>>,
  fields: readonly ResultField[],
) {
  const menu = useContextMenu(({ click, about }: MenuMark) => ({
    about,
    items: press && (
      <>
        <DrillItems press={press} grains={findFinerGrains(findClickColumns(spec, fields), click)} click={click} />
        <MenuItem icon={<Funnel />} onSelect={() => press.put((before) => (isSameClick(before, click) ? null : click))}>
          {isSameClick(press.value, click) ? "Remove filter" : "Filter dashboard"}
        </MenuItem>
      </>
    ),
  }));
  const isOffered = press?.showRows !== undefined;
  return {
    layer: menu.layer,
    near: isOffered ? menu.near : {},
    /** Whether marks have a menu. Without one, the browser's own menu opens. */
    isOffered,
    /** Opens at the pointer, or for the menu key below the focused mark. */
    open: (mark: MenuMark, event: MouseEvent | KeyboardEvent) => {
      if (!isOffered) return;
      event.preventDefault();
      if ("button" in event && event.button === 2) menu.openHere(mark, event);
      else menu.openUnder(mark, event.currentTarget);
    },
    openAt: (mark: MenuMark, place: MenuPlace) => menu.openAt(mark, place),
  };
}

type DrillItemsProps = {
  press: Pick<WidgetPress, "showRows" | "zoomIn">;
  grains: ReturnType<typeof findFinerGrains>;
  click: ClickValue;
};

/** Menu items that lead from a mark to its rows, and to its parts at a finer grain. */
function DrillItems({ press: { showRows, zoomIn }, grains, click }: DrillItemsProps) {
  return (
    <>
      {showRows && (
        <MenuItem icon={<Rows3 />} onSelect={() => showRows(click)}>
          See these rows
        </MenuItem>
      )}
      {zoomIn &&
        grains.map((grain) => (
          <MenuItem key={grain} icon={<ZoomIn />} onSelect={() => zoomIn(click, grain)}>
            Zoom in by {grain}
          </MenuItem>
        ))}
    </>
  );
}
