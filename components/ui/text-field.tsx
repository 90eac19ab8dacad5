"use client";

import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import { FieldProblem } from "@/components/ui/form-parts";

type TextFieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  /** Error message; read out when it appears. */
  error?: ReactNode;
  help?: ReactNode;
  /** Shown between the field and its help: the strength bar. */
  meter?: ReactNode;
  /** Shown at the end of the field: the eye. */
  end?: ReactNode;
  /** Shown at the end of the label's line: a link. */
  aside?: ReactNode;
  /** For settings, where fields are among lists. */
  isDense?: boolean;
};

export function TextField({ label, error, help, meter, end, aside, isDense = false, ...input }: TextFieldProps) {
  const id = useId();
  const helpId = `${id}-help`;
  const errorId = `${id}-error`;
  const describedBy = [error ? errorId : null, help ? helpId : null].filter(Boolean).join(" ");
  return (
    <div className="field">
      {aside ? (
        <div className="row between">
          <label className="flabel" htmlFor={id}>
            {label}
          </label>
          {aside}
        </div>
      ) : (
        <label htmlFor={id}>{label}</label>
      )}
      <div className={`input${isDense ? "" : " lg"}${error ? " err" : ""}`}>
        <input
          id={id}
          {...input}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy === "" ? undefined : describedBy}
        />
        {end}
      </div>
      {meter}
      <FieldProblem id={errorId} text={error} />
      {help && (
        <div id={helpId} className="help">
          {help}
        </div>
      )}
    </div>
  );
}
