/** Spans of time as menus and buttons name them. */
export const GRAIN_WORDS = {
  minute: "Minute",
  hour: "Hour",
  day: "Day",
  week: "Week",
  month: "Month",
  quarter: "Quarter",
  year: "Year",
} as const;
