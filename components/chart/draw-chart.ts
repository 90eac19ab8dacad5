import type { TopLevelSpec } from "vega-lite";
import { later } from "@/lib/platform/browser/load-again";

const loadVega = later(() => import("@/components/chart/vega"));

/** Loads what draws, for a page that waits for rows yet. What fails is told where it is needed. */
export function prepareCharts(): void {
  loadVega().catch(() => {});
}

/** A drawn chart: where its plot is, where values stand in it, in pixels of its element. */
export type DrawnChart = {
  left: number;
  top: number;
  width: number;
  height: number;
  /** @returns the middle of a category, the place of a number or time; null where there is no such axis */
  toPx(axis: "x" | "y", value: number | string): number | null;
  /** The width of a category's band; 0 along a scale. */
  toBand(axis: "x" | "y"): number;
  end(): void;
};
type Scale = ((value: unknown) => number | undefined) & { bandwidth?: () => number };

/**
 * Draws a chart into an element. The library is loaded with the first chart; expressions are interpreted, since the
 * page's policy lets nothing be made into code.
 * @param onHover what is known of the mark under the pointer, for specifications that nobody else can read
 */
export async function drawChart(
  host: HTMLElement,
  spec: TopLevelSpec,
  onHover?: (datum: unknown, at: { x: number; y: number }) => void,
): Promise<DrawnChart> {
  const element = document.createElement("div");
  const view = await toView(spec, element);
  host.replaceChildren(element);
  if (onHover) {
    view.addEventListener("pointermove", (event, item) => {
      if (event instanceof PointerEvent) onHover(item?.datum ?? null, { x: event.clientX, y: event.clientY });
    });
    view.addEventListener("pointerout", () => onHover(null, { x: 0, y: 0 }));
  }
  // The frame around it has a name and says in words what there is to see.
  element.querySelector("svg")?.setAttribute("aria-hidden", "true");
  // The origin is counted from inside of the padding.
  const [x = 0, y = 0] = view.origin();
  const padding = view.padding();
  const { left: padLeft = 0, top: padTop = 0 } =
    typeof padding === "number" ? { left: padding, top: padding } : padding;
  const find = (axis: "x" | "y") => {
    try {
      return view.scale(axis) as Scale;
    } catch {
      return null;
    }
  };
  const scales = { x: find("x"), y: find("y") };
  const scaleOf = (axis: "x" | "y") => scales[axis];
  const toBand = (axis: "x" | "y") => scaleOf(axis)?.bandwidth?.() ?? 0;
  return {
    left: x + padLeft,
    top: y + padTop,
    width: Number(view.signal("width")),
    height: Number(view.signal("height")),
    toBand,
    toPx: (axis, value) => {
      const px = scaleOf(axis)?.(value);
      return px === undefined || Number.isNaN(px) ? null : px + toBand(axis) / 2;
    },
    end: () => {
      view.finalize();
      element.remove();
    },
  };
}

/**
 * Returns a sentence to show in the place of a specification that may not be drawn over these rows; null for one that may.
 * Such a specification was stored before it would have been refused, or needs other rows.
 */
export async function findRefusal(
  spec: Record<string, unknown>,
  rows: readonly Record<string, unknown>[],
): Promise<string | null> {
  const { findDrawProblems, toProblemWords } = await loadVega();
  const problems = findDrawProblems(spec, rows);
  return problems.length === 0 ? null : toProblemWords(problems);
}

/** Twice the pixels: a picture is looked at on good screens. */
const PICTURE_SCALE = 2;

/** The same as a file's content. */
export async function toPictureFile(spec: TopLevelSpec, format: "png" | "svg"): Promise<Blob> {
  const view = await toView(spec, null);
  try {
    if (format === "svg") return new Blob([await view.toSVG()], { type: "image/svg+xml" });
    const canvas = await view.toCanvas(PICTURE_SCALE);
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))),
        "image/png",
      );
    });
  } finally {
    view.finalize();
  }
}

async function toView(spec: TopLevelSpec, element: HTMLElement | null) {
  const { compile, ERROR_LEVEL, expressionInterpreter, loader, logger, parse, View } = await loadVega();
  const compiled = compile(spec, { logger: logger(ERROR_LEVEL) }).spec;
  const view = new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: element ? "svg" : "none",
    ...(element && { container: element }),
    hover: false,
    logLevel: ERROR_LEVEL,
    // Nothing is ever fetched for a chart, and none leads anywhere: its points are all here.
    loader: {
      ...loader(),
      load: () => Promise.reject(new Error("A chart loads nothing.")),
      sanitize: () => Promise.reject(new Error("A chart leads nowhere.")),
    },
  });
  return view.runAsync();
}
