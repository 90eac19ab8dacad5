"use client";

import { List } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useConsolesById, useRecentConsoles, useVariableChoices } from "@/components/consoles/use-consoles";
import type { Variables } from "@/components/consoles/use-variables";
import { CalendarButton } from "@/components/ui/calendar-button";
import { Popover } from "@/components/ui/popover";
import { Select } from "@/components/ui/select";
import { toTypedValue, VARIABLE_KINDS, type VariableInput, type VariableKind } from "@/lib/base/sql/variables";
import { PRESET_WORDS, toPresetDays } from "@/lib/base/values/date-presets";
import { deviceZone } from "@/lib/base/values/names";
import type { Console } from "@/lib/features/consoles/schema";

const KIND_NAMES: Record<VariableKind, string> = { text: "Text", number: "Number", boolean: "Boolean", date: "Date" };
const KINDS = VARIABLE_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }));
const PLACEHOLDERS: Partial<Record<VariableKind, string>> = { number: "0", date: "YYYY-MM-DD" };
/** Option for no value; no text of a value contains it. */
const NONE = "\u0000none";
const LOADING = "\u0000loading";

/** Returns the id of a variable's input, to focus it when its value is missing. */
export function toInputId(name: string): string {
  return `variable-${name}`;
}

type BarProps = {
  variables: Variables;
  missing: string[];
  /** Called for Enter in an input. */
  onRun: () => void;
  /** Stores the values as defaults of the console; null where they are stored already, or cannot be. */
  onKeep: (() => void) | null;
  choices: Console["choices"];
  /** Stores the consoles that lists come from; null where they cannot be stored. */
  onChoices: ((choices: Console["choices"]) => void) | null;
};

/** One input for each {{name}} of the query. The values are bound as parameters, never written into the text. */
export function VariableBar({ variables, missing, onRun, onKeep, choices, onChoices }: BarProps) {
  const { list, inputs, change } = variables;
  return (
    <section className="vars" aria-label="Variables">
      {list.map(({ name, isOptional }) => {
        const input = inputs[name];
        const { [name]: source, ...others } = choices;
        return (
          input && (
            <div key={name} className="var">
              <Variable
                name={name}
                input={input}
                isOptional={isOptional}
                isMissing={missing.includes(name)}
                source={source}
                onChange={(next) => change(name, next)}
                onRun={onRun}
              />
              {onChoices && (
                <SourcePicker
                  name={name}
                  source={source}
                  onChange={(next) => onChoices(next === null ? others : { ...others, [name]: next })}
                />
              )}
            </div>
          )
        );
      })}
      {onKeep && (
        <button type="button" className="btn ghost sm" onClick={onKeep}>
          Save as defaults
        </button>
      )}
    </section>
  );
}

type VariableProps = {
  name: string;
  input: VariableInput;
  isOptional: boolean;
  isMissing: boolean;
  source: Console["choices"][string] | undefined;
  onChange: (input: VariableInput) => void;
  onRun: () => void;
};

function Variable({ name, input, isOptional, isMissing, source, onChange, onRun }: VariableProps) {
  const id = toInputId(name);
  const { kind, text } = input;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onRun();
  };
  const setText = (next: string) => onChange({ kind, text: next });
  return (
    <>
      <label htmlFor={id} className="mono trunc">
        {name}
      </label>
      {source ? (
        <ListValue {...{ name, text, isOptional, source }} onChange={setText} />
      ) : kind === "boolean" && isOptional ? (
        <Select
          label={`Value of ${name}`}
          size="sm"
          value={text === "" ? NONE : text}
          options={[
            { value: NONE, label: "Any" },
            { value: "true", label: "Yes" },
            { value: "false", label: "No" },
          ]}
          onChange={(next) => setText(next === NONE ? "" : next)}
        />
      ) : kind === "boolean" ? (
        <span className="var-check">
          <input
            id={id}
            type="checkbox"
            checked={text === "true"}
            onKeyDown={onKeyDown}
            onChange={(event) => setText(String(event.target.checked))}
          />
          {text === "true" ? "Yes" : "No"}
        </span>
      ) : (
        <>
          {kind === "date" && <PresetPicker name={name} text={text} isOptional={isOptional} onChange={setText} />}
          {!(kind === "date" && isPresetText(text)) && (
            <span className={isMissing ? "input xs err" : "input xs"}>
              <input
                id={id}
                inputMode={kind === "number" ? "decimal" : undefined}
                value={text}
                placeholder={isOptional ? "Any" : PLACEHOLDERS[kind]}
                aria-invalid={isMissing || undefined}
                aria-describedby={isMissing ? `${id}-why` : undefined}
                autoComplete="off"
                spellCheck={false}
                onKeyDown={onKeyDown}
                onChange={(event) => setText(event.target.value)}
              />
              {kind === "date" && <CalendarButton value={text} onChange={setText} />}
            </span>
          )}
        </>
      )}
      <Select
        label={`Type of ${name}`}
        size="sm"
        value={kind}
        options={KINDS}
        onChange={(next) => onChange({ kind: next, text: mustClear(kind, next) ? "" : text })}
      />
      {isMissing && (
        <span id={`${id}-why`} className="xs var-why">
          {kind === "number" ? "Enter a number" : "Enter a date"}
        </span>
      )}
    </>
  );
}

