"use client";

import { type TextareaHTMLAttributes, useId } from "react";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";

type TextAreaFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  label: string;
  error?: string | undefined;
  help?: string;
  /** Sends the form, by Ctrl or Cmd with Enter. */
  onSend: () => void;
};

/** A text of several lines in a form, where Enter starts a new line. */
export function TextAreaField({ label, error, help, onSend, ...area }: TextAreaFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="area"
        rows={3}
        {...area}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={messageIdOf(id, error, help)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          onSend();
        }}
      />
      <FieldMessage id={id} problem={error} help={help} />
    </div>
  );
}
