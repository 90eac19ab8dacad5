/** Types that a new field of a document can be entered as, with their names. */
export const NEW_FIELD_TYPES = {
  text: "Text",
  number: "Number",
  boolean: "Boolean",
  date: "Date",
  null: "Null",
  json: "Extended JSON",
} as const;
export type NewFieldType = keyof typeof NEW_FIELD_TYPES;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Returns a value as Extended JSON, or what is wrong with its text. A time without a zone is UTC, as displayed. */
export function toNewFieldText(type: NewFieldType, text: string): { text: string } | { problem: string } {
  const trimmed = text.trim();
  switch (type) {
    case "text":
      return { text: JSON.stringify(text) };
    case "number":
      return NUMBER.test(trimmed) ? { text: trimmed } : { problem: "Enter a number such as 12 or 0.5." };
    case "boolean":
      return /^(?:true|false)$/.test(trimmed) ? { text: trimmed } : { problem: "Enter true or false." };
    case "date": {
      const [, day, time, zone = "Z"] = DATE.exec(trimmed) ?? [];
      if (day === undefined) return { problem: "Enter a date such as 2026-01-31 or 2026-01-31 07:00." };
      return { text: JSON.stringify({ $date: `${day}T${time ?? "00:00"}${zone}` }) };
    }
    case "null":
      return { text: "null" };
    case "json":
      return isJson(trimmed) ? { text: trimmed } : { problem: 'Enter JSON such as ["a", {"$numberLong": "5"}].' };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
