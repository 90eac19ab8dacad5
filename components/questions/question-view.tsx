"use client";

import { Switch } from "@base-ui/react/switch";
import { ChartColumn, FileCode2, LayoutDashboard, Play, Save, Table2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useDialect, useScriptLanguage } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useDraft, useSavedConsole } from "@/components/consoles/use-consoles";
import { SqlCode } from "@/components/editor/sql-code";
import { RowsGrid } from "@/components/grid/rows-grid";
import { ShowExplorer } from "@/components/layout/show-explorer";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ChoiceList } from "@/components/questions/choice-list";
import { QuestionCards } from "@/components/questions/question-cards";
import { type DrillActions, useDrill } from "@/components/questions/use-drill";
import {
  newQuestion,
  PAUSE_MS,
  useQuestion,
  useQuestionAnswer,
  useQuestionSql,
} from "@/components/questions/use-question";
import { useSaveQuestion } from "@/components/questions/use-save-question";
import { useEntities, useFindConnection } from "@/components/schema/use-schema";
import { CodeBox } from "@/components/ui/code-box";
import { Keys } from "@/components/ui/keys";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { ToolButton } from "@/components/ui/tool-button";
import { useLater } from "@/components/ui/use-later";
import { isSummarized, type Question, type QuestionTable, toQuestionTable } from "@/lib/base/questions/question";
import { type NamedTable, tablesOf } from "@/lib/base/questions/tables";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { findTable } from "@/lib/features/connections/browser/table-links";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import { ENDINGS } from "@/lib/features/consoles/browser/languages";
import type { Console } from "@/lib/features/consoles/schema";
import type { SavedQuestion } from "@/lib/features/consoles/settings-schema";
import type { QuestionResult } from "@/lib/features/query/browser/api";
import { toQuestionAddress } from "@/lib/features/query/browser/question-address";
import { toSummaryWords } from "@/lib/features/query/browser/question-words";
import { AnswerRows } from "@/lib/features/results/browser/rows-source";
import { formatCountOf, formatDuration } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import { ApiError, type ApiProblem } from "@/lib/platform/browser/request";
import "@/components/consoles/console.css";
import "@/components/ui/foot.css";
import "@/components/ui/page.css";
import "./questions.css";

const loadChart = later(() => import("@/components/results/chart-view"));
const ChartView = lazyComponent(loadChart, (module) => module.ChartView);
const loadAddToDashboard = later(() => import("@/components/results/add-to-dashboard"));
const AddToDashboard = lazyComponent(loadAddToDashboard, (module) => module.AddToDashboard);

/** Duration of a preview from which a question runs only when a person asks, in ms. */
const SLOW_MS = 2_000;
/** Tables that an empty question offers first. */
const OFFERED_TABLES = 6;

type QuestionViewProps = {
  connectionId: string;
  /** Table of a new question; null to choose one. */
  table: QuestionTable | null;
  /** Console whose question to edit; null for a new question. */
  consoleId: string | null;
};

/** Question builder: the steps of a question, its statement, and a preview of its result. */
export function QuestionView({ connectionId, table, consoleId }: QuestionViewProps) {
  const connection = useFindConnection()(connectionId) ?? null;
  const entities = useEntities(connectionId);
  const dialect = useDialect(connection?.type);
  const language = useScriptLanguage(connection?.type);
  const read = useSavedConsole(consoleId);
  const saved = read.data?.question && read.data.connectionId === connectionId ? read.data : null;
  const kept = saved?.question ?? null;
  const initial = useMemo(() => (kept ? toQuestion(kept) : table && newQuestion(table)), [kept, table]);
  const { question, isRead, change, open } = useQuestion(initial);
  const title =
    saved?.name.replace(/\.(?:sql|mongodb)$/, "") ?? (question === null ? "New question" : toTitle(question));
  const { workspace } = useWorkspace();
  const router = useRouter();
  const openOther = useCallback(
    // Saving the other question would replace the one of the console.
    (next: Question) =>
      consoleId === null ? open(next) : router.push(toQuestionAddress(workspace.slug, connectionId, null, next)),
    [consoleId, open, router, workspace.slug, connectionId],
  );
  const view = { connectionId, dialect, language, entities, title, saved, onOpen: openOther };
  return (
    <main className="question-view" aria-labelledby="page-title">
      {question === null || entities.length === 0 || read.isLoading ? (
        <>
          <div className="bar">
            <ShowExplorer />
            <h1 id="page-title" className="trunc">
              {title}
            </h1>
            <span className="t3 trunc">{connection?.name}</span>
          </div>
          {read.isError && <Notice kind="bad">{toMessage(read.error)}</Notice>}
          {isRead && entities.length > 0 && !read.isLoading ? (
            <TablePicker entities={entities} onChoose={(chosen) => change(newQuestion(chosen))} />
          ) : (
            <ListSkeleton label="Loading tables" rowPx={40} />
          )}
        </>
      ) : (
        <Builder {...view} question={question} connectionName={connection?.name ?? ""} onChange={change} />
      )}
    </main>
  );
}

