"use client";

import { Plus, X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { Select } from "@/components/ui/select";
import type { EditedRows } from "@/lib/features/results/browser/edited-rows";
import { NEW_FIELD_TYPES, type NewFieldType, toNewFieldText } from "@/lib/features/results/browser/new-field";

const TYPES = (Object.keys(NEW_FIELD_TYPES) as NewFieldType[]).map((value) => ({
  value,
  label: NEW_FIELD_TYPES[value],
}));
const BOOLEANS = ["true", "false"].map((value) => ({ value, label: value }));

type AddFieldProps = {
  source: EditedRows;
  row: number;
  /** @returns whether the change is pending now */
  onChange: (work: () => void) => boolean;
};

/** Fields that were added to a document, and a form that adds another one. */
export function AddField({ source, row, onChange }: AddFieldProps) {
  const { edits } = source;
  const id = source.idAt(row) ?? "";
  return (
    <>
      {source.addedFields(row).map(([name, text]) => (
        <div key={name} className="form-field changed">
          <div className="row">
            <span className="trunc t2">{name}</span>
            <span className="ty trunc grow">new field</span>
            <button
              type="button"
              className="link xs"
              aria-label={`Remove ${name}`}
              onClick={() => onChange(() => edits.removeField(id, name))}
            >
              Remove
            </button>
          </div>
          <code className="added-value">{text}</code>
        </div>
      ))}
      {edits.addsFieldTo === id ? (
        <NewField
          key={id}
          isKnown={(name) => source.hasField(row, name)}
          onAdd={(name, text) => onChange(() => source.addField(row, name, text)) && edits.askForField(null)}
          onClose={() => edits.askForField(null)}
        />
      ) : (
        <div className="row-form-tools">
          <button type="button" className="btn sm" onClick={() => edits.askForField(id)}>
            <Plus className="s" />
            Add field
          </button>
        </div>
      )}
    </>
  );
}

type NewFieldProps = {
  isKnown: (name: string) => boolean;
  /** @param text the value as Extended JSON */
  onAdd: (name: string, text: string) => void;
  onClose: () => void;
};

function NewField({ isKnown, onAdd, onClose }: NewFieldProps) {
  const [name, setName] = useState("");
  const [type, setType] = useState<NewFieldType>("text");
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const add = () => {
    const written = toNewFieldText(type, value);
    if (name === "") setProblem("Enter a name.");
    else if (isKnown(name)) setProblem(`Field ${name} already exists. Edit it above.`);
    else if ("problem" in written) setProblem(written.problem);
    else onAdd(name, written.text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the page do not apply to a form.
    event.stopPropagation();
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && (event.metaKey || event.ctrlKey || event.target instanceof HTMLInputElement))
      add();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form within the page's form region would submit it
    <div role="group" aria-label="New field" className="form-field new-field" onKeyDown={onKeyDown}>
      <label htmlFor={`${id}-name`}>Name</label>
      <input
        id={`${id}-name`}
        // biome-ignore lint/a11y/noAutofocus: the user has just opened the form
        autoFocus
        spellCheck={false}
        autoComplete="off"
        value={name}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        onChange={(event) => setName(event.target.value)}
      />
      <span id={`${id}-type`} className="t2">
        Type
      </span>
      <Select
        labelId={`${id}-type`}
        size="sm"
        value={type}
        options={TYPES}
        onChange={(next) => {
          setType(next);
          setValue(next === "boolean" ? "true" : "");
          setProblem(null);
        }}
      />
      {type === "boolean" && <Select label="Value" size="sm" value={value} options={BOOLEANS} onChange={setValue} />}
      {type !== "boolean" && type !== "null" && (
        <>
          <label htmlFor={`${id}-value`}>Value</label>
          <textarea
            id={`${id}-value`}
            rows={1}
            spellCheck={false}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </>
      )}
      {problem !== null && (
        <p id={`${id}-problem`} role="alert" className="xs new-field-problem">
          {problem}
        </p>
      )}
      <div className="row">
        <button type="button" className="btn sm primary" onClick={add}>
          <Plus className="s" />
          Add field
        </button>
        <button type="button" className="btn sm ghost" onClick={onClose}>
          <X className="s" />
          Cancel
        </button>
      </div>
    </div>
  );
}
