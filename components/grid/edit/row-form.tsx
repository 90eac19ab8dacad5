"use client";

import { CopyPlus, Trash2, Undo2 } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useId, useRef, useState } from "react";
import { AddField } from "@/components/grid/edit/add-field";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useExactText } from "@/components/grid/edit/use-exact-text";
import { toReference, useReferenced } from "@/components/grid/edit/use-referenced";
import { toRefusal } from "@/components/grid/edit/use-row-editing";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { showFailure } from "@/components/ui/toast";
import type { Entity } from "@/lib/base/values/fields";
import { CHANGED_VALUE_CHARS_MAX } from "@/lib/features/query/limits";
import { DEFAULT, isNested, type NewValue } from "@/lib/features/results/browser/row-edits";
import "./edit.css";

/** Maximum number of lines of a field before it scrolls. */
const LINES_MAX = 12;

type RowFormProps = {
  edited: Edited;
  /** All tables of the connection, to which foreign keys refer. */
  entities: readonly Entity[];
  row: number;
  columns: readonly GridColumn[];
  /** Opens another row. */
  onRow: (row: number) => void;
};

/** Form of one row: a field for each column. Its changes are pending, as those of the grid. */
export function RowForm({ edited, entities, row, columns, onRow }: RowFormProps) {
  const { source } = edited;
  const { edits } = source;
  const id = source.idAt(row);
  const edit = id === null ? undefined : edits.of(id);
  if (id === null) return <p className="row-none">This row has no key and can't be edited.</p>;
  const change = (work: () => void) => {
    const isChanged = edits.step(work);
    if (!isChanged) showFailure(toRefusal(edits));
    return isChanged;
  };
  const isDeleted = edit?.kind === "delete";
  return (
    <>
      <div className="row-form-tools">
        <button
          type="button"
          className="btn sm"
          onClick={() => change(() => source.duplicate(row)) && onRow(source.count - 1)}
        >
          <CopyPlus className="s" />
          Duplicate row
        </button>
        {!isDeleted && (
          <button type="button" className="btn sm" onClick={() => change(() => source.delete(row))}>
            <Trash2 className="s" />
            Delete row
          </button>
        )}
        {edit && edit.kind !== "insert" && (
          <button type="button" className="btn sm" onClick={() => change(() => edits.revert(id))}>
            <Undo2 className="s" />
            Revert row
          </button>
        )}
      </div>
      {isDeleted && (
        <p className="row-form-note" role="status">
          Submitting deletes this row.
        </p>
      )}
      {columns.map((column) => (
        <FormField
          key={`${id} ${column.index}`}
          {...{ edited, entities, row, column, isDeleted }}
          onSet={(value) => change(() => source.set(row, column.field.name, value))}
        />
      ))}
      {source.areDocuments && !isDeleted && <AddField source={source} row={row} onChange={change} />}
    </>
  );
}

type FormFieldProps = Pick<RowFormProps, "edited" | "entities" | "row"> & {
  column: GridColumn;
  isDeleted: boolean;
  /** @returns whether the value is pending now */
  onSet: (value: NewValue) => boolean;
};

function FormField({ edited, entities, row, column, isDeleted, onSet }: FormFieldProps) {
  const { source, entity, connection } = edited;
  const { areDocuments } = source;
  const { index, field } = column;
  const readExact = useExactText(edited);
  const [draft, setDraft] = useState<string | null>(null);
  /** Text of a nested value, which is read when its field gets the focus. */
  const [exact, setExact] = useState<string | null>(null);
  const [isFocused, setIsFocused] = useState(false);
  const hasFocus = useRef(false);
  const fieldId = useId();
  const value = source.textAt(row, index);
  const stored = source.cell(row, index) ?? null;
  const mark = source.mark(row)?.cell(index) ?? null;
  const isOfNested = areDocuments && exact === null && source.storedKey(row, index) !== null && isNested(stored);
  const text = value === DEFAULT || value === null ? "" : (exact ?? value);
  const refusal = source.refusalAt(row, index, text);
  const reference = toReference(entity, entities, field.name);
  const { choices } = useReferenced(connection.id, isFocused ? reference : null, draft ?? "");
  const values = entity.columns?.find(({ name }) => name === field.name)?.values ?? [];
  // The element must not change when the choices arrive: it would lose the focus and the text.
  const hasOptions = reference !== null || values.length > 0;
  const options = reference
    ? choices.map(({ key, label }) => ({ key, label }))
    : values.map((key) => ({ key, label: key }));
  const onFocus = async () => {
    hasFocus.current = true;
    setIsFocused(true);
    if (!isOfNested) return;
    const found = await readExact(row, column);
    if (hasFocus.current && found !== null) setExact(found);
  };
  const onBlur = () => {
    hasFocus.current = false;
    setIsFocused(false);
    if (draft !== null && draft !== text && !onSet(draft)) return;
    setExact(null);
    setDraft(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Without a draft, Escape closes the panel.
    if (event.key === "Escape" && draft === null) return;
    // The keys of the page do not apply to a text.
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    setDraft(null);
  };
  const shown = draft ?? text.slice(0, CHANGED_VALUE_CHARS_MAX);
  const input = {
    id: fieldId,
    value: shown,
    placeholder: value === DEFAULT ? source.defaultWord : value === null ? "null" : undefined,
    readOnly: refusal !== null || isDeleted || isOfNested,
    spellCheck: false,
    "aria-describedby": refusal === null ? undefined : `${fieldId}-note`,
    onFocus: () => void onFocus(),
    onBlur,
    onKeyDown,
    onChange: (event: { target: { value: string } }) => setDraft(event.target.value),
  };
  const canSet = refusal === null && !isDeleted;
  const put = (next: NewValue) => (event: MouseEvent) => {
    event.preventDefault();
    setDraft(null);
    setExact(null);
    onSet(next);
  };
  return (
    <div className={mark ? `form-field ${mark.className}` : "form-field"}>
      <div className="row">
        <label htmlFor={fieldId} className="trunc">
          {field.name}
        </label>
        <span className="ty trunc grow">{(field.dbType ?? field.type).toLowerCase()}</span>
        {canSet && value !== null && (
          <button type="button" className="link xs" aria-label={`Set ${field.name} to NULL`} onClick={put(null)}>
            NULL
          </button>
        )}
        {canSet && value !== DEFAULT && (
          <button
            type="button"
            className="link xs"
            aria-label={areDocuments ? `Unset ${field.name}` : `Set ${field.name} to its default`}
            onClick={put(DEFAULT)}
          >
            {areDocuments ? "Unset" : "Default"}
          </button>
        )}
      </div>
      {hasOptions ? (
        <>
          <input {...input} list={`${fieldId}-list`} autoComplete="off" />
          <datalist id={`${fieldId}-list`}>
            {options.map(({ key, label }) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </datalist>
        </>
      ) : (
        <textarea {...input} rows={Math.min(LINES_MAX, shown.split("\n").length)} />
      )}
      {refusal !== null && (
        <p id={`${fieldId}-note`} className="xs t3">
          {refusal}
        </p>
      )}
      {mark?.was !== undefined && (
        <p className="xs t3">
          Was <s>{mark.was === null ? "null" : String(mark.was)}</s>
        </p>
      )}
    </div>
  );
}
