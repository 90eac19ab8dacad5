"use client";

import { TextField } from "@/components/ui/text-field";

type NumberFieldProps = {
  label: string;
  /** As in a specification; anything but a number shows an empty field. */
  value: unknown;
  onChange: (value: number | undefined) => void;
};

/** An optional number of a specification. */
export function NumberField({ label, value, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      isDense
      type="number"
      step="any"
      inputMode="decimal"
      value={typeof value === "number" ? value : ""}
      onChange={({ target }) => onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
    />
  );
}
