"use client";

import type { ReactNode } from "react";

export type Segment<T extends string> = {
  value: T;
  label: string;
  icon?: ReactNode;
  /** With it only the icon is shown: the label is read out, and this is the tooltip. */
  title?: string;
};

type SegmentsProps<T extends string> = {
  label: string;
  value: T;
  options: readonly Segment<T>[];
  onChange: (value: T) => void;
};

/** A choice among a few, side by side. Arrow keys move, as among radio buttons. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  const move = (step: number, from: HTMLElement) => {
    const at = options.findIndex((option) => option.value === value);
    const next = options[(at + step + options.length) % options.length];
    if (!next) return;
    onChange(next.value);
    from.querySelectorAll("button")[options.indexOf(next)]?.focus();
  };
  return (
    <div
      className="seg"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(step, event.currentTarget);
      }}
    >
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: a segment is drawn as a button, and a radio cannot be
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          aria-label={option.title === undefined ? undefined : option.label}
          title={option.title}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => onChange(option.value)}
        >
          {option.icon}
          {option.title === undefined && option.label}
        </button>
      ))}
    </div>
  );
}
