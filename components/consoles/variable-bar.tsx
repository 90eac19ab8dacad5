"use client";

import type { KeyboardEvent } from "react";
import type { Variables } from "@/components/consoles/use-variables";
import { Select } from "@/components/ui/select";
import { VARIABLE_KINDS, type VariableInput, type VariableKind } from "@/lib/base/sql/variables";

const KIND_NAMES: Record<VariableKind, string> = { text: "Text", number: "Number", boolean: "Boolean", date: "Date" };
const KINDS = VARIABLE_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }));

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
};

/** One input for each {{name}} of the query. The values are bound as parameters, never written into the text. */
export function VariableBar({ variables, missing, onRun, onKeep }: BarProps) {
  const { names, inputs, change } = variables;
  return (
    <section className="vars" aria-label="Variables">
      {names.map((name) => {
        const input = inputs[name];
        return (
          input && (
            <Variable
              key={name}
              name={name}
              input={input}
              isMissing={missing.includes(name)}
              onChange={(next) => change(name, next)}
              onRun={onRun}
            />
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
  isMissing: boolean;
  onChange: (input: VariableInput) => void;
  onRun: () => void;
};

function Variable({ name, input, isMissing, onChange, onRun }: VariableProps) {
  const id = toInputId(name);
  const { kind, text } = input;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onRun();
  };
  return (
    <div className="var">
      <label htmlFor={id} className="mono trunc">
        {name}
      </label>
      {kind === "boolean" ? (
        <span className="var-check">
          <input
            id={id}
            type="checkbox"
            checked={text === "true"}
            onKeyDown={onKeyDown}
            onChange={(event) => onChange({ kind, text: String(event.target.checked) })}
          />
          {text === "true" ? "Yes" : "No"}
        </span>
      ) : (
        <span className={isMissing ? "input xs err" : "input xs"}>
          <input
            id={id}
            type={kind === "date" ? "date" : "text"}
            inputMode={kind === "number" ? "decimal" : undefined}
            value={text}
            placeholder={kind === "number" ? "0" : undefined}
            aria-invalid={isMissing || undefined}
            aria-describedby={isMissing ? `${id}-why` : undefined}
            autoComplete="off"
            spellCheck={false}
            onKeyDown={onKeyDown}
            onChange={(event) => onChange({ kind, text: event.target.value })}
          />
        </span>
      )}
      <Select
        label={`Type of ${name}`}
        size="sm"
        value={kind}
        options={KINDS}
        onChange={(next) => onChange({ kind: next, text: next === "boolean" || kind === "boolean" ? "" : text })}
      />
      {isMissing && (
        <span id={`${id}-why`} className="xs var-why">
          {kind === "number" ? "Enter a number" : "Enter a date"}
        </span>
      )}
    </div>
  );
}
