"use client";

import { useId } from "react";
import { FieldProblem } from "@/components/ui/form-parts";
import "@/components/ui/page.css";

type ChoiceGroupProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: string; help: string; isDisabled?: boolean }[];
  error?: string;
  isDisabled: boolean;
};

/** A choice of one among a few options with an explanation each. */
export function ChoiceGroup<T extends string>({
  label,
  value,
  onChange,
  options,
  error,
  isDisabled,
}: ChoiceGroupProps<T>) {
  const name = useId();
  return (
    <fieldset className="field choice-group" disabled={isDisabled} data-invalid={error ? true : undefined}>
      <legend className="flabel">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={option.isDisabled ? "option off" : "option"}>
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
      <FieldProblem text={error} />
    </fieldset>
  );
}
