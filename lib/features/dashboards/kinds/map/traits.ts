import { isIdentifierField, isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";
import { toFirstDimension } from "../../browser/edit/shelves";
import type { KindTraits } from "../kind-traits";
import { DRAWN_TRAITS, fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";

const COUNTRY = /countr|nation|(^|_)iso/i;
const LATITUDE = /^(.*_)?lat(itude)?$/i;
const LONGITUDE = /^(.*_)?(lon|lng|long|longitude)$/i;

/** Countries or points on a map of the world. */
export const mapTraits = {
  label: "Map",
  reference: "the map",
  size: { w: 8, h: 9 },
  ...DRAWN_TRAITS,
  computed: [...DRAWN_TRAITS.computed, "mark"],
  looks: { regions: "Country map", points: "Point map" },
  lookOf: ({ mark }) => (mark === "points" ? "points" : "regions"),
  toPlain: ({ mark: _mark, ...plain }) => plain,
  withLook: (plain, look) => ({ ...plain, mark: look }),
  suggest(spec, look, fields) {
    const [north, east] = [LATITUDE, LONGITUDE].map((name) => fields.find((field) => name.test(field.name)));
    const others = fields.filter((field) => field !== north && field !== east);
    const measures = suggestMeasures(others);
    if (look === "points") {
      if (!north || !east) return null;
      return fillBlank(spec, { ...NO_SHELVES, dimensions: [north, east].map(toFirstDimension), measures });
    }
    const country = findCountryField(fields);
    return fillBlank(spec, { ...NO_SHELVES, dimensions: country ? [toFirstDimension(country)] : [], measures });
  },
} as const satisfies KindTraits;

function findCountryField(fields: readonly ResultField[]): ResultField | undefined {
  const named = fields.find((field) => COUNTRY.test(field.name) && !isIdentifierField(field));
  return named ?? fields.find((field) => field === findGroupFields(fields).word && !isNumericField(field));
}
