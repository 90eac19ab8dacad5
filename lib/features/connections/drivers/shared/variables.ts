import type { TypedValue, VariableBinding } from "../../variables";

/*
 * A variable means what the same literal would: a whole number is an integer and a text has no type of its own where
 * the engine has such texts. So types are named only where the engine would guess differently.
 */

/** What a value looks like among placeholders. */
type Wrap = (value: TypedValue, placeholder: string) => string;

/** `$1`, `$2` ...: a variable that stands in several places has one number. */
export function numberedVariables({ own, wrap }: { own: RegExp; wrap: Wrap }): VariableBinding {
  return {
    own,
    begin() {
      const numbers = new Map<string, number>();
      const params: unknown[] = [];
      return {
        add(name, value) {
          let number = numbers.get(name);
          if (number === undefined) {
            number = params.push(plainValue(value));
            numbers.set(name, number);
          }
          return wrap(value, `$${number}`);
        },
        params: () => params,
      };
    },
  };
}

/** `?` in every place. */
export function positionalVariables(rules: {
  own: RegExp;
  wrap: Wrap;
  toParam: (value: TypedValue) => unknown;
}): VariableBinding {
  return {
    own: rules.own,
    begin() {
      const params: unknown[] = [];
      return {
        add(_, value) {
          params.push(rules.toParam(value));
          return rules.wrap(value, "?");
        },
        params: () => params,
      };
    },
  };
}

export function plainValue(value: TypedValue): unknown {
  return value.type === "null" ? null : value.value;
}

export function castTo(placeholder: string, type: string): string {
  return `CAST(${placeholder} AS ${type})`;
}

/** For engines that have both kinds of timestamps. */
export function dateType(text: string): "date" | "timestamptz" | "timestamp" {
  if (isDay(text)) return "date";
  return hasZone(text) ? "timestamptz" : "timestamp";
}

export function isDay(text: string): boolean {
  return text.length === "2026-05-31".length;
}

/** For engines whose times have no zone: `2026-05-31 12:30:00.000`. What comes without a zone is UTC (docs/develop/api.md, Common rules). */
export function utcText(text: string): string {
  const date = new Date(hasZone(text) ? text : `${text}Z`);
  return date.toISOString().replace("T", " ").replace("Z", "");
}

function hasZone(text: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}
