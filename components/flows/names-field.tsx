"use client";

import { useState } from "react";
import { TextField } from "@/components/ui/text-field";
import { toNames } from "@/lib/features/flows/browser/flow-form";

type NamesFieldProps = {
  label: string;
  value: string[];
  onChange: (names: string[]) => void;
  error?: string;
  help: string;
  isDisabled: boolean;
};

/** Field for names separated by commas. The text stays as typed. */
export function NamesField({ label, value, onChange, error, help, isDisabled }: NamesFieldProps) {
  const [text, setText] = useState(() => value.join(", "));
  return (
    <TextField
      label={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange(toNames(target.value));
      }}
      error={error}
      help={help}
      disabled={isDisabled}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      isDense
    />
  );
}
