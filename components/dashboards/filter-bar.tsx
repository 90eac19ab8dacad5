"use client";

import { Calendar, ChevronDown, Search, X } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { FilterList, type ShownFilter, type ValuesSource } from "@/components/dashboards/filter-list";
import { PeriodBar } from "@/components/dashboards/period-bar";
import type { DashboardChoice } from "@/components/dashboards/use-dashboard-choice";
import { CalendarButton } from "@/components/ui/calendar-button";
import { Popover } from "@/components/ui/popover";
import { useLater } from "@/components/ui/use-later";
import { useTyped } from "@/components/ui/use-typed";
import { isDay, isPreset, PRESET_WORDS } from "@/lib/base/values/date-presets";
import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toClickedWidget, toClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import { describeClick, describeValue, toFilterName } from "@/lib/features/dashboards/browser/filter-words";
import type { Widget } from "@/lib/features/dashboards/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Delay after typing before a request. */
const TYPED_AFTER_MS = 250;

type FilterBarProps = {
  filters: readonly ShownFilter[];
  widgets: readonly Pick<Widget, "id" | "title">[];
  source: ValuesSource;
  choice: DashboardChoice;
  timezone: string;
  /** Whether the page has times; else grain and comparison do not apply. */
  hasTimes: boolean;
};

/** The filters of a page and the clicks in its widgets, each with a button that clears it. */
export function FilterBar({ filters, widgets, source, choice, timezone, hasTimes }: FilterBarProps) {
  const clicks = Object.entries(choice.choice).flatMap(([key, value]) => {
    const widgetId = toClickedWidget(key);
    const words = widgetId === null ? "" : describeClick(toClickValue(value));
    const widget = widgets.find(({ id }) => id === widgetId);
    return words === "" ? [] : [{ key, name: widget?.title || "Widget", words }];
  });
  const set = [...Object.keys(choice.choice), ...choice.lost];
  const { grain, compare } = choice.ask;
  const isTimed =
    hasTimes || filters.some(({ kind }) => kind === "dateRange") || grain !== undefined || compare !== undefined;
  if (filters.length === 0 && set.length === 0 && !isTimed) return null;
  const ranges = [
    ...filters.flatMap(({ id, kind, default: standing }) =>
      kind === "dateRange" ? [Object.hasOwn(choice.choice, id) ? choice.choice[id] : standing] : [],
    ),
    ...Object.entries(choice.choice).flatMap(([key, value]) =>
      toClickedWidget(key) !== null && typeof value === "object" && value !== null ? Object.values(value) : [],
    ),
  ];
  return (
    <section className="filter-bar" aria-label="Filters">
      {filters.map((filter) => {
        const isOwn = Object.hasOwn(choice.choice, filter.id);
        const value = isOwn ? choice.choice[filter.id] : filter.default;
        const put = (next: unknown, isStep = true) =>
          choice.set(filter.id, isSame(next, filter.default ?? null) ? undefined : next, isStep);
        const props = { filter, value, put };
        if (filter.kind === "search") return <SearchFilter key={filter.id} {...props} />;
        if (filter.kind === "dateRange") return <DateFilter key={filter.id} {...props} />;
        return (
          <ListFilter
            key={filter.id}
            {...props}
            source={source}
            others={without(choice.choice, filter.id)}
            timezone={timezone}
          />
        );
      })}
      {isTimed && <PeriodBar period={{ grain, compare }} hasRange={ranges.some(isRange)} put={choice.setPeriod} />}
      {clicks.map(({ key, name, words }) => (
        <span key={key} className="filter-chip on">
          <span className="trunc">
            {name}: {words}
          </span>
          <button type="button" aria-label={`Clear ${name}: ${words}`} onClick={() => choice.set(key, undefined)}>
            <X className="xs" />
          </button>
        </span>
      ))}
      {choice.lost.length > 0 && (
        <span className="xs t2" role="status">
          {formatCountOf(choice.lost.length, "filter")} of this link {choice.lost.length === 1 ? "is" : "are"} stored in
          another browser. Select again.
        </span>
      )}
      {set.length > 0 && (
        <button type="button" className="btn ghost sm filter-clear" onClick={() => choice.clear(set)}>
          Clear filters
        </button>
      )}
    </section>
  );
}

type OneProps = { filter: ShownFilter; value: unknown; put: (value: unknown, isStep?: boolean) => void };

