"use client";

import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown, Lock } from "lucide-react";
import type { ReactNode } from "react";
import { LoadMore, type Pages } from "@/components/ui/load-more";
import "@/components/ui/page.css";

export type SelectProps<T extends string> = {
  /** Accessible name if there is no visible label; else `labelId` names the label. */
  label?: string;
  labelId?: string;
  describedBy?: string;
  /** Shown if the value is not an option. */
  placeholder?: string;
  value: T;
  onChange: (value: T) => void;
  /** Called when the list opens, to load its options. */
  onOpen?: () => void;
  options: { value: T; label: string; note?: ReactNode; isDisabled?: boolean }[];
  isDisabled?: boolean;
  isInvalid?: boolean;
  size?: "sm" | "md";
  /** Next page of the options. */
  more?: Pages;
};

/** A choice among a few, in a drop-down list. */
export function Select<T extends string>(props: SelectProps<T>) {
  const { label, labelId, value, onChange, options, isDisabled = false, isInvalid = false, size = "md" } = props;
  return (
    <Base.Root
      value={value}
      items={options}
      disabled={isDisabled}
      onValueChange={(next: T | null) => next !== null && onChange(next)}
      onOpenChange={(isOpen) => isOpen && props.onOpen?.()}
    >
      <Base.Trigger
        className={`input pick ${size === "sm" ? "sm quiet" : ""} ${isInvalid ? "err" : ""}`}
        aria-label={label}
        aria-labelledby={labelId}
        aria-describedby={props.describedBy}
        aria-invalid={isInvalid || undefined}
      >
        <Base.Value className="grow trunc">
          {(chosen: T) =>
            options.find((option) => option.value === chosen)?.label ?? <span className="t3">{props.placeholder}</span>
          }
        </Base.Value>
        {isDisabled ? <Lock className="xs t3" /> : <ChevronDown className="s t3" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-pos pick-pos" sideOffset={4} collisionPadding={8} alignItemWithTrigger={false}>
          <Base.Popup className="menu pick-menu" aria-label={label} aria-labelledby={labelId}>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className="menu-item" disabled={option.isDisabled}>
                <span className="tick">
                  <Base.ItemIndicator>
                    <Check className="s" />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText className="trunc">{option.label}</Base.ItemText>
                {option.note && <span className="end">{option.note}</span>}
              </Base.Item>
            ))}
            {props.more && <LoadMore pages={props.more} label="Show more" className="menu-item" />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
