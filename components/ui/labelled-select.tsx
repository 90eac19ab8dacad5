"use client";

import { useId } from "react";
import { Select, type SelectProps } from "@/components/ui/select";

/** A select below its label. */
export function LabelledSelect<T extends string>({
  label,
  size = "sm",
  ...props
}: Omit<SelectProps<T>, "labelId"> & { label: string }) {
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="flabel">
        {label}
      </span>
      <Select labelId={id} size={size} {...props} />
    </div>
  );
}
