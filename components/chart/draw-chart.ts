import type { TopLevelSpec } from "vega-lite";
import { later } from "@/lib/platform/browser/load-again";

const loadVega = later(() => import("@/components/chart/vega"));

/** Preloads the chart library while a page waits for rows. Errors surface where the chart is drawn. */
export function prepareCharts(): void {
  loadVega().catch(() => {});
}

/** A drawn chart: the position of its plot and of values in it, in pixels of its element. */
export type DrawnChart = {
  left: number;
  top: number;
  width: number;
  height: number;
  /** @returns the middle of a category, or the position of a number or time; null without such an axis */
  toPx(axis: "x" | "y", value: number | string): number | null;
  /** Returns the width of a category's band; 0 on a continuous scale. */
  toBand(axis: "x" | "y"): number;
  end(): void;
};
type Scale = ((value: unknown) => number | undefined) & { bandwidth?: () => number };

/**
 * Draws a chart into an element. The library is loaded with the first chart. Expressions are interpreted, since the
 * page's content security policy forbids eval.
 * @param onHover receives the datum under the pointer, for custom specifications
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
  // The surrounding frame has a name and describes the chart in words.
  element.querySelector("svg")?.setAttribute("aria-hidden", "true");
  // The origin is measured from inside the padding.
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
 * Returns a message to show in place of a specification that may not be drawn over these rows; null for one that may.
 * Such a specification was stored before the rule existed, or needs other rows.
 */
export async function findRefusal(
  spec: Record<string, unknown>,
  rows: readonly Record<string, unknown>[],
): Promise<string | null> {
  const { findDrawProblems, toProblemWords } = await loadVega();
  const problems = findDrawProblems(spec, rows);
  return problems.length === 0 ? null : toProblemWords(problems);
}

/** Twice the resolution, for high-density screens. */
const PICTURE_SCALE = 2;

/** Draws a chart as a file. */
export async function toPictureFile(spec: TopLevelSpec, format: "png" | "svg"): Promise<Blob> {
  const view = await toView(spec, null);
  try {
    if (format === "svg") return new Blob([await view.toSVG()], { type: "image/svg+xml" });
    const canvas = await view.toCanvas(PICTURE_SCALE);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("Couldn't create the image."))), "image/png");
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
    // A chart loads nothing and links nowhere: all its data is inline.
    loader: {
      ...loader(),
      load: () => Promise.reject(new Error("Charts can't load external data.")),
      sanitize: () => Promise.reject(new Error("Charts can't contain links.")),
    },
  });
  return view.runAsync();
}
