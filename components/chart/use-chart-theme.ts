"use client";

import { useEffect, useState } from "react";
import type { ChartTheme } from "@/lib/base/charts/spec";

const SERIES = ["1", "2", "3", "4", "5", "6", "7", "8"];

/** Returns the theme tokens as values and updates them when the theme changes. */
export function useChartTheme(): ChartTheme {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(readTheme()));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return theme;
}

/** Returns the current values of the theme tokens. */
export function readTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    series: SERIES.map((number) => read(`--viz-${number}`)),
    grid: read("--viz-grid"),
    axis: read("--viz-axis"),
    text: read("--text-2"),
    surface: read("--surface-sheet"),
    font: read("--font-ui"),
  };
}
