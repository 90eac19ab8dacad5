"use client";

import { useId } from "react";
import { NONE } from "@/components/dashboards/edit/shelves-form";
import type { DataFormProps } from "@/components/dashboards/kinds/kind-editor";
import { Select } from "@/components/ui/select";
import { isTimeField } from "@/lib/base/charts/settings";
import {
  DATE_FORMS,
  DIGITS_MAX,
  NUMBER_STYLES,
  readFormats,
  UNIT_CHARS_MAX,
  type ValueFormat,
} from "@/lib/base/charts/value-format";
import { readShelves, toColumnName } from "@/lib/features/dashboards/browser/edit/shelves";

const STYLE_WORDS = { plain: "1,234.5", percent: "12.3%", short: "1.2 M" } as const;
const DATE_WORDS = {
  day: "25 Nov 2026",
  month: "Nov 2026",
  year: "2026",
  weekday: "Wed 25 Nov",
  time: "07:00",
} as const;

/** Formats of a widget's columns: of its dates, and of its measures. */
export function FormatFields({ spec, fields, onChange }: Pick<DataFormProps, "spec" | "fields" | "onChange">) {
  const id = useId();
  const shelves = readShelves(spec);
  if (shelves === null) return null;
  const formats = readFormats(spec);
  const set = (column: string, change: ValueFormat, part?: string) => {
    const entries = Object.entries({ ...formats[column], ...change }).filter(([, value]) => value !== undefined);
    const { [column]: _, ...others } = formats;
    const next = entries.length === 0 ? others : { ...others, [column]: Object.fromEntries(entries) };
    onChange({ ...spec, formats: Object.keys(next).length === 0 ? undefined : next }, `Format ${column}`, part);
  };
  const dates = shelves.dimensions.flatMap(({ field, as }) =>
    fields.some((each) => each.name === field && isTimeField(each)) ? [as ?? field] : [],
  );
  if (dates.length + shelves.measures.length === 0) return null;
  return (
    <fieldset className="edit-part">
      <legend>Formats</legend>
      {dates.map((column) => (
        <div key={column} className="field">
          <span className="flabel">{column}</span>
          <Select
            label={`Date format of ${column}`}
            size="sm"
            value={formats[column]?.date ?? NONE}
            options={[
              { value: NONE, label: "Default" },
              ...DATE_FORMS.map((form) => ({ value: form as string, label: DATE_WORDS[form] })),
            ]}
            onChange={(form) => set(column, { date: DATE_FORMS.find((each) => each === form) })}
          />
        </div>
      ))}
      {shelves.measures.map(toColumnName).map((column) => {
        const format = formats[column] ?? {};
        const text = (name: "prefix" | "suffix", label: string) => (
          <div className="input">
            <input
              id={`${id}-${column}-${name}`}
              aria-label={`${label} of ${column}`}
              value={format[name] ?? ""}
              placeholder={label}
              maxLength={UNIT_CHARS_MAX}
              onChange={({ target }) => set(column, { [name]: target.value || undefined }, `${name}-${column}`)}
            />
          </div>
        );
        return (
          <div key={column} className="field">
            <span className="flabel">{column}</span>
            <div className="edit-two">
              <Select
                label={`Number format of ${column}`}
                size="sm"
                value={format.style ?? NONE}
                options={[
                  { value: NONE, label: "Default" },
                  ...NUMBER_STYLES.map((style) => ({ value: style as string, label: STYLE_WORDS[style] })),
                ]}
                onChange={(style) => set(column, { style: NUMBER_STYLES.find((each) => each === style) })}
              />
              <Select
                label={`Decimal places of ${column}`}
                size="sm"
                value={format.digits === undefined ? NONE : String(format.digits)}
                options={[
                  { value: NONE, label: "Any decimals" },
                  ...Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => ({
                    value: String(digits),
                    label: `${digits} decimals`,
                  })),
                ]}
                onChange={(digits) => set(column, { digits: digits === NONE ? undefined : Number(digits) })}
              />
            </div>
            <div className="edit-two">
              {text("prefix", "Prefix")}
              {text("suffix", "Suffix")}
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}
