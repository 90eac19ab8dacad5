import type { KindTraits } from "../kind-traits";

/** A text in Markdown. */
export const textTraits = {
  label: "Text",
  reference: "the text",
  size: { w: 6, h: 4 },
  readsData: false,
  looks: { text: "Text" },
  initial: { text: "## Title\n\nDescribe this dashboard." },
  computed: [],
  dimensions: [],
  lookOf: () => "text",
  toPlain: (spec) => ({ ...spec }),
  withLook: (plain) => ({ ...plain }),
  readShelves: () => null,
  suggest: () => null,
} as const satisfies KindTraits;