function TablePicker({
  entities,
  onChoose,
}: {
  entities: readonly Entity[];
  onChoose: (table: QuestionTable) => void;
}) {
  const choose = (entity: Entity) => onChoose(toQuestionTable(entity));
  const offered = [...entities].sort((a, b) => (b.rowEstimate ?? 0) - (a.rowEstimate ?? 0)).slice(0, OFFERED_TABLES);
  return (
    <div className="question-start">
      <h2>Choose a table</h2>
      <div className="question-offers">
        {offered.map((entity) => (
          <button
            key={`${entity.schema} ${entity.name}`}
            type="button"
            className="question-pill"
            onClick={() => choose(entity)}
          >
            <Table2 className="s" />
            <span className="mono trunc">{entity.name}</span>
          </button>
        ))}
      </div>
      {entities.length > OFFERED_TABLES && (
        <ChoiceList
          label="All tables"
          choices={entities.map((each, index) => ({ id: String(index), label: each.name, group: each.schema }))}
          onChoose={(at) => {
            const entity = entities[Number(at)];
            if (entity) choose(entity);
          }}
        />
      )}
    </div>
  );
}

type BuilderProps = {
  connectionId: string;
  connectionName: string;
  dialect: SqlDialect;
  language: SqlDialect | "mongodb";
  entities: readonly Entity[];
  question: Question;
  title: string;
  /** Console that the question comes from; null for a new question. */
  saved: Console | null;
  onChange: (question: Question) => void;
  /** Opens the question behind a mark. */
  onOpen: (question: Question) => void;
};

type Pane = "question" | "sql";

