"use client";

import { Link2 } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { type Choice, toReference, useReferenced } from "@/components/grid/edit/use-referenced";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultField } from "@/lib/base/values/json-rows";
import { formatCount } from "@/lib/platform/browser/format";

type CellEditorProps = {
  connectionId: string;
  field: Pick<ResultField, "name" | "type">;
  entity: Entity;
  entities: readonly Entity[];
  /** Text of the value; null for none. */
  value: string | null;
  /** @param value undefined for no change @param step columns to move on by */
  onDone: (value: string | null | undefined, step: -1 | 0 | 1) => void;
};

/** Editor over a cell. A column with a foreign key lists the rows that it can refer to. */
export function CellEditor({ connectionId, field, entity, entities, value, onDone }: CellEditorProps) {
  const initial = value ?? "";
  const [text, setText] = useState(initial);
  const [active, setActive] = useState(-1);
  const listId = useId();
  const isOver = useRef(false);
  const reference = toReference(entity, entities, field.name);
  const isSearching = text !== initial;
  const { choices, isLoading } = useReferenced(connectionId, reference, isSearching ? text : "");
  const end = (chosen: string | null | undefined, step: -1 | 0 | 1, target?: Element) => {
    if (isOver.current) return;
    isOver.current = true;
    const grid = target?.closest<HTMLElement>('[role="grid"]');
    onDone(chosen, step);
    grid?.focus();
  };
  /** An unchanged text keeps NULL apart from an empty text. */
  const own = () => (text === initial ? undefined : text);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, currentTarget } = event;
    const isPlain = !event.altKey && !event.shiftKey;
    if (key === "Escape") end(undefined, 0, currentTarget);
    else if (key === "Enter" && isPlain) end(choices[active]?.key ?? own(), 0, currentTarget);
    else if (key === "Tab") end(choices[active]?.key ?? own(), event.shiftKey ? -1 : 1, currentTarget);
    else if (key === "ArrowDown" && choices.length > 0) setActive(Math.min(active + 1, choices.length - 1));
    else if (key === "ArrowUp" && choices.length > 0) setActive(Math.max(active - 1, -1));
    else {
      // The keys of the page do not apply to a text.
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const lines = Math.min(8, text.split("\n").length);
  return (
    <div className="cell-editor" data-edits={reference ? "reference" : "text"}>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has just begun to edit
        autoFocus
        aria-label={`Edit ${field.name}`}
        rows={lines}
        spellCheck={false}
        value={text}
        {...(reference && {
          role: "combobox",
          "aria-expanded": true,
          "aria-controls": listId,
          "aria-activedescendant": active >= 0 ? `${listId}-${active}` : undefined,
        })}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setText(event.target.value);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => end(own(), 0)}
      />
      {reference && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a press must not take the focus from the input
        <div className="reference-list" onMouseDown={(event) => event.preventDefault()}>
          <p className="reference-head xs">
            <Link2 className="xs" />
            <b className="mono">{field.name}</b> to{" "}
            <span className="mono trunc">
              {[reference.table.schema, reference.table.name, reference.column].filter(Boolean).join(".")}
            </span>
          </p>
          <div id={listId} role="listbox" aria-label="Rows">
            {choices.map((choice, index) => (
              <Option
                key={choice.key}
                id={`${listId}-${index}`}
                choice={choice}
                isActive={index === active}
                onChoose={(target) => end(choice.key, 0, target)}
              />
            ))}
          </div>
          {choices.length === 0 && (
            <p className="reference-none xs t2">{isLoading ? "Loading rows" : `No rows match "${text}".`}</p>
          )}
          <p className="reference-foot xs">
            <button type="button" className="link" onClick={(event) => end(null, 0, event.currentTarget)}>
              Set NULL
            </button>
            <span className="grow" />
            <span className="t3 num">
              {formatCount(choices.length)}
              {reference.rowEstimate !== undefined && ` of ${formatCount(reference.rowEstimate)}`}
            </span>
          </p>
        </div>
      )}
    </div>
  );
}

type OptionProps = { id: string; choice: Choice; isActive: boolean; onChoose: (target: Element) => void };

function Option({ id, choice, isActive, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className="reference-row"
      onClick={(event) => onChoose(event.currentTarget)}
    >
      <span className="num t3 mono trunc">{choice.key}</span>
      <span className="trunc">
        <b>{choice.label}</b>
        {choice.detail !== null && <span className="xs t3 trunc">{choice.detail}</span>}
      </span>
    </div>
  );
}
