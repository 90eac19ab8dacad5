"use client";

import { type FormEvent, useState } from "react";
import { ChoiceList, type ListChoice } from "@/components/questions/choice-list";
import { ColumnIcon } from "@/components/schema/column-icon";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { TextField } from "@/components/ui/text-field";
import { type JoinSuggestion, joinTo } from "@/lib/base/questions/joins";
import { functionsOf, grainsOf, isTemporal, opsOf, type QuestionKind, valueCountOf } from "@/lib/base/questions/kinds";
import {
  type ColumnRef,
  FORMULA_SIGNS,
  type FormulaPart,
  QUESTION_LIMITS,
  type QuestionFilter,
  type QuestionFormula,
  type QuestionGrain,
  type QuestionGroup,
  type QuestionJoin,
  type QuestionOp,
  type QuestionSummary,
  type QuestionValue,
  type SummaryFunction,
} from "@/lib/base/questions/question";
import type { NamedTable } from "@/lib/base/questions/tables";
import type { Entity } from "@/lib/base/values/fields";
import { GRAIN_WORDS } from "@/lib/base/values/grain-words";
import { FUNCTION_WORDS, toColumnText, toJoinWords, toOpWord } from "@/lib/features/query/browser/question-words";

/** A column to choose. */
export type ColumnChoice = { ref: ColumnRef; kind: QuestionKind; type: string; table: string };

const keyOf = ({ table = "", column }: ColumnRef) => JSON.stringify([table, column]);

type ColumnListProps = {
  label: string;
  columns: readonly ColumnChoice[];
  current?: ColumnRef | undefined;
  onChoose: (column: ColumnChoice) => void;
};

/** The columns of all tables of a question. */
export function ColumnList({ label, columns, current, onChoose }: ColumnListProps) {
  const choices = columns.map(
    ({ ref, type, table }): ListChoice => ({
      id: keyOf(ref),
      label: ref.column,
      group: table,
      note: type.toLowerCase(),
      icon: <ColumnIcon type={type} />,
    }),
  );
  return (
    <ChoiceList
      label={label}
      choices={choices}
      current={current && keyOf(current)}
      onChoose={(id) => {
        const found = columns.find(({ ref }) => keyOf(ref) === id);
        if (found) onChoose(found);
      }}
    />
  );
}

type FilterFormProps = {
  columns: readonly ColumnChoice[];
  /** Null for a new one. */
  filter: QuestionFilter | null;
  onApply: (filter: QuestionFilter) => void;
};

/** Column, operator and values of a filter. */
export function FilterForm({ columns, filter, onApply }: FilterFormProps) {
  const [ref, setRef] = useState(filter?.column ?? null);
  const column = columns.find((each) => ref !== null && keyOf(each.ref) === keyOf(ref));
  if (ref === null || column === undefined) {
    return <ColumnList label="Columns to filter by" columns={columns} onChoose={(chosen) => setRef(chosen.ref)} />;
  }
  const isSame = filter !== null && keyOf(filter.column) === keyOf(ref);
  return (
    <FilterValues
      key={keyOf(ref)}
      column={column}
      filter={isSame ? filter : null}
      onColumn={() => setRef(null)}
      onApply={onApply}
    />
  );
}

type FilterValuesProps = {
  column: ColumnChoice;
  filter: QuestionFilter | null;
  onColumn: () => void;
  onApply: (filter: QuestionFilter) => void;
};

