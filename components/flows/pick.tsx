"use client";

import { type ReactNode, useId } from "react";
import { FieldProblem } from "@/components/ui/form-parts";
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

/** Select with a label above and an error below. */
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
      <FieldProblem id={`${id}-error`} text={error} />
      {help && (
        <div id={`${id}-help`} className="help">
          {help}
        </div>
      )}
    </div>
  );
}
