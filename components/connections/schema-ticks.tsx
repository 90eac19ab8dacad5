"use client";

import { Search } from "lucide-react";
import { useId, useState } from "react";
import type { ConnectionForm } from "@/components/connections/use-connection-form";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";
import { fromNames, toNames } from "@/lib/features/connections/browser/connection-form";
import type { ConfigField, SchemaChoice } from "@/lib/features/connections/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

const HELP = "Limits the explorer and autocomplete only, not what queries can read.";

type SchemaTicksProps = { field: ConfigField; form: ConnectionForm; choices: SchemaChoice[]; isDisabled: boolean };

/** Selects the schemas to show, from the list that the test returned. Selecting all of them stores no selection. */
export function SchemaTicks({ field, form, choices, isDisabled }: SchemaTicksProps) {
  const id = useId();
  const [search, setSearch] = useState("");
  const named = toNames(String(form.values[field.name] ?? ""));
  const known = new Set(choices.map(({ name }) => name));
  // Schemas that are selected but no longer on the server can be deselected like the others.
  const rows = [...choices, ...named.filter((name) => !known.has(name)).map((name) => ({ name, isGone: true }))];
  const isTicked = (name: string) => named.length === 0 || named.includes(name);
  const ticked = rows.filter(({ name }) => isTicked(name)).map(({ name }) => name);
  const shown = rows.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const problem = form.problemOf(field.name);
  const toggle = (name: string) => {
    const next = isTicked(name) ? ticked.filter((each) => each !== name) : [...ticked, name];
    const isAll = choices.every((choice) => next.includes(choice.name)) && next.every((each) => known.has(each));
    form.set(field.name, isAll ? "" : fromNames(next));
  };
  return (
    <fieldset
      className="field span-6 ticks"
      aria-describedby={messageIdOf(id, problem, HELP)}
      data-invalid={problem === undefined ? undefined : true}
    >
      <legend className="flabel">
        {field.label}
        <span className="grow" />
        <span className="xs t3 num">
          {formatCount(ticked.length)} of {formatCount(rows.length)}
        </span>
      </legend>
      <div className="ticks-box">
        <div className="ticks-find">
          <Search className="s t3" />
          <input
            type="search"
            aria-label={`Search ${field.label.toLowerCase()}`}
            placeholder="Search"
            value={search}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
          {named.length > 0 && !isDisabled && (
            <button type="button" className="link" onClick={() => form.set(field.name, "")}>
              Select all
            </button>
          )}
        </div>
        <ul>
          {shown.map((choice) => (
            <li key={choice.name}>
              <label>
                <input
                  type="checkbox"
                  checked={isTicked(choice.name)}
                  // With nothing selected, nothing would be shown.
                  disabled={isDisabled || (ticked.length === 1 && isTicked(choice.name))}
                  onChange={() => toggle(choice.name)}
                />
                <span className="mono trunc grow">{choice.name}</span>
                <span className="xs t3 num">{"isGone" in choice ? "deleted" : toTablesWords(choice)}</span>
              </label>
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p className="xs t2">No matches.</p>}
      </div>
      <FieldMessage id={id} problem={problem} help={HELP} />
    </fieldset>
  );
}

function toTablesWords({ tables }: SchemaChoice): string {
  if (tables === undefined) return "";
  if (tables === null) return "no access";
  return formatCountOf(tables, "table");
}