function FilterValues({ column, filter, onColumn, onApply }: FilterValuesProps) {
  const { ref, kind } = column;
  const isTime = isTemporal(kind);
  const ops = opsOf(kind);
  const units = grainsOf(kind);
  const [op, setOp] = useState<QuestionOp>(filter?.op ?? ops[0] ?? "eq");
  const [texts, setTexts] = useState(() => (filter?.values ?? []).map((value) => String(value ?? "null")));
  const [count, setCount] = useState(String(filter?.count ?? 7));
  const [unit, setUnit] = useState<QuestionGrain>(filter?.unit ?? "day");
  const { min, max } = valueCountOf(op);
  const isRelative = op === "last" || op === "previous" || op === "next";
  const isMany = max > 2;
  const lines = isMany
    ? texts.flatMap((text) => text.split("\n")).filter((text) => text.trim() !== "")
    : texts.slice(0, max);
  const amount = Number(count);
  const isFilled = isRelative
    ? Number.isInteger(amount) && amount >= 1 && amount <= QUESTION_LIMITS.units
    : lines.length >= min && lines.every((text) => text !== "" || kind === "text");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isFilled) return;
    const values = lines.map((text): QuestionValue => (isMany && text.trim() === "null" ? null : toValue(text, kind)));
    onApply({ column: ref, op, values: isRelative ? [] : values, ...(isRelative && { count: amount, unit }) });
  };
  const change = (index: number, text: string) => {
    const next = [...texts];
    next[index] = text;
    setTexts(Array.from(next, (each) => each ?? ""));
  };
  const placeholder = isTime ? "2026-05-31" : undefined;
  return (
    <form className="question-form" onSubmit={submit}>
      <button
        type="button"
        className="btn sm ghost"
        aria-label={`${toColumnText(ref)}, choose another column`}
        onClick={onColumn}
      >
        <ColumnIcon type={column.type} />
        <span className="mono">{toColumnText(ref)}</span>
      </button>
      <LabelledSelect
        label="Condition"
        size="sm"
        value={op}
        options={ops.map((each) => ({ value: each, label: toOpWord(each, isTime) }))}
        onChange={setOp}
      />
      {isRelative && (
        <div className="question-two">
          <NumberField inputMode="numeric" value={count} onChange={setCount} />
          <LabelledSelect
            label="Unit"
            size="sm"
            value={unit}
            options={units.map((each) => ({ value: each, label: GRAIN_WORDS[each] }))}
            onChange={setUnit}
          />
        </div>
      )}
      {isMany && (
        <label className="field">
          <span className="flabel">Values, one per line</span>
          <textarea
            className="input question-values"
            rows={4}
            value={texts.join("\n")}
            onChange={(event) => setTexts(event.target.value.split("\n"))}
          />
        </label>
      )}
      {kind === "boolean" && max === 1 ? (
        <LabelledSelect
          label="Value"
          size="sm"
          value={texts[0] ?? ""}
          placeholder="Choose a value"
          options={[
            { value: "true", label: "true" },
            { value: "false", label: "false" },
          ]}
          onChange={(value) => change(0, value)}
        />
      ) : (
        !isMany &&
        Array.from({ length: max }, (_, index) => (
          <TextField
            // biome-ignore lint/suspicious/noArrayIndexKey: values have no more than their place
            key={index}
            label={max === 1 ? "Value" : index === 0 ? "From" : "To"}
            isDense
            maxLength={QUESTION_LIMITS.valueChars}
            placeholder={placeholder}
            value={texts[index] ?? ""}
            onChange={(event) => change(index, event.target.value)}
          />
        ))
      )}
      <button type="submit" className="btn sm primary" aria-disabled={!isFilled}>
        {filter === null ? "Add filter" : "Apply"}
      </button>
    </form>
  );
}

type NumberFieldProps = { inputMode: "numeric" | "decimal"; value: string; onChange: (text: string) => void };

function NumberField({ onChange, ...input }: NumberFieldProps) {
  return <TextField label="Number" isDense {...input} onChange={(event) => onChange(event.target.value)} />;
}

function toValue(text: string, kind: QuestionKind): QuestionValue {
  if (kind === "boolean") return /^true$/i.test(text.trim());
  return kind === "number" ? toNumber(text) : text;
}

/** A number that a double would round stays a text. */
function toNumber(text: string): string | number {
  const plain = text.trim();
  return plain !== "" && String(Number(plain)) === plain ? Number(plain) : plain;
}

type SummaryFormProps = {
  columns: readonly ColumnChoice[];
  tables: readonly NamedTable[];
  summary: QuestionSummary | null;
  onApply: (summary: QuestionSummary) => void;
};

