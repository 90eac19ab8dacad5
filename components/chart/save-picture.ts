import { toPictureFile } from "@/components/chart/draw-chart";
import type { ChartData } from "@/lib/base/charts/data";
import { toPicture } from "@/lib/base/charts/picture";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { type ChartTheme, toDrawnSpec, toFigureSpec } from "@/lib/base/charts/spec";
import { describeChange, describeCuts, formatUp, nameChart, toFigures } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import { saveFile } from "@/lib/platform/browser/save-file";

/** As a page of a talk or a mail has room for, whatever window it was made in. */
const SIZE = { width: 960, height: 540 };
const FIGURE_SIZE = { width: 960, height: 140 };

type Ask = {
  data: ChartData;
  settings: ChartSettings;
  look: CellLook;
  hidden: ReadonlySet<number>;
  theme: ChartTheme;
  /** What the picture and its file are called; an ending is taken off. */
  name: string;
};

/** Saves a chart as a file, as it is drawn on the page: its name, what it leaves out and its legend are in the picture. */
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
    value: figure.text === null ? "no value" : formatUp(figure.text, picture, figure.series, look),
    note: describeChange(picture, figure, look) ?? "",
  }));
  const spec =
    picture.kind === "kpi"
      ? toFigureSpec(figures, theme, FIGURE_SIZE, frame)
      : toDrawnSpec(picture, theme, SIZE, frame);
  saveFile(await toPictureFile(spec, format), `${stem}.${format}`);
}
