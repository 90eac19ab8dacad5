import { formatCountOf } from "./amounts";

/** Returns the notice of a widget whose dataset was truncated. @param firstRows number of rows in the dataset */
export function firstRowsNotice(firstRows: number): string {
  return `First ${formatCountOf(firstRows, "row")} only`;
}

export const ACCEPT_LABEL = "Show totals of truncated rows";
export const ACCEPT_HELP = "Totals then cover the first 1,000,000 rows or 256 MiB only.";
