import type { ObjectId } from "mongodb";
import { type Preferences, preferencesSchema } from "./schema";

/**
 * Same _id as its user. `keys` and each of `panels` are JSON texts: the browser's data has names that a document could
 * not hold, and is only ever read as a whole. `panelField` creates the names of `panels`.
 */
export type PreferencesDoc = Pick<
  Partial<Preferences>,
  "theme" | "density" | "digits" | "times" | "wrapLines" | "singleKeyShortcuts"
> & {
  _id: ObjectId;
  keys?: string;
  panels?: Record<string, string>;
};

const PANEL_MARK = ":";

/** Returns the field for a layout's name: any text, with the special characters of a path escaped. */
export function panelField(name: string): string {
  return PANEL_MARK + encodeURIComponent(name.toWellFormed()).replaceAll(".", "%2E");
}

/** @param doc null for a user without stored preferences */
export function toPreferences(doc: PreferencesDoc | null): Preferences {
  const { theme, density, digits, times, wrapLines, singleKeyShortcuts, keys, panels } = doc ?? {};
  const layouts = Object.entries(panels ?? {}).map(([field, text]) => [
    decodeURIComponent(field.slice(PANEL_MARK.length)),
    JSON.parse(text),
  ]);
  return preferencesSchema.parse({
    theme,
    density,
    digits,
    times,
    wrapLines,
    singleKeyShortcuts,
    keys: keys && JSON.parse(keys),
    panels: Object.fromEntries(layouts),
  });
}