/** Function and column of a summary. */
export function SummaryForm({ columns, tables, summary, onApply }: SummaryFormProps) {
  const [name, setName] = useState<SummaryFunction | null>(summary?.function ?? null);
  if (name === null || (name === "count" && summary !== null)) {
    const functions = (["distinct", "sum", "avg", "min", "max"] as const).map((each) => ({
      id: each,
      label: FUNCTION_WORDS[each],
    }));
    const counts =
      tables.length > 1 ? tables.map((table) => ({ id: `of ${table.name}`, label: `Count of ${table.name}` })) : [];
    return (
      <ChoiceList
        label="Functions"
        choices={[{ id: "count", label: FUNCTION_WORDS.count }, ...counts, ...functions]}
        onChoose={(id) => {
          const chosen = functions.find((each) => each.id === id);
          if (chosen) setName(chosen.id);
          else onApply({ function: "count", ...(id.startsWith("of ") && { table: id.slice("of ".length) }) });
        }}
      />
    );
  }
  const fitting = columns.filter(({ kind }) => functionsOf(kind).includes(name));
  return (
    <div className="question-form">
      <button
        type="button"
        className="btn sm ghost"
        aria-label={`${FUNCTION_WORDS[name]} of, choose another function`}
        onClick={() => setName(null)}
      >
        {FUNCTION_WORDS[name]} of
      </button>
      <ColumnList
        label="Columns to summarize"
        columns={fitting}
        current={summary?.column}
        onChoose={({ ref }) => onApply({ function: name, column: ref })}
      />
    </div>
  );
}

/** Widths of ranges that a group offers. */
const BINS = [1, 5, 10, 50, 100, 500, 1_000, 10_000] as const;

type GroupFormProps = { group: QuestionGroup; kind: QuestionKind; onApply: (group: QuestionGroup) => void };

/** Span of time, or width of the ranges, of a group. */
export function GroupForm({ group: { column, grain, bin }, kind, onApply }: GroupFormProps) {
  const each = { id: "each", label: kind === "number" ? "Each value" : "Each value, without a grain" };
  if (kind === "number") {
    return (
      <ChoiceList
        label="Ranges"
        choices={[each, ...BINS.map((width) => ({ id: String(width), label: `Ranges of ${width}` }))]}
        current={bin === undefined ? "each" : String(bin)}
        onChoose={(id) => onApply({ column, ...(id !== "each" && { bin: Number(id) }) })}
      />
    );
  }
  const grains = grainsOf(kind);
  return (
    <ChoiceList
      label="Grain"
      choices={[...grains.map((id) => ({ id, label: GRAIN_WORDS[id] })), each]}
      current={grain ?? "each"}
      onChoose={(id) => {
        const chosen = grains.find((found) => found === id);
        onApply({ column, ...(chosen && { grain: chosen }) });
      }}
    />
  );
}

type FormulaFormProps = {
  columns: readonly ColumnChoice[];
  formula: QuestionFormula | null;
  /** Names that are taken. */
  taken: readonly string[];
  onApply: (formula: QuestionFormula) => void;
};

const NUMBER = "number";

