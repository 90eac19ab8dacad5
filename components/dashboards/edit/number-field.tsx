"use client";

import { useId } from "react";

type NumberFieldProps = {
  label: string;
  /** As in a specification; anything but a number shows an empty field. */
  value: unknown;
  onChange: (value: number | undefined) => void;
};

/** An optional number of a specification. */
export function NumberField({ label, value, onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="input">
        <input
          id={id}
          type="number"
          step="any"
          inputMode="decimal"
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
        />
      </div>
    </div>
  );
}
