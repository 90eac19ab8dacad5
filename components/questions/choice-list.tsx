"use client";

import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";

export type ListChoice = { id: string; label: string; group?: string | undefined; note?: ReactNode; icon?: ReactNode };

type ChoiceListProps = {
  label: string;
  choices: readonly ListChoice[];
  /** Choice that is in use. */
  current?: string | undefined;
  onChoose: (id: string) => void;
};

/** Choices from which a search field appears. */
const SEARCHED_FROM = 12;
/** Choices that are listed; the search finds the others. */
const LISTED_MAX = 200;

/** List of a popover, with a search where it is long. */
export function ChoiceList({ label, choices, current, onChoose }: ChoiceListProps) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = choices.filter(({ label: text, group = "" }) =>
    words.every((word) => `${group}.${text}`.toLowerCase().includes(word)),
  );
  const shown = found.slice(0, LISTED_MAX);
  return (
    <div className="question-list">
      {choices.length >= SEARCHED_FROM && (
        <div className="input sm quiet">
          <Search className="s t3" />
          <input
            // biome-ignore lint/a11y/noAutofocus: the popover was opened to search
            autoFocus
            aria-label={`Search ${label.toLowerCase()}`}
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              const [first] = found;
              if (event.key !== "Enter" || !first) return;
              event.preventDefault();
              onChoose(first.id);
            }}
          />
        </div>
      )}
      {/* Focusable, since it scrolls. */}
      <ul aria-label={label} tabIndex={-1}>
        {shown.map(({ id, label: text, group, note, icon }, index) => (
          <li key={id}>
            {group !== undefined && group !== shown[index - 1]?.group && (
              <div className="question-group t3">{group}</div>
            )}
            <button
              type="button"
              className="menu-item"
              aria-current={id === current || undefined}
              onClick={() => onChoose(id)}
            >
              {icon}
              <span className="trunc">{text}</span>
              {note !== undefined && <span className="end">{note}</span>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="t2 question-none">No matches.</p>}
      {found.length > LISTED_MAX && <p className="t3 question-none">Search for more.</p>}
    </div>
  );
}