function Builder({ connectionId, connectionName, dialect, entities, question, title, saved, ...on }: BuilderProps) {
  const { language, onChange, onOpen } = on;
  const isShell = language === "mongodb";
  const consoleLanguage = isShell ? "mongodb" : "sql";
  const languageName = isShell ? "query" : "SQL";
  const { create, open } = useConsoleActions();
  const { isSaving, save } = useSaveQuestion(connectionId, saved, consoleLanguage);
  const draft = useDraft(saved?.id ?? "");
  const [pane, setPane] = useState<Pane>("question");
  const [isLive, setLive] = useState(true);
  const [run, setRun] = useState(0);
  const [ran, setRan] = useState<Question | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [chart, setChart] = useState<KeptChart | null>(saved?.chart ?? null);
  const [choice, setChoice] = useState<"table" | "chart" | null>(null);
  const settled = useLater(question, PAUSE_MS);
  const asked = isLive ? settled : ran;
  const statement = useQuestionSql(connectionId, settled);
  const answer = useQuestionAnswer(connectionId, asked, run);
  const { data } = answer;
  const tables = useTables(question, entities);
  const shown = answer.isPlaceholderData || answer.isError ? null : asked;
  const shownTables = useTables(shown, entities);
  const drill = useDrill({
    question: shown,
    tables: shownTables,
    language,
    rows: data?.rows ?? NO_ROWS,
    onOpen: useCallback(
      (next: Question) => {
        setChoice(null);
        onOpen(next);
      },
      [onOpen],
    ),
  });
  const runNow = useCallback(() => {
    setRan(question);
    setRun((count) => count + 1);
  }, [question]);
  useEffect(() => {
    if (data?.durationMs !== undefined && data.durationMs > SLOW_MS) setLive(false);
  }, [data]);
  const count = data?.rowCount;
  useEffect(() => {
    if (count !== undefined) announce(`Preview, ${formatCountOf(count, "row")}`);
  }, [count]);
  const problem = problemOf(statement.error) ?? problemOf(answer.error);
  const sql = statement.isError ? null : (statement.data?.sql ?? null);
  const isChart = (choice ?? (question.groups.length > 0 ? "chart" : "table")) === "chart";
  const name = `${title}${ENDINGS[consoleLanguage]}`;
  const toConsole = () => (sql === null ? null : create(connectionId, { name, content: sql }));
  const rows = useMemo(() => data && new AnswerRows(data.fields, data.rows), [data]);
  useEffect(() => () => rows?.close(), [rows]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of the whole page
    <div
      className="question-page"
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        runNow();
      }}
    >
      <div className="bar">
        <ShowExplorer />
        <h1 id="page-title" className="trunc">
          {title}
        </h1>
        <span className="t3 trunc question-connection">{connectionName}</span>
        <span className="grow" />
        <Segments
          label="View"
          value={pane}
          options={[
            { value: "question", label: "Question" },
            { value: "sql", label: isShell ? "Query" : "SQL" },
          ]}
          onChange={setPane}
        />
        <ToolButton
          label="Add to dashboard"
          word="Add to dashboard"
          icon={<LayoutDashboard className="s" />}
          isDisabled={!rows || sql === null}
          onClick={() => setAdding(true)}
        />
        <button
          type="button"
          className="btn sm primary"
          aria-label={saved ? "Save question" : "Save as console"}
          aria-disabled={sql === null || isSaving}
          onClick={() => sql !== null && !isSaving && void save({ question, name: title, chart })}
        >
          <Save className="s" />
          {isSaving ? "Saving" : "Save"}
        </button>
      </div>
      {saved && (saved.question?.isCurrent === false || draft !== null) && (
        <Notice
          kind="warn"
          role="status"
          action={
            <button type="button" className="btn sm" onClick={() => open(saved.id)}>
              <FileCode2 className="s" />
              Open as {languageName}
            </button>
          }
        >
          The question and the {languageName} of this console no longer match: one was changed alone. Saving the
          question replaces the {languageName}.
        </Notice>
      )}
      <div className="question-body">
        <div className="question-edit">
          {pane === "sql" ? (
            <div className="question-sql">
              <CodeBox label="Statement">
                {sql !== null && (isShell ? sql : <SqlCode text={sql} dialect={dialect} />)}
              </CodeBox>
              {statement.isError && <Notice kind="bad">{toMessage(statement.error)}</Notice>}
              <div className="row">
                <button type="button" className="btn sm" aria-disabled={sql === null} onClick={() => toConsole()}>
                  <FileCode2 className="s" />
                  Convert to {languageName}
                </button>
                <span className="xs t2">One-way: later changes to the question do not reach the console.</span>
              </div>
            </div>
          ) : tables.length === 0 ? (
            <Notice kind="bad">A table of this question no longer exists. Choose another table.</Notice>
          ) : (
            <QuestionCards
              question={question}
              tables={tables}
              entities={entities}
              language={language}
              problem={problem}
              onChange={onChange}
            />
          )}
        </div>
        <section className="question-preview" aria-label="Preview" aria-busy={answer.isFetching}>
          <div className="race">
            <button type="button" className="btn run" onClick={runNow}>
              <Play className="s" />
              Run
              <Keys keys="mod+enter" />
            </button>
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is a button inside it */}
            <label className="question-live">
              <Switch.Root
                className="switch"
                checked={isLive}
                onCheckedChange={(next) => {
                  setRan(question);
                  setLive(next);
                }}
              >
                <Switch.Thumb className="switch-thumb" />
              </Switch.Root>
              <span>Live preview</span>
            </label>
            <span className="grow" />
            <span className="race-end num" role="status">
              {answer.isFetching ? (
                <span className="st run">Running</span>
              ) : (
                data &&
                `${formatCountOf(data.rowCount, "row")}${data.truncated ? ", truncated" : ""}, ${formatDuration(data.durationMs)}`
              )}
            </span>
          </div>
          <div className="result-bar">
            <Segments
              label="Result as"
              value={isChart ? "chart" : "table"}
              options={[
                { value: "table", label: "Table", icon: <Table2 className="s" /> },
                { value: "chart", label: "Chart", icon: <ChartColumn className="s" /> },
              ]}
              onChange={setChoice}
            />
          </div>
          {answer.isError && problem === null && <Notice kind="bad">{toMessage(answer.error)}</Notice>}
          {data && rows ? (
            <div className={answer.isPlaceholderData || answer.isError ? "question-result stale" : "question-result"}>
              <Result
                rows={rows}
                data={data}
                isChart={isChart}
                dialect={dialect}
                chart={chart}
                title={title}
                drill={drill}
                onChart={setChart}
              />
            </div>
          ) : problem !== null ? (
            <p className="question-none t2">Fix the marked step to see its rows.</p>
          ) : asked === null ? (
            <p className="question-none t2">Run the question to see its rows.</p>
          ) : (
            !answer.isError && <ListSkeleton label="Loading preview" rowPx={28} />
          )}
        </section>
      </div>
      {isAdding && rows && sql !== null && (
        <AddToDashboard
          rows={rows}
          chart={chart}
          isChart={isChart}
          connectionId={connectionId}
          statement={sql}
          consoleId={null}
          consoleName={name}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}

type ResultProps = {
  rows: AnswerRows;
  data: QuestionResult;
  isChart: boolean;
  dialect: SqlDialect;
  chart: KeptChart | null;
  title: string;
  drill: DrillActions;
  onChart: (chart: KeptChart) => void;
};

function Result({ rows, data, isChart, dialect, chart, title, drill, onChart }: ResultProps) {
  const { digits, times } = useFrame().frame;
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  if (data.rows.length === 0) return <p className="question-none t2">No rows match.</p>;
  if (isChart) {
    const view = { source: rows, kept: chart, onChange: onChart, look, name: title };
    return <ChartView {...view} actionsOf={drill.ofMark} />;
  }
  const grid = { label: "Preview rows", query: "", dialect, fields: data.fields, rows: data.rows };
  return <RowsGrid {...grid} actionsOf={drill.ofRow} />;
}

const NO_ROWS: ResultRow[] = [];

/** Returns the tables of a question; none if one no longer exists. */
function useTables(question: Question | null, entities: readonly Entity[]): NamedTable[] {
  return useMemo(() => {
    if (question === null) return [];
    const found = [question.table, ...question.joins.map(({ table }) => table)].map((each) =>
      findTable([...entities], each),
    );
    return found.every((each) => each !== null) ? tablesOf(question, found) : [];
  }, [question, entities]);
}

/** Returns the question of a console. A view's own fields would change its address. */
function toQuestion({ isCurrent: _, ...question }: SavedQuestion): Question {
  return question;
}

/** Returns the title of a question: its first summary, or its table. */
function toTitle(question: Question): string {
  const [first] = question.summaries;
  if (!isSummarized(question) || !first) return question.table.name;
  const [group] = question.groups;
  return `${toSummaryWords(first)}${first.column || first.table ? "" : ` of ${question.table.name}`}${group ? ` by ${group.grain ?? group.column.column}` : ""}`;
}

/** Returns the part of the question that an error names; null for another error. */
function problemOf(error: unknown): ApiProblem | null {
  const [first] = error instanceof ApiError ? error.problems : [];
  return first ? { ...first, path: first.path.replace(/^question\./, "") } : null;
}
