"use client";

import { type ReactNode, useId } from "react";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";
import { Select, type SelectProps } from "@/components/ui/select";

type PickProps = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: string; note?: ReactNode; isDisabled?: boolean }[];
  error?: string;
  help?: ReactNode;
  isDisabled: boolean;
  more?: SelectProps<string>["more"];
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
        describedBy={messageIdOf(id, error, help)}
        isInvalid={error !== undefined}
      />
      <FieldMessage id={id} problem={error} help={help} />
    </div>
  );
}
