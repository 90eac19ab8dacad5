import { readShelves } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";

/** Rows or groups, one a line. */
export const tableTraits = {
  label: "Table",
  reference: "the table",
  size: { w: 6, h: 8 },
  readsData: true,
  showsRows: true,
  looks: { table: "Table" },
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit", "trend"],
  dimensions: ["dimensions"],
  lookOf: () => "table",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  readShelves,
  // Rows as they come are a table already.
  suggest: () => null,
} as const satisfies KindTraits;
