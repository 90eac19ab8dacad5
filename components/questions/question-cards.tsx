"use client";

import {
  ArrowDown,
  ArrowUp,
  Calculator,
  Group,
  Link2,
  ListFilter,
  Merge,
  Plus,
  Sigma,
  SortAsc,
  Table2,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import { ChoiceList } from "@/components/questions/choice-list";
import { AddPill, Pill } from "@/components/questions/pill";
import {
  AddJoinForm,
  type ColumnChoice,
  ColumnList,
  FilterForm,
  FormulaForm,
  GroupForm,
  SummaryForm,
} from "@/components/questions/step-forms";
import { newQuestion } from "@/components/questions/use-question";
import { ColumnIcon } from "@/components/schema/column-icon";
import { Notice } from "@/components/ui/notice";
import { suggestJoins } from "@/lib/base/questions/joins";
import { isTemporal, type QuestionKind, toQuestionKind } from "@/lib/base/questions/kinds";
import {
  type ColumnRef,
  isSummarized,
  joinName,
  QUESTION_LIMITS,
  type Question,
  type QuestionGroup,
  type QuestionSort,
} from "@/lib/base/questions/question";
import { columnFinder, instantsOf, type NamedTable, outputsOf } from "@/lib/base/questions/tables";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { Entity } from "@/lib/base/values/fields";
import {
  toColumnText,
  toFilterWords,
  toGroupWords,
  toJoinWords,
  toSummaryWords,
} from "@/lib/features/query/browser/question-words";
import { formatCountOf } from "@/lib/platform/browser/format";

type QuestionCardsProps = {
  question: Question;
  tables: readonly NamedTable[];
  entities: readonly Entity[];
  language: SqlDialect | "mongodb";
  /** Fault of a part, by the part's path. */
  problem: { path: string; message: string } | null;
  onChange: (question: Question) => void;
};

/** The steps of a question, in the order in which the database takes them. */
export function QuestionCards({ question, tables, entities, language, problem, onChange }: QuestionCardsProps) {
  const change = (part: Partial<Question>) => onChange(withoutLost({ ...question, ...part }, tables));
  const instants = instantsOf(language);
  const columns = columnsOf(question, tables, instants);
  const find = columnFinder(question, tables, instants);
  const kindOf = (ref: ColumnRef): QuestionKind => find(ref)?.kind ?? "other";
  const typeOf = (ref: ColumnRef) => find(ref)?.column?.type ?? "number";
  const outputs = outputsOf(question, tables);
  const { joins, filters, formulas, summaries, groups, sorts, limit } = question;
  const problemOf = (name: keyof Question) => (problem?.path.startsWith(name) ? problem.message : null);
  const isCut = isSummarized(question);
  const columnWords =
    question.columns.length === 0
      ? "All columns"
      : `${question.columns.length} of ${formatCountOf(columns.length, "column")}`;

  const addJoin = (close: () => void) => (
    <AddJoinForm
      suggestions={suggestJoins(tables, entities)}
      entities={entities}
      columns={columns.filter(({ ref }) => ref.table !== undefined || find(ref)?.table)}
      tables={tables}
      onApply={(join) => {
        change({ joins: [...joins, join] });
        close();
      }}
    />
  );
  const addFilter = (close: () => void) => (
    <FilterForm
      columns={columns}
      filter={null}
      onApply={(filter) => {
        change({ filters: [...filters, filter] });
        close();
      }}
    />
  );
  const addFormula = (close: () => void) => (
    <FormulaForm
      columns={columns}
      formula={null}
      taken={columns.filter(({ ref }) => ref.table === undefined).map(({ ref }) => ref.column)}
      onApply={(formula) => {
        change({ formulas: [...formulas, formula] });
        close();
      }}
    />
  );
  const addSummary = (close: () => void) => (
    <SummaryForm
      columns={columns}
      tables={tables}
      summary={null}
      onApply={(summary) => {
        change({ summaries: [...summaries, summary], columns: [] });
        close();
      }}
    />
  );
  const addGroup = (close: () => void) => (
    <ColumnList
      label="Columns to group by"
      columns={columns}
      onChoose={({ ref, kind }) => {
        const group: QuestionGroup = { column: ref, ...(isTemporal(kind) && { grain: "month" as const }) };
        change({
          groups: [...groups, group],
          columns: [],
          ...(summaries.length === 0 && { summaries: [{ function: "count" }] }),
        });
        close();
      }}
    />
  );
  const addSort = (close: () => void) => (
    <ChoiceList
      label="Columns to sort by"
      choices={outputs
        .filter(({ name }) => !sorts.some(({ by }) => by === name))
        .map(({ name }) => ({ id: name, label: name }))}
      onChoose={(by) => {
        change({ sorts: [...sorts, { by, order: "asc" }] });
        close();
      }}
    />
  );
  const steps = [
    ...(joins.length === 0 ? [{ name: "Join", icon: <Merge className="s" />, form: addJoin }] : []),
    ...(filters.length === 0 ? [{ name: "Filter", icon: <ListFilter className="s" />, form: addFilter }] : []),
    ...(formulas.length === 0 ? [{ name: "Formula", icon: <Calculator className="s" />, form: addFormula }] : []),
    ...(summaries.length === 0 ? [{ name: "Summarize", icon: <Sigma className="s" />, form: addSummary }] : []),
    ...(groups.length === 0 ? [{ name: "Group by", icon: <Group className="s" />, form: addGroup }] : []),
    ...(sorts.length === 0 ? [{ name: "Sort", icon: <SortAsc className="s" />, form: addSort }] : []),
  ];
  return (
    <div className="question-cards">
      <Card name="Table" icon={<Table2 />} problem={problemOf("table") ?? problemOf("columns")}>
        <Pill
          label={`Table ${question.table.schema ? `${question.table.schema}.` : ""}${question.table.name}`}
          icon={<Table2 className="s" />}
          form={(close) => (
            <ChoiceList
              label="Tables"
              choices={entities.map((each, index) => ({ id: String(index), label: each.name, group: each.schema }))}
              onChoose={(at) => {
                const entity = entities[Number(at)];
                if (entity) {
                  const { name, schema } = entity;
                  onChange(newQuestion({ name, ...(schema !== undefined && { schema }) }));
                }
                close();
              }}
            />
          )}
        >
          {question.table.schema && <span className="t3">{question.table.schema}.</span>}
          <span className="mono">{question.table.name}</span>
        </Pill>
        {!isCut && (
          <Pill
            label={columnWords}
            form={() => (
              <ColumnTicks columns={columns} chosen={question.columns} onChange={(next) => change({ columns: next })} />
            )}
          >
            {columnWords}
          </Pill>
        )}
      </Card>
      {joins.length > 0 && (
        <Card name="Join" icon={<Merge />} problem={problemOf("joins")} onClear={() => change({ joins: [] })}>
          {joins.map((join, index) => (
            <Pill
              key={joinName(join)}
              label={`Join ${joinName(join)} on ${toJoinWords(join)} ${join.kind}`}
              icon={<Link2 className="s" />}
              onRemove={() => change({ joins: joins.filter((each) => each !== join) })}
              form={(close) => (
                <ChoiceList
                  label="Kind of join"
                  choices={[
                    { id: "left", label: "Left join", note: "keeps rows without a match" },
                    { id: "inner", label: "Inner join", note: "drops rows without a match" },
                  ]}
                  current={join.kind}
                  onChoose={(kind) => {
                    change({ joins: replaced(joins, index, { ...join, kind: kind === "inner" ? "inner" : "left" }) });
                    close();
                  }}
                />
              )}
            >
              <span className="mono">{joinName(join)}</span> <span className="t3">on</span>{" "}
              <span className="mono">{toJoinWords(join)}</span> <span className="t3">{join.kind}</span>
            </Pill>
          ))}
          <AddPill label="Add join" icon={<Plus className="s" />} form={addJoin}>
            Add
          </AddPill>
        </Card>
      )}
      {filters.length > 0 && (
        <Card
          name="Filter"
          icon={<ListFilter />}
          problem={problemOf("filters")}
          onClear={() => change({ filters: [] })}
        >
          {filters.map((filter, index) => {
            const words = toFilterWords(filter, isTemporal(kindOf(filter.column)));
            return (
              <Pill
                key={toKey(filters, filter)}
                label={`Filter ${toColumnText(filter.column)} ${words}`}
                icon={<ColumnIcon type={typeOf(filter.column)} />}
                onRemove={() => change({ filters: filters.filter((each) => each !== filter) })}
                onMove={(step) => change({ filters: moved(filters, index, step) })}
                form={(close) => (
                  <FilterForm
                    columns={columns}
                    filter={filter}
                    onApply={(next) => {
                      change({ filters: replaced(filters, index, next) });
                      close();
                    }}
                  />
                )}
              >
                <span className="mono">{toColumnText(filter.column)}</span> <span className="t2">{words}</span>
              </Pill>
            );
          })}
          <AddPill label="Add filter" icon={<Plus className="s" />} form={addFilter}>
            Add
          </AddPill>
        </Card>
      )}
      {formulas.length > 0 && (
        <Card
          name="Formula"
          icon={<Calculator />}
          problem={problemOf("formulas")}
          onClear={() => change({ formulas: [] })}
        >
          {formulas.map((formula, index) => {
            const side = ({ column, number }: typeof formula.left) => (column ? toColumnText(column) : String(number));
            const words = `= ${side(formula.left)} ${formula.sign} ${side(formula.right)}`;
            return (
              <Pill
                key={formula.name}
                label={`Formula ${formula.name} ${words}`}
                onRemove={() => change({ formulas: formulas.filter((each) => each !== formula) })}
                form={(close) => (
                  <FormulaForm
                    columns={columns}
                    formula={formula}
                    taken={columns.filter(({ ref }) => ref.table === undefined).map(({ ref }) => ref.column)}
                    onApply={(next) => {
                      change({ formulas: replaced(formulas, index, next) });
                      close();
                    }}
                  />
                )}
              >
                <span className="mono">{formula.name}</span> <span className="t3">{words}</span>
              </Pill>
            );
          })}
          <AddPill label="Add formula" icon={<Plus className="s" />} form={addFormula}>
            Add
          </AddPill>
        </Card>
      )}
      {summaries.length > 0 && (
        <Card
          name="Summarize"
          icon={<Sigma />}
          problem={problemOf("summaries")}
          onClear={() => change({ summaries: [] })}
        >
          {summaries.map((summary, index) => (
            <Pill
              key={toKey(summaries, summary)}
              label={toSummaryWords(summary)}
              onRemove={() => change({ summaries: summaries.filter((each) => each !== summary) })}
              onMove={(step) => change({ summaries: moved(summaries, index, step) })}
              form={(close) => (
                <SummaryForm
                  columns={columns}
                  tables={tables}
                  summary={summary}
                  onApply={(next) => {
                    change({ summaries: replaced(summaries, index, next) });
                    close();
                  }}
                />
              )}
            >
              {toSummaryWords(summary)}
            </Pill>
          ))}
          <AddPill label="Add summary" icon={<Plus className="s" />} form={addSummary}>
            Add
          </AddPill>
        </Card>
      )}
      {groups.length > 0 && (
        <Card name="Group by" icon={<Group />} problem={problemOf("groups")} onClear={() => change({ groups: [] })}>
          {groups.map((group, index) => {
            const kind = kindOf(group.column);
            return (
              <Pill
                key={toKey(groups, group)}
                label={`Group by ${toGroupWords(group)}`}
                icon={<ColumnIcon type={typeOf(group.column)} />}
                onRemove={() => change({ groups: groups.filter((each) => each !== group) })}
                onMove={(step) => change({ groups: moved(groups, index, step) })}
                form={(close) => {
                  const apply = (next: QuestionGroup) => {
                    change({ groups: replaced(groups, index, next) });
                    close();
                  };
                  if (kind === "number" || isTemporal(kind))
                    return <GroupForm group={group} kind={kind} onApply={apply} />;
                  return (
                    <ColumnList
                      label="Columns to group by"
                      columns={columns}
                      current={group.column}
                      onChoose={({ ref }) => apply({ column: ref })}
                    />
                  );
                }}
              >
                <span className="mono">{toColumnText(group.column)}</span>{" "}
                {(group.grain ?? group.bin) && <span className="t2">by {group.grain ?? group.bin}</span>}
              </Pill>
            );
          })}
          <AddPill label="Add group" icon={<Plus className="s" />} form={addGroup}>
            Add
          </AddPill>
        </Card>
      )}
      <Card name="Sort" icon={<SortAsc />} problem={problemOf("sorts") ?? problemOf("limit")}>
        {sorts.map((sort, index) => (
          <Pill
            key={sort.by}
            label={`Sort by ${sort.by} ${toOrderWord(sort)}`}
            icon={sort.order === "desc" ? <ArrowDown className="s" /> : <ArrowUp className="s" />}
            onRemove={() => change({ sorts: sorts.filter((each) => each !== sort) })}
            onMove={(step) => change({ sorts: moved(sorts, index, step) })}
            form={(close) => (
              <ChoiceList
                label="Order"
                choices={[
                  { id: "asc", label: "Ascending" },
                  { id: "desc", label: "Descending" },
                ]}
                current={sort.order}
                onChoose={(order) => {
                  change({ sorts: replaced(sorts, index, { ...sort, order: order === "desc" ? "desc" : "asc" }) });
                  close();
                }}
              />
            )}
          >
            <span className="mono">{sort.by}</span> <span className="t2">{toOrderWord(sort)}</span>
          </Pill>
        ))}
        {sorts.length > 0 && (
          <AddPill label="Add sort" icon={<Plus className="s" />} form={addSort}>
            Add
          </AddPill>
        )}
        <label className="question-limit">
          <b className="b6">Limit</b>
          <span className="input sm">
            <input
              inputMode="numeric"
              maxLength={String(QUESTION_LIMITS.rows).length}
              value={limit ?? ""}
              placeholder="none"
              onChange={(event) => {
                const rows = Math.min(Number(event.target.value.replaceAll(/\D/g, "")), QUESTION_LIMITS.rows);
                onChange({ ...question, limit: rows > 0 ? rows : undefined });
              }}
            />
          </span>
          <span className="t2">rows</span>
        </label>
      </Card>
      <div className="question-add">
        {steps.length > 0 && <span className="t3">Add step</span>}
        {steps.map(({ name, icon, form }) => (
          <AddPill key={name} label={`Add step: ${name}`} icon={icon} form={form}>
            {name}
          </AddPill>
        ))}
      </div>
    </div>
  );
}

type CardProps = {
  name: string;
  icon: ReactNode;
  problem: string | null;
  children: ReactNode;
  onClear?: (() => void) | undefined;
};

function Card({ name, icon, problem, children, onClear }: CardProps) {
  return (
    <section className={problem === null ? "question-card" : "question-card bad"} aria-label={name}>
      <h2>
        {icon}
        {name}
      </h2>
      <div className="question-pills">{children}</div>
      {onClear && (
        <button
          type="button"
          className="btn icon sm ghost"
          aria-label={`Remove ${name}`}
          title={`Remove ${name}`}
          onClick={onClear}
        >
          <X className="s" />
        </button>
      )}
      {problem !== null && (
        <div className="question-problem">
          <Notice kind="bad">{problem}</Notice>
        </div>
      )}
    </section>
  );
}

type ColumnTicksProps = {
  columns: readonly ColumnChoice[];
  /** Empty for all. */
  chosen: readonly ColumnRef[];
  onChange: (columns: ColumnRef[]) => void;
};

function ColumnTicks({ columns, chosen, onChange }: ColumnTicksProps) {
  const isChosen = ({ ref }: ColumnChoice) =>
    chosen.length === 0 || chosen.some((each) => toColumnText(each) === toColumnText(ref));
  return (
    <fieldset className="question-list question-ticks">
      <legend className="sr-only">Columns of the result</legend>
      {columns.map((column) => (
        <label key={toColumnText(column.ref)} className="menu-item">
          <input
            type="checkbox"
            checked={isChosen(column)}
            onChange={() => {
              const next = columns.filter((each) => (each === column ? !isChosen(each) : isChosen(each)));
              onChange(next.length === columns.length ? [] : next.map(({ ref }) => ref));
            }}
          />
          <span className="mono trunc">{toColumnText(column.ref)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the columns of all tables, and the formulas. */
function columnsOf(question: Question, tables: readonly NamedTable[], instants: RegExp | undefined): ColumnChoice[] {
  const own = tables.flatMap(({ name, entity, join }) =>
    (entity.columns ?? []).map((column): ColumnChoice => {
      const ref = join ? { table: name, column: column.name } : { column: column.name };
      return { ref, kind: toQuestionKind(column, instants), type: column.type, table: name };
    }),
  );
  const formulas = question.formulas.map(({ name }): ColumnChoice => {
    return { ref: { column: name }, kind: "number", type: "number", table: "Formulas" };
  });
  return [...own, ...formulas];
}

/** Returns a question without the parts whose column or table is gone. */
function withoutLost(question: Question, tables: readonly NamedTable[]): Question {
  const known = tables.filter(
    ({ join }) => join === null || question.joins.some((each) => joinName(each) === joinName(join)),
  );
  const names = new Set([...known.map(({ name }) => name), ...question.joins.map(joinName)]);
  const formulas = question.formulas.filter(({ left, right }) =>
    [left, right].every(({ column }) => column?.table === undefined || names.has(column.table)),
  );
  const first = new Set([
    ...(tables[0]?.entity.columns?.map(({ name }) => name) ?? []),
    ...formulas.map(({ name }) => name),
  ]);
  const isThere = (ref: ColumnRef | undefined) =>
    ref === undefined || (ref.table === undefined ? first.has(ref.column) : names.has(ref.table));
  const joins = question.joins.filter(({ on }) => on.every(({ from }) => isThere(from)));
  const next: Question = {
    ...question,
    joins,
    formulas,
    filters: question.filters.filter(({ column }) => isThere(column)),
    summaries: question.summaries.filter(
      ({ column, table }) => isThere(column) && (table === undefined || names.has(table)),
    ),
    groups: question.groups.filter(({ column }) => isThere(column)),
    columns: question.columns.filter(isThere),
  };
  // A table that was just joined is not among the tables yet; its columns cannot be sorted by.
  const outputs = new Set(outputsOf(next, known).map(({ name }) => name));
  return { ...next, sorts: next.sorts.filter(({ by }) => outputs.has(by)) };
}

function toOrderWord({ order }: QuestionSort): string {
  return order === "desc" ? "descending" : "ascending";
}

/** Returns a key of a part by its content, so that a moved pill keeps the focus; equal parts are counted. */
function toKey<T>(list: readonly T[], part: T): string {
  const text = JSON.stringify(part);
  const equal = list.slice(0, list.indexOf(part)).filter((each) => JSON.stringify(each) === text);
  return `${text} ${equal.length}`;
}

function replaced<T>(list: readonly T[], index: number, next: T): T[] {
  return list.map((each, at) => (at === index ? next : each));
}

function moved<T>(list: readonly T[], index: number, step: -1 | 1): T[] {
  const to = index + step;
  const [from, other] = [list[index], list[to]];
  if (from === undefined || other === undefined) return [...list];
  return list.map((each, at) => (at === index ? other : at === to ? from : each));
}
