"use client";

import { useMemo, useRef } from "react";
import { useSize } from "@/components/chart/use-size";
import type { KindBodyProps } from "@/components/dashboards/kinds/kind-view";
import { useMarkMenu } from "@/components/dashboards/use-mark-menu";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { isMenuKey } from "@/components/ui/context-menu";
import { PALETTE } from "@/lib/base/charts/extras";
import type { Ink, LayOut, Shape } from "@/lib/base/charts/shapes";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import {
  addClick,
  findClickColumns,
  isClicked,
  isSameClick,
  toRowClick,
} from "@/lib/features/dashboards/browser/widget-click";
import "./shapes.css";

type ShapesBodyProps = KindBodyProps & {
  layOut: LayOut;
  /** Number of dimensions that it draws; a specification may have more. */
  dimensions: number;
};

/** The content of a widget that is drawn from shapes. Marks with a row filter the page. */
export function ShapesBody({ title, spec, data, rows, look, press, layOut, dimensions }: ShapesBodyProps) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const { digits, times } = look;
  const drawing = useMemo(
    () =>
      size === null
        ? null
        : layOut(spec, { fields: data.fields, rows, isTruncated: data.truncated }, size, { digits, times }),
    [layOut, spec, data.fields, rows, data.truncated, size, digits, times],
  );
  const clicks = useMemo(
    () => (press ? rows.map((row) => toClick(spec, data.fields, row, dimensions)) : []),
    [press, spec, data.fields, rows, dimensions],
  );
  const menu = useMarkMenu(press, spec, data.fields);
  if (size !== null && drawing === null) return <p className="widget-said">Select more columns.</p>;
  return (
    <div ref={frame} className="shapes" {...menu.near}>
      {size !== null && drawing !== null && (
        <svg width={size.width} height={size.height} role={press ? "group" : "img"} aria-label={title || "Chart"}>
          <desc>{drawing.words.join("; ")}</desc>
          {drawing.shapes.map((shape, at) => (
            <Mark
              // biome-ignore lint/suspicious/noArrayIndexKey: a shape is its place
              key={at}
              shape={shape}
              press={press}
              onMenu={menu.open}
              click={toShapeClick(shape, clicks)}
            />
          ))}
        </svg>
      )}
      {menu.layer}
    </div>
  );
}

/** Returns the filter of all rows of a shape; null if one of them cannot be filtered. */
function toShapeClick({ row, more = [] }: Shape, clicks: readonly (ClickValue | null)[]): ClickValue | null {
  if (row === undefined) return null;
  return more.reduce<ClickValue | null>((sum, each) => {
    const next = clicks[each] ?? null;
    return sum && next && addClick(sum, next);
  }, clicks[row] ?? null);
}

/** Returns the filter of a row's dimensions; null if one of them cannot be filtered. */
function toClick(
  spec: Record<string, unknown>,
  fields: KindBodyProps["data"]["fields"],
  row: ResultRow,
  shown: number,
): ClickValue | null {
  const dimensions = Array.isArray(spec.dimensions) ? spec.dimensions.slice(0, shown) : [];
  if (dimensions.length === 0) return null;
  return toRowClick(findClickColumns({ ...spec, dimensions }, fields), row);
}

type MarkProps = {
  shape: Shape;
  press: WidgetPress | undefined;
  click: ClickValue | null;
  onMenu: ReturnType<typeof useMarkMenu>["open"];
};

function Mark({ shape, press, click, onMenu }: MarkProps) {
  const drawn = <Drawn shape={shape} />;
  if (!press || click === null) return shape.title ? <g>{drawn}</g> : drawn;
  const pick = (isAdding: boolean) =>
    press.put((before) => (isAdding ? addClick(before, click) : isSameClick(before, click) ? null : click));
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
    <g
      role="button"
      tabIndex={0}
      aria-label={shape.title}
      aria-pressed={isClicked(press.value, click)}
      className={press.value !== null && !isClicked(press.value, click) ? "faded" : undefined}
      onClick={(event) => pick(event.shiftKey || event.ctrlKey || event.metaKey)}
      onContextMenu={(event) => onMenu({ click, about: shape.title ?? "" }, event)}
      onKeyDown={(event) => {
        if (isMenuKey(event)) return onMenu({ click, about: shape.title ?? "" }, event);
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pick(event.shiftKey);
      }}
    >
      {drawn}
    </g>
  );
}

function Drawn({ shape }: { shape: Shape }) {
  const hint = shape.title && <title>{shape.title}</title>;
  switch (shape.kind) {
    case "rect":
      return (
        <rect
          {...{ x: shape.x, y: shape.y, width: Math.max(0, shape.width), height: Math.max(0, shape.height) }}
          rx={shape.radius}
          fill={toColour(shape.fill)}
          fillOpacity={shape.opacity}
        >
          {hint}
        </rect>
      );
    case "path":
      return (
        <path d={shape.d} fill={toColour(shape.fill)} fillOpacity={shape.opacity}>
          {hint}
        </path>
      );
    case "stroke":
      return (
        <path
          d={shape.d}
          fill="none"
          stroke={toColour(shape.ink)}
          strokeWidth={shape.width}
          strokeDasharray={shape.dash}
        />
      );
    case "dot":
      return (
        <circle cx={shape.x} cy={shape.y} r={shape.r} fill={toColour(shape.fill)} fillOpacity={shape.opacity}>
          {hint}
        </circle>
      );
    case "label":
      return (
        <text
          {...{ x: shape.x, y: shape.y, fontSize: shape.size, fontWeight: shape.isBold ? 600 : undefined }}
          textAnchor={shape.anchor}
          fill={toColour(shape.ink)}
        >
          {shape.text}
          {hint}
        </text>
      );
  }
}

const COLOURS: Readonly<Record<Exclude<Ink, number>, string>> = {
  ink: "var(--text-1)",
  quiet: "var(--text-2)",
  faint: "var(--text-3)",
  line: "var(--line-1)",
  sheet: "var(--surface-sheet)",
  good: "var(--success)",
  bad: "var(--danger)",
};

function toColour(ink: Ink): string {
  return typeof ink === "number" ? `var(--viz-${(ink % PALETTE) + 1})` : COLOURS[ink];
}