/** Name and the two sides of a formula. */
export function FormulaForm({ columns, formula, taken, onApply }: FormulaFormProps) {
  const numbers = columns.filter(({ kind, ref }) => kind === "number" && ref.column !== formula?.name);
  const keyOfPart = (part: FormulaPart | undefined) => (part?.column ? keyOf(part.column) : NUMBER);
  const [name, setName] = useState(formula?.name ?? "");
  const [left, setLeft] = useState(formula ? keyOfPart(formula.left) : numbers[0] ? keyOf(numbers[0].ref) : NUMBER);
  const [sign, setSign] = useState(formula?.sign ?? "*");
  const [right, setRight] = useState(keyOfPart(formula?.right));
  const [constant, setConstant] = useState(String(formula?.right.number ?? formula?.left.number ?? 1));
  const refOf = (key: string) => numbers.find(({ ref }) => keyOf(ref) === key)?.ref;
  const partOf = (key: string): FormulaPart => {
    const column = refOf(key);
    return column ? { column } : { number: toNumber(constant) };
  };
  const isTaken = taken.includes(name.trim()) && name.trim() !== formula?.name;
  const isFilled = name.trim() !== "" && !isTaken && constant.trim() !== "" && Number.isFinite(Number(constant));
  const options = [
    ...numbers.map(({ ref }) => ({ value: keyOf(ref), label: toColumnText(ref) })),
    { value: NUMBER, label: "Number" },
  ];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFilled) onApply({ name: name.trim(), left: partOf(left), sign, right: partOf(right) });
  };
  return (
    <form className="question-form" onSubmit={submit}>
      <TextField
        label="Name"
        isDense
        maxLength={QUESTION_LIMITS.nameChars}
        value={name}
        error={isTaken ? `${name.trim()} already exists. Choose another name.` : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <LabelledSelect label="First value" size="sm" value={left} options={options} onChange={setLeft} />
      <LabelledSelect
        label="Sign"
        size="sm"
        value={sign}
        options={FORMULA_SIGNS.map((each) => ({ value: each, label: each }))}
        onChange={setSign}
      />
      <LabelledSelect label="Second value" size="sm" value={right} options={options} onChange={setRight} />
      {(left === NUMBER || right === NUMBER) && (
        <NumberField inputMode="decimal" value={constant} onChange={setConstant} />
      )}
      <button type="submit" className="btn sm primary" aria-disabled={!isFilled}>
        {formula === null ? "Add formula" : "Apply"}
      </button>
    </form>
  );
}

type AddJoinFormProps = {
  suggestions: readonly JoinSuggestion[];
  entities: readonly Entity[];
  columns: readonly ColumnChoice[];
  tables: readonly NamedTable[];
  onApply: (join: QuestionJoin) => void;
};

/** Suggested joins, along foreign keys first, and any other table with chosen columns. */
export function AddJoinForm({ suggestions, entities, columns, tables, onApply }: AddJoinFormProps) {
  const [entity, setEntity] = useState<Entity | null>(null);
  if (entity !== null) return <PairForm entity={entity} columns={columns} tables={tables} onApply={onApply} />;
  const suggested = suggestions.map(({ join, isKey }, index) => ({
    id: `join ${index}`,
    label: `${join.as ?? join.table.name} on ${toJoinWords(join)}`,
    group: isKey ? "Foreign keys" : "Same names",
  }));
  const others = entities.map((each, index) => ({
    id: `table ${index}`,
    label: each.schema === undefined ? each.name : `${each.schema}.${each.name}`,
    group: "Choose columns",
  }));
  return (
    <ChoiceList
      label="Tables to join"
      choices={[...suggested, ...others]}
      onChoose={(id) => {
        const [kind, at] = id.split(" ");
        const suggestion = kind === "join" ? suggestions[Number(at)] : undefined;
        if (suggestion) onApply(suggestion.join);
        else setEntity(entities[Number(at)] ?? null);
      }}
    />
  );
}

function PairForm({
  entity,
  columns,
  tables,
  onApply,
}: Omit<AddJoinFormProps, "suggestions" | "entities"> & { entity: Entity }) {
  const own = entity.columns ?? [];
  const [from, setFrom] = useState(columns[0] ? keyOf(columns[0].ref) : "");
  const [column, setColumn] = useState(own[0]?.name ?? "");
  const ref = columns.find((each) => keyOf(each.ref) === from)?.ref;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ref || column === "") return;
    onApply(joinTo(entity, [{ from: ref, column }], tables));
  };
  return (
    <form className="question-form" onSubmit={submit}>
      <LabelledSelect
        label="Column of the question"
        size="sm"
        value={from}
        options={columns.map((each) => ({ value: keyOf(each.ref), label: toColumnText(each.ref) }))}
        onChange={setFrom}
      />
      <LabelledSelect
        label={`Column of ${entity.name}`}
        size="sm"
        value={column}
        options={own.map(({ name }) => ({ value: name, label: name }))}
        onChange={setColumn}
      />
      <button type="submit" className="btn sm primary">
        Join table
      </button>
    </form>
  );
}
