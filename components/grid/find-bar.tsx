"use client";

import { ArrowDown, ArrowUp, Search, X } from "lucide-react";
import type { Find } from "@/components/grid/use-find";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { Select } from "@/components/ui/select";
import { Tip } from "@/components/ui/tip";
import { formatCount, formatCountOf, formatDuration } from "@/lib/platform/browser/format";

const ALL = "all";

type FindBarProps = { find: Find; columns: GridColumn[]; onLeave: () => void };

/** Search above a grid: text, matches, and the columns to search. */
export function FindBar({ find, columns, onLeave }: FindBarProps) {
  const { text, only, search, inputRef, step } = find;
  const close = () => {
    find.close();
    onLeave();
  };
  const isNone = search === null || search.at < 0;
  return (
    <search
      className="find-bar"
      aria-label="Find in result"
      onKeyDown={(event) => {
        const isFind = (event.metaKey || event.ctrlKey) && !event.shiftKey && event.key === "f";
        if (event.key === "Escape") close();
        else if (isFind) inputRef.current?.select();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div>
        <div className="input xs quiet">
          <Search className="s t3" />
          <input
            ref={inputRef}
            // biome-ignore lint/a11y/noAutofocus: the user asked for the search
            autoFocus
            aria-label="Find in result"
            placeholder="Find"
            value={text}
            onChange={(event) => find.setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.metaKey || event.ctrlKey) return;
              event.preventDefault();
              step(event.shiftKey ? -1 : 1);
            }}
          />
          <span className="num t3" role="status">
            {search !== null && toMatchWords(search)}
          </span>
        </div>
        <Tip label="Previous match" keys="shift+enter">
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Previous match"
            aria-disabled={isNone}
            onClick={() => step(-1)}
          >
            <ArrowUp className="s" />
          </button>
        </Tip>
        <Tip label="Next match" keys="enter">
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Next match"
            aria-disabled={isNone}
            onClick={() => step(1)}
          >
            <ArrowDown className="s" />
          </button>
        </Tip>
        <div className="find-in">
          <Select
            label="Columns to search"
            size="sm"
            value={only === null ? ALL : String(only)}
            options={[
              { value: ALL, label: "All columns" },
              ...columns.map(({ index, field }) => ({ value: String(index), label: field.name })),
            ]}
            onChange={(chosen) => find.setOnly(chosen === ALL ? null : Number(chosen))}
          />
        </div>
        <span className="grow" />
        {search !== null && (
          <span className="find-said t3 num">
            {formatCountOf(search.rows, "loaded row")} searched, {formatDuration(search.ms)}
          </span>
        )}
        <button type="button" className="btn ghost icon sm" aria-label="Close find" onClick={close}>
          <X className="s" />
        </button>
      </div>
    </search>
  );
}

function toMatchWords({ at, found }: NonNullable<Find["search"]>): string {
  if (at < 0) return "No matches";
  return `${formatCount(at + 1)} of ${formatCount(found.rows.length)}${found.isCut ? "+" : ""}`;
}
