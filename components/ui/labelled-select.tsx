"use client";

import { useId } from "react";
import { Select } from "@/components/ui/select";

type LabelledSelectProps<T extends string> = {
  label: string;
  value: T;
  options: { value: T; label: string }[];
  onChange: (value: T) => void;
};

/** A small select below its label. */
export function LabelledSelect<T extends string>({ label, ...props }: LabelledSelectProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="flabel">
        {label}
      </span>
      <Select labelId={id} size="sm" {...props} />
    </div>
  );
}
