"use client";

import { Switch } from "@base-ui/react/switch";
import { type ReactNode, useId } from "react";
import "@/components/ui/page.css";

type SwitchRowProps = {
  label: string;
  help: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
};

/** A boxed switch with its label and its help. */
export function SwitchRow({ label, help, isOn, onChange, isDisabled = false }: SwitchRowProps) {
  const id = useId();
  return (
    <div className="switch-row">
      <Switch.Root
        className="switch"
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-help`}
      >
        <Switch.Thumb className="switch-thumb" />
      </Switch.Root>
      <div className="grow">
        <div id={`${id}-name`} className="b5">
          {label}
        </div>
        <div id={`${id}-help`} className="xs t3 switch-help">
          {help}
        </div>
      </div>
    </div>
  );
}
