import { toPictureFile } from "@/components/chart/draw-chart";
import type { ChartData } from "@/lib/base/charts/data";
import { toPicture } from "@/lib/base/charts/picture";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { type ChartTheme, toDrawnSpec, toFigureSpec } from "@/lib/base/charts/spec";
import { describeChange, describeCuts, formatUp, nameChart, toFigures } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import { saveFile } from "@/lib/platform/browser/save-file";

/** Sized for a slide or an email, independent of the window. */
const SIZE = { width: 960, height: 540 };
const FIGURE_SIZE = { width: 960, height: 140 };

type Ask = {
  data: ChartData;
  settings: ChartSettings;
  look: CellLook;
  hidden: ReadonlySet<number>;
  theme: ChartTheme;
  /** Title of the picture and base name of the file; an extension is removed. */
  name: string;
};

/**
 * Saves a chart as a file, as drawn on the page. The picture includes its name, notices about omitted data, and the
 * legend.
 */
export async function savePicture({ data, settings, look, hidden, theme, name }: Ask, format: "png" | "svg") {
  const stem = name.replace(/\.[a-z]+$/i, "").trim() || "chart";
  const picture = toPicture(data, settings, hidden);
  const frame = {
    title: stem,
    lines: [nameChart(picture.settings), ...describeCuts(picture)],
    background: theme.surface,
  };
  const figures = toFigures(data).map((figure) => ({
    name: data.series[figure.series]?.name ?? "",
    value: figure.text === null ? "No value" : formatUp(figure.text, picture, figure.series, look),
    note: describeChange(picture, figure, look) ?? "",
  }));
  const spec =
    picture.kind === "kpi"
      ? toFigureSpec(figures, theme, FIGURE_SIZE, frame)
      : toDrawnSpec(picture, theme, SIZE, frame);
  saveFile(await toPictureFile(spec, format), `${stem}.${format}`);
}