/** A filter as a chip that opens it, with a clear button while it is set. */
function FilterChip({
  filter,
  value,
  put,
  icon,
  isOpen,
  onOpen,
  children,
}: OneProps & {
  icon?: React.ReactNode;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  children: React.ReactNode;
}) {
  const name = toFilterName(filter);
  const words = describeValue(value);
  return (
    <span className={words === null ? "filter-chip" : "filter-chip on"}>
      <Popover
        label={name}
        isOpen={isOpen}
        onOpen={onOpen}
        trigger={
          <button type="button" className="filter-open">
            {icon}
            <span className="trunc">
              {name}: {words ?? "any"}
            </span>
            <ChevronDown className="xs" />
          </button>
        }
      >
        {children}
      </Popover>
      {words !== null && (
        <button type="button" aria-label={`Clear ${name}: ${words}`} onClick={() => put(null)}>
          <X className="xs" />
        </button>
      )}
    </span>
  );
}

function DateFilter(props: OneProps) {
  const { value, put } = props;
  const [isOpen, setIsOpen] = useState(false);
  const given = typeof value === "object" && value !== null ? (value as { from?: string; to?: string }) : {};
  const [from, setFrom] = useState(given.from ?? "");
  const [to, setTo] = useState(given.to ?? "");
  useEffect(() => {
    setFrom(given.from ?? "");
    setTo(given.to ?? "");
  }, [given.from, given.to]);
  const ids = [useId(), useId()];
  const days = [from, to].filter((day) => day !== "");
  const isBackwards = days.length === 2 && from > to;
  const problem = !days.every(isDay)
    ? "Enter dates as YYYY-MM-DD."
    : isBackwards
      ? "End date must be after the start date."
      : null;
  const choose = (next: unknown) => {
    put(next);
    setIsOpen(false);
  };
  return (
    <FilterChip {...props} icon={<Calendar className="s" />} isOpen={isOpen} onOpen={setIsOpen}>
      <div className="filter-pop">
        <ul className="filter-presets">
          {Object.entries(PRESET_WORDS).map(([preset, words]) => (
            <li key={preset}>
              <button
                type="button"
                className="menu-item"
                aria-pressed={isPreset(value) && value === preset}
                onClick={() => choose(preset)}
              >
                {words}
              </button>
            </li>
          ))}
        </ul>
        <form
          className="filter-range"
          onSubmit={(event) => {
            event.preventDefault();
            if (problem !== null) return;
            choose(from === "" && to === "" ? null : { ...(from && { from }), ...(to && { to }) });
          }}
        >
          <div className="field">
            <label htmlFor={ids[0]}>From</label>
            <span className="input sm">
              <input
                id={ids[0]}
                placeholder="YYYY-MM-DD"
                value={from}
                onChange={({ target }) => setFrom(target.value)}
              />
              <CalendarButton value={from} onChange={setFrom} />
            </span>
          </div>
          <div className="field">
            <label htmlFor={ids[1]}>To (inclusive)</label>
            <span className="input sm">
              <input id={ids[1]} placeholder="YYYY-MM-DD" value={to} onChange={({ target }) => setTo(target.value)} />
              <CalendarButton value={to} onChange={setTo} />
            </span>
          </div>
          {problem !== null && (
            <p className="xs bad" role="alert">
              {problem}
            </p>
          )}
          <button type="submit" className="btn sm primary" disabled={problem !== null}>
            Apply
          </button>
        </form>
      </div>
    </FilterChip>
  );
}

type ListProps = OneProps & { source: ValuesSource; others: FilterChoice; timezone: string };

function ListFilter({ source, others, timezone, ...props }: ListProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <FilterChip {...props} isOpen={isOpen} onOpen={setIsOpen}>
      {isOpen && (
        <FilterList
          source={source}
          filter={props.filter}
          value={props.value}
          others={others}
          timezone={timezone}
          onChoose={(next) => {
            props.put(next);
            if (props.filter.kind === "select") setIsOpen(false);
          }}
        />
      )}
    </FilterChip>
  );
}

function SearchFilter({ filter, value, put }: OneProps) {
  const name = toFilterName(filter);
  const [typed, type] = useTyped(typeof value === "string" ? value : "", () => {});
  const later = useLater(typed, TYPED_AFTER_MS);
  const [isTyping, setIsTyping] = useState(false);
  useEffect(() => {
    if (!isTyping || later !== typed) return;
    setIsTyping(false);
    // Single letters add no history entries.
    put(later === "" ? null : later, false);
  }, [isTyping, later, typed, put]);
  return (
    <span className={`input sm quiet filter-search ${typed === "" ? "" : "on"}`}>
      <Search className="s t3" />
      <input
        type="search"
        aria-label={name}
        placeholder={name}
        value={typed}
        onChange={({ target }) => {
          setIsTyping(true);
          type(target.value);
        }}
      />
    </span>
  );
}

function without(choice: FilterChoice, id: string): FilterChoice {
  return Object.fromEntries(Object.entries(choice).filter(([key]) => key !== id));
}

/** Returns whether a date range has both ends, as a comparison needs. */
function isRange(value: unknown): boolean {
  if (isPreset(value)) return true;
  return typeof value === "object" && value !== null && "from" in value && "to" in value && !!value.from && !!value.to;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
