"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import { useFrame } from "@/components/layout/use-frame";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useLater } from "@/components/ui/use-later";
import { useTyped } from "@/components/ui/use-typed";
import { toShownText } from "@/lib/base/values/cell-look";
import type { CellValue } from "@/lib/base/values/json-rows";
import type { FilterChoice, ValuesAsk } from "@/lib/features/dashboards/browser/client";
import { toChoiceText } from "@/lib/features/dashboards/browser/dashboard-choice";
import { toFilterName } from "@/lib/features/dashboards/browser/filter-words";
import type { Filter, FilterValues } from "@/lib/features/dashboards/schema";
import { formatCount } from "@/lib/platform/browser/format";

const TYPED_AFTER_MS = 150;

/** Public part of a filter. */
export type ShownFilter = Pick<Filter, "id" | "kind" | "field" | "title" | "default">;
/** Source of filter values, and its cache key. */
export type ValuesSource = {
  key: readonly unknown[];
  read: (filterId: string, ask: ValuesAsk, signal: AbortSignal) => Promise<FilterValues>;
};

type FilterListProps = {
  source: ValuesSource;
  filter: ShownFilter;
  value: unknown;
  /** The other filters, which narrow the counts. */
  others: FilterChoice;
  timezone: string;
  onChoose: (value: unknown) => void;
};

/** Values of a filter with the number of rows of each, the most frequent first. */
export function FilterList({ source, filter, value, others, timezone, onChoose }: FilterListProps) {
  const { digits, times } = useFrame().frame;
  const [typed, setTyped] = useState("");
  const q = useLater(typed, TYPED_AFTER_MS);
  const isMany = filter.kind === "multiSelect";
  const given = isMany ? (Array.isArray(value) ? value : []) : value === undefined ? [] : [value];
  // The address updates later than the user clicks: two boxes ticked quickly must both count.
  const [text, put] = useTyped(JSON.stringify(given), (next) => {
    const all: unknown[] = JSON.parse(next);
    onChoose(all.length === 0 ? null : isMany ? all : all[0]);
  });
  const chosen: unknown[] = JSON.parse(text);
  const found = useQuery({
    queryKey: [...source.key, "values", filter.id, toChoiceText(others), timezone, q],
    queryFn: ({ signal }) => source.read(filter.id, { filters: others, timezone, q }, signal),
    placeholderData: keepPreviousData,
  });
  const name = toFilterName(filter);
  // A select takes one value; null means no value there.
  const values = (found.data?.values ?? []).filter(({ value: each }) => isMany || each !== null);
  // Selected values stay visible even when the other filters exclude them.
  const gone = q === "" ? chosen.filter((each) => each !== null && !values.some((known) => known.value === each)) : [];
  const shown = [...gone.map((each) => ({ value: each, count: 0 })), ...values];
  const choose = (each: unknown, isOn: boolean) => {
    const others = isMany ? chosen.filter((other) => other !== each) : [];
    put(JSON.stringify(isOn ? [...others, each] : others));
  };
  return (
    <div className="filter-list">
      <span className="input sm quiet">
        <Search className="s t3" />
        <input
          type="search"
          aria-label={`Search ${name}`}
          placeholder="Search values"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </span>
      {found.isPending && <ListSkeleton label="Loading values" rowPx={28} />}
      {found.isError && <Notice kind="bad">{toMessage(found.error)}</Notice>}
      {found.isSuccess && shown.length === 0 && <p className="xs t2 filter-none">No matching values.</p>}
      {found.isSuccess && shown.length > 0 && (
        <ul className="filter-values" aria-label={`Values of ${name}`} aria-busy={found.isFetching}>
          {shown.map((each) => (
            <li key={JSON.stringify(each.value)}>
              <label className="filter-value">
                <input
                  type="checkbox"
                  checked={chosen.includes(each.value)}
                  onChange={({ target }) => choose(each.value, target.checked)}
                />
                <span className="grow trunc">
                  {each.value === null ? (
                    <i className="t3">null</i>
                  ) : (
                    toShownText(each.value as CellValue, found.data.field, { digits, times }) || "(empty)"
                  )}
                </span>
                <span className="num t3">{formatCount(each.count)}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <FirstRowsNotice firstRows={found.data?.firstRows} />
      {found.data?.isMore && <p className="xs t3 filter-none">Search to see more values.</p>}
    </div>
  );
}
