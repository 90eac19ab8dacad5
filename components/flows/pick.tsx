"use client";

import { type ReactNode, useId } from "react";
import { Select } from "@/components/ui/select";

type PickProps = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: string; note?: ReactNode; isDisabled?: boolean }[];
  error?: string;
  help?: ReactNode;
  isDisabled: boolean;
};

/** One of a few, with its label above it and what is wrong below. */
export function Pick({ label, error, help, ...select }: PickProps) {
  const id = useId();
  return (
    <div className="field">
      <span className="flabel" id={`${id}-label`}>
        {label}
      </span>
      <Select
        {...select}
        labelId={`${id}-label`}
        describedBy={error ? `${id}-error` : help ? `${id}-help` : undefined}
        isInvalid={error !== undefined}
      />
      <div id={`${id}-error`} className="help bad" aria-live="polite" hidden={!error}>
        {error}
      </div>
      {help && (
        <div id={`${id}-help`} className="help">
          {help}
        </div>
      )}
    </div>
  );
}

type WaysProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: string; help: string; isDisabled?: boolean }[];
  error?: string;
  isDisabled: boolean;
};

/** One of a few that need a word of explanation each. */
export function Ways<T extends string>({ label, value, onChange, options, error, isDisabled }: WaysProps<T>) {
  const name = useId();
  return (
    <fieldset className="field flow-ways" disabled={isDisabled}>
      <legend className="flabel">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={option.isDisabled ? "flow-way off" : "flow-way"}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            disabled={option.isDisabled}
            onChange={() => onChange(option.value)}
          />
          <span>
            <b className="b5">{option.label}</b> <span className="xs t2">{option.help}</span>
          </span>
        </label>
      ))}
      <div className="help bad" aria-live="polite" hidden={!error}>
        {error}
      </div>
    </fieldset>
  );
}
