"use client";

import { CalendarRange, ChevronDown, GitCompareArrows, X } from "lucide-react";
import { useState } from "react";
import { Popover } from "@/components/ui/popover";
import { GRAIN_WORDS } from "@/lib/base/values/grain-words";
import { COMPARISON_WORDS, type Period } from "@/lib/features/dashboards/browser/period-words";
import { COMPARISONS, GRAINS } from "@/lib/features/results/crossfilter/words";

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
        values={GRAINS.toReversed()}
        words={GRAIN_WORDS}
        put={(grain) => put({ grain })}
      />
      <PeriodChip
        name="Compare"
        none="No comparison"
        icon={<GitCompareArrows className="s" />}
        value={period.compare}
        values={COMPARISONS}
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
  values: readonly T[];
  words: Readonly<Record<NoInfer<T>, string>>;
  put: (value: T | undefined) => void;
  note?: string | null;
};

function PeriodChip<T extends string>(props: PeriodChipProps<T>) {
  const { name, none, icon, value, values, words: given, put, note } = props;
  const [isOpen, setIsOpen] = useState(false);
  const options = values.map((each) => ({ value: each, words: given[each] }));
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
