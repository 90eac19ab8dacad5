"use client";

import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";

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
          aria-describedby={messageIdOf(id, error, help)}
        />
        {end}
      </div>
      {meter}
      <FieldMessage id={id} problem={error} help={help} />
    </div>
  );
}
