import type { ChartSettings } from "@/lib/base/charts/settings";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { Shelves } from "../browser/edit/shelves";

export type Spec = Readonly<Record<string, unknown>>;
export type EditedSpec = Record<string, unknown>;

/** The part of a widget kind that the server and the browser share: no zod, no components. */
export interface KindTraits {
  /** Title of a card without its own title. */
  readonly label: string;
  /** Reference to a widget without a title, in messages: "the chart". */
  readonly reference: string;
  /** Initial size in cells of the grid. */
  readonly size: { w: number; h: number };
  /** Whether it has a source. A kind without one has no data, no filters and no clicks. */
  readonly readsData: boolean;
  /** Whether a blank specification shows the rows of its source as they come. */
  readonly showsRows?: boolean;
  /** Labels of its looks in the gallery, by name. A name is unique among all kinds. */
  readonly looks: Readonly<Record<string, string>>;
  /** Specification of a new widget. */
  readonly initial: Spec;
  /** Properties of a specification that the server computes; the others only affect the drawing. */
  readonly computed: readonly string[];
  /** Properties of a specification that are lists of dimensions. */
  readonly dimensions: readonly string[];
  /** Returns the look of a specification; "own" for a drawing that no look describes. */
  lookOf(spec: Spec): string;
  /** Removes what only this kind draws, before another look is applied. */
  toPlain(spec: Spec): EditedSpec;
  /** Applies a look to a plain specification. */
  withLook(plain: Spec, look: string): EditedSpec;
  /** Returns the columns that are computed, dimensions first; null for a specification that is edited as text only. */
  readShelves(spec: Spec): Shelves | null;
  /** Fills a blank specification with a suggestion for these columns; null for one that is not blank. */
  suggest(spec: Spec, look: string, fields: readonly ResultField[]): EditedSpec | null;
  /** Converts a console's chart; null for a chart that another kind draws. */
  fromChart?(settings: ChartSettings, stored: Spec): EditedSpec | null;
}
