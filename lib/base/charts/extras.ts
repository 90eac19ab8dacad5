import { readFormats, type ValueFormats } from "@/lib/base/charts/value-format";

/** Additions to a chart's marks. Omitted parts are not drawn. */
export type ChartExtras = {
  /** Lines across the plot at these values. */
  goals?: { value: number; label?: string | undefined }[] | undefined;
  /** Titles of the axes. */
  titles?: { x?: string | undefined; y?: string | undefined } | undefined;
  /** Whether the marks have their values beside them. */
  labels?: boolean | undefined;
  formats?: ValueFormats;
  /** Colours by the name of a series or category: numbers of the palette, from 1. */
  colours?: Readonly<Record<string, number>>;
};

export const GOALS_MAX = 5;
/** Maximum characters of an axis title or a goal's label: a line of a wide chart. */
export const LABEL_CHARS_MAX = 80;
/** The tokens have as many colours. */
export const PALETTE = 8;
/** Properties of a specification that are additions. */
export const EXTRAS: ReadonlySet<string> = new Set(["goals", "titles", "labels", "formats", "colours", "compare"]);

/** Reads the additions of a specification; invalid ones are left out. Undefined for none. */
export function readExtras(spec: unknown): ChartExtras | undefined {
  const { goals, titles, labels, colours, ...rest } = toRecord(spec);
  const formats = readFormats(rest);
  const { x, y } = toRecord(titles);
  const extras: ChartExtras = {
    ...(Array.isArray(goals) && { goals: goals.filter(isGoal).slice(0, GOALS_MAX) }),
    ...((typeof x === "string" || typeof y === "string") && {
      titles: { ...(typeof x === "string" && { x }), ...(typeof y === "string" && { y }) },
    }),
    ...(labels === true && { labels }),
    ...(Object.keys(formats).length > 0 && { formats }),
    ...(colours !== undefined && {
      colours: Object.fromEntries(
        Object.entries(toRecord(colours)).filter((entry): entry is [string, number] => isColour(entry[1])),
      ),
    }),
  };
  return Object.keys(extras).length === 0 ? undefined : extras;
}

function isGoal(value: unknown): value is { value: number; label?: string } {
  const { value: at, label } = toRecord(value);
  return typeof at === "number" && Number.isFinite(at) && (label === undefined || typeof label === "string");
}

function isColour(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= PALETTE;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