function mustClear(from: VariableKind, to: VariableKind): boolean {
  return [from, to].some((kind) => kind === "boolean" || kind === "date");
}

function isPresetText(text: string): boolean {
  const value = toTypedValue({ kind: "date", text });
  return value !== null && "preset" in value;
}

/** A date as typed, or the first or last day of a range that moves with the calendar. */
function PresetPicker({ name, text, isOptional, onChange }: ListProps) {
  const now = new Date();
  const isEnd = /(^|_)(until|to|before|end|through)(_|$)/i.test(name);
  const options = Object.entries(PRESET_WORDS).map(([preset, label]) => {
    const days = toPresetDays(preset as keyof typeof PRESET_WORDS, now, deviceZone());
    return { value: isEnd ? `${preset}/end` : preset, label, note: isEnd ? days.to : days.from };
  });
  const value = isPresetText(text) ? text : NONE;
  return (
    <Select
      label={`Date of ${name}`}
      size="sm"
      value={value}
      placeholder={text}
      options={[{ value: NONE, label: isOptional && text === "" ? "Any date" : "Date" }, ...options]}
      onChange={(next) => onChange(next === NONE ? "" : next)}
    />
  );
}

type ListProps = { name: string; text: string; isOptional: boolean; onChange: (text: string) => void };

/** A value chosen from the rows of a saved console. */
function ListValue({ name, text, isOptional, source, onChange }: ListProps & { source: Console["choices"][string] }) {
  const [isWanted, setIsWanted] = useState(false);
  const { data = [], error, isFetching } = useVariableChoices(source, isWanted);
  const values = text === "" || data.includes(text) ? data : [text, ...data];
  const none = isOptional ? [{ value: NONE, label: "Any" }] : [];
  const loading = isFetching && data.length === 0 ? [{ value: LOADING, label: "Loading", isDisabled: true }] : [];
  return (
    <>
      <Select
        label={`Value of ${name}`}
        size="sm"
        value={text === "" ? NONE : text}
        placeholder="Select"
        onOpen={() => setIsWanted(true)}
        options={[...none, ...values.map((value) => ({ value, label: value })), ...loading]}
        onChange={(next) => onChange(next === NONE ? "" : next)}
      />
      {error && <span className="xs var-why">{error.message}</span>}
    </>
  );
}

type SourceProps = {
  name: string;
  source: Console["choices"][string] | undefined;
  onChange: (source: Console["choices"][string] | null) => void;
};

/** Chooses the saved console whose rows are the values of a variable. */
function SourcePicker({ name, source, onChange }: SourceProps) {
  const [isOpen, setIsOpen] = useState(false);
  const recent = useRecentConsoles(isOpen);
  const chosen = useConsolesById(source && isOpen ? [source.consoleId] : []);
  const byId = new Map([...(recent.data ?? []), ...chosen.data].map((each) => [each.id, each]));
  return (
    <Popover
      label={`List for ${name}`}
      isOpen={isOpen}
      onOpen={setIsOpen}
      trigger={
        <button
          type="button"
          className="btn ghost sm icon"
          aria-label={`List for ${name}`}
          aria-pressed={source !== undefined}
        >
          <List className="s" />
        </button>
      }
    >
      <div className="field">
        <span className="flabel">Values from console</span>
        <Select
          label="Values from console"
          size="sm"
          value={source?.consoleId ?? NONE}
          placeholder="Private console"
          options={[
            { value: NONE, label: "No list" },
            ...[...byId.values()].map(({ id, path }) => ({ value: id, label: path })),
          ]}
          onChange={(next) => onChange(next === NONE ? null : { consoleId: next })}
        />
        <div className="help">First column, up to 1,000 rows.</div>
      </div>
    </Popover>
  );
}
