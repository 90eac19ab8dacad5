import type { ChartTheme } from "@/lib/base/charts/spec";

export const PICTURE_THEMES = ["light", "dark"] as const;
export type PictureTheme = (typeof PICTURE_THEMES)[number];

export type Paint = {
  frame: string;
  sheet: string;
  line: string;
  ink: string;
  quiet: string;
  faint: string;
  good: string;
  bad: string;
  chart: ChartTheme;
};

const FONT = "Geist Variable";

/** The tokens of both themes (app/styles/tokens.css): the theme of a message's reader is unknown. */
export const PAINTS: Readonly<Record<PictureTheme, Paint>> = {
  light: {
    frame: "#E9EEEC",
    sheet: "#FFFFFF",
    line: "#DEE5E2",
    ink: "#11201E",
    quiet: "#3F504C",
    faint: "#596A66",
    good: "#14693D",
    bad: "#A8242F",
    chart: {
      series: ["#0E7C97", "#D08200", "#2C3296", "#C3366A", "#506908", "#219BE1", "#741A15", "#8A9598"],
      grid: "#E3E9E6",
      axis: "#596A66",
      text: "#3F504C",
      surface: "#FFFFFF",
      font: FONT,
    },
  },
  dark: {
    frame: "#0A1413",
    sheet: "#142120",
    line: "#213230",
    ink: "#E5EEEB",
    quiet: "#B3C3BF",
    faint: "#8FA29D",
    good: "#6BCF9C",
    bad: "#FF959B",
    chart: {
      series: ["#3FD0E6", "#EFA41A", "#7170EC", "#B2718A", "#CEE591", "#649CEB", "#DE6C10", "#A2ABAD"],
      grid: "#233533",
      axis: "#8FA29D",
      text: "#B3C3BF",
      surface: "#142120",
      font: FONT,
    },
  },
};
