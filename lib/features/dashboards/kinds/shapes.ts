import type { Drawing, Ink, LayOut, Shape } from "@/lib/base/charts/shapes";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { escapeXml, round, toText } from "@/lib/platform/embedded/drawing/text";
import type { Paint } from "../picture/paint";
import { type Box, clip, type Drawn, drawWords } from "../picture/parts";
import type { DataKind } from "./kind";

/** Returns a kind that is drawn from a layout, on pages as in snapshots and PDF. */
export function drawnKind(spec: DataKind["spec"], query: DataKind["data"]["query"], layOut: LayOut): DataKind {
  return {
    spec,
    data: { query, isCompared: () => false, isOfShownGroups: () => false },
    draw: (drawn, { fields, rows, truncated }, body, { look, paint }) => {
      const drawing = layOut(drawn, { fields, rows: rows as ResultRow[], isTruncated: truncated }, body, look);
      return drawing === null ? drawWords("No data.", body, paint.faint) : drawShapes(drawing, body, paint);
    },
  };
}

function drawShapes({ shapes, words }: Drawing, body: Box, paint: Paint): Drawn {
  const svg = shapes.map((shape) => toSvg(shape, paint)).join("");
  return { parts: clip(body, `<g transform="translate(${round(body.x)} ${round(body.y)})">${svg}</g>`), words };
}

function toSvg(shape: Shape, paint: Paint): string {
  const colour = (ink: Ink) => escapeXml(toColour(ink, paint));
  const filled = (each: { fill: Ink; opacity?: number }) =>
    `fill="${colour(each.fill)}"${each.opacity === undefined ? "" : ` fill-opacity="${round(each.opacity)}"`}`;
  switch (shape.kind) {
    case "rect":
      return `<rect x="${round(shape.x)}" y="${round(shape.y)}" width="${round(Math.max(0, shape.width))}" height="${round(Math.max(0, shape.height))}" rx="${shape.radius ?? 0}" ${filled(shape)}/>`;
    case "path":
      return `<path d="${shape.d}" ${filled(shape)}/>`;
    case "stroke":
      return `<path d="${shape.d}" fill="none" stroke="${colour(shape.ink)}" stroke-width="${shape.width}"${shape.dash ? ` stroke-dasharray="${shape.dash}"` : ""}/>`;
    case "dot":
      return `<circle cx="${round(shape.x)}" cy="${round(shape.y)}" r="${shape.r}" ${filled(shape)}/>`;
    case "label":
      return toText(shape.text, shape.x, shape.y, { ...shape, fill: colour(shape.ink) });
  }
}

function toColour(ink: Ink, paint: Paint): string {
  return typeof ink === "number" ? (paint.chart.series[ink % paint.chart.series.length] ?? paint.ink) : paint[ink];
}
