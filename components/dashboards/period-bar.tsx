"use client";

import { CalendarRange, ChevronDown, GitCompareArrows, X } from "lucide-react";
import { useState } from "react";
import { Popover } from "@/components/ui/popover";
import { COMPARISON_WORDS, GRAIN_WORDS, type Period } from "@/lib/features/dashboards/browser/period-words";

type PeriodBarProps = {
  period: Period;
  /** Whether a date range is set: without one there is nothing to compare. */
  hasRange: boolean;
  /** Sets the given properties; the others stay. */
  put: (part: Period) => void;
};

/** Time grain and comparison of a page. */
export function PeriodBar({ period, hasRange, put }: PeriodBarProps) {
  return (
    <>
      <PeriodChip
        name="Time grain"
        none="Widget default"
        icon={<CalendarRange className="s" />}
        value={period.grain}
        words={GRAIN_WORDS}
        put={(grain) => put({ grain })}
      />
      <PeriodChip
        name="Compare"
        none="No comparison"
        icon={<GitCompareArrows className="s" />}
        value={period.compare}
        words={COMPARISON_WORDS}
        put={(compare) => put({ compare })}
        note={hasRange ? null : "Select a date range first."}
      />
    </>
  );
}

type PeriodChipProps<T extends string> = {
  name: string;
  /** Label shown when nothing is selected. */
  none: string;
  icon: React.ReactNode;
  value: T | undefined;
  words: Readonly<Record<T, string>>;
  put: (value: T | undefined) => void;
  note?: string | null;
};

function PeriodChip<T extends string>({ name, none, icon, value, words: given, put, note }: PeriodChipProps<T>) {
  const [isOpen, setIsOpen] = useState(false);
  const options = Object.entries<string>(given).map(([each, text]) => ({ value: each as T, words: text }));
  const words = value === undefined ? null : given[value];
  const choose = (next: T | undefined) => {
    put(next);
    setIsOpen(false);
  };
  return (
    <span className={words === null ? "filter-chip" : "filter-chip on"}>
      <Popover
        label={name}
        isOpen={isOpen}
        onOpen={setIsOpen}
        trigger={
          <button type="button" className="filter-open">
            {icon}
            <span className="trunc">{words === null ? name : `${name}: ${words}`}</span>
            <ChevronDown className="xs" />
          </button>
        }
      >
        <ul className="period-choices" aria-label={name}>
          {[{ value: undefined, words: none }, ...options].map((option) => (
            <li key={option.value ?? ""}>
              <button
                type="button"
                className="menu-item"
                aria-pressed={option.value === value}
                onClick={() => choose(option.value)}
              >
                {option.words}
              </button>
            </li>
          ))}
        </ul>
        {note && <p className="xs t2 period-note">{note}</p>}
      </Popover>
      {words !== null && (
        <button type="button" aria-label={`Clear ${name}: ${words}`} onClick={() => put(undefined)}>
          <X className="xs" />
        </button>
      )}
    </span>
  );
}
