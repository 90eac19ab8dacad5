import type { TypedValue, VariableBinding } from "../../variables";

/*
 * A variable means the same as its literal: a whole number is an integer, and a text is untyped where the engine has
 * untyped texts. So types are stated only where the engine would infer another.
 */

/** Returns a value's placeholder with its cast. */
type Wrap = (value: TypedValue, placeholder: string) => string;

/** Returns the binding of `$1`, `$2` ...: a variable that occurs several times has one number. */
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

/** Returns the binding of `?` at every occurrence. */
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

/** Returns the type of a date, for engines with both kinds of timestamps. */
export function dateType(text: string): "date" | "timestamptz" | "timestamp" {
  if (isDay(text)) return "date";
  return hasZone(text) ? "timestamptz" : "timestamp";
}

export function isDay(text: string): boolean {
  return text.length === "2026-05-31".length;
}

/**
 * Returns a UTC text for engines whose times have no zone: `2026-05-31 12:30:00.000`. A text without a zone is in UTC
 * (docs/develop/api.md, Common rules).
 */
export function utcText(text: string): string {
  const date = new Date(hasZone(text) ? text : `${text}Z`);
  return date.toISOString().replace("T", " ").replace("Z", "");
}

function hasZone(text: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}
