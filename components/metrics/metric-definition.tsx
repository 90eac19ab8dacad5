"use client";

import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import { SqlCode } from "@/components/editor/sql-code";
import type { TextProblem } from "@/components/editor/text-editor";
import { useMetricAnswer } from "@/components/metrics/use-metrics";
import { useDatabases, useOpenSchemas } from "@/components/schema/use-schema";
import { CopyButton } from "@/components/ui/copy-button";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { useIsPhone } from "@/components/ui/use-browser";
import { SQL_DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readOutline } from "@/lib/features/metrics/browser/outline";
import { later } from "@/lib/platform/browser/load-again";
import { ApiError } from "@/lib/platform/browser/request";

const loadEditor = later(() => import("@/components/metrics/metric-editor"));
const MetricEditor = lazyComponent(
  loadEditor,
  (module) => module.MetricEditor,
  () => <ListSkeleton label="Loading editor" />,
);

/** Connections of a file whose tables are completed. */
const COMPLETED_MAX = 3;
const NO_PROBLEMS: TextProblem[] = [];

type MetricDefinitionProps = {
  /** Name of the file. */
  name: string;
  text: string;
  /** The text that is checked: that of the last pause in typing. */
  settled: string;
  /** The metric whose statement is shown; null for none. */
  metric: string | null;
  onChange: (text: string) => void;
};

/** Text of a metric file with its problems, and the statement of a metric. */
export function MetricDefinition({ name, text, settled, metric, onChange }: MetricDefinitionProps) {
  const isPhone = useIsPhone();
  const [isSqlShown, setIsSqlShown] = useState(false);
  const [goTo, setGoTo] = useState<{ line: number; column: null } | null>(null);
  const check = useMetricAnswer({ content: settled, metrics: [metric ?? "none"], dryRun: true });
  const isChecked = settled === text && !check.isFetching && !check.isPlaceholderData;
  const found = isChecked ? problemsOf(check.error, metric) : [];
  const problems = found.flatMap(({ line, message }) => (line === null ? [] : [{ line, column: null, message }]));
  const connections = useCompletedConnections(settled);
  const { sql, dialect } = check.data ?? {};
  return (
    <section className="metric-card metric-definition" aria-labelledby="metric-definition">
      <div className="row metric-card-head">
        <h2 id="metric-definition">Definition</h2>
        <span className="mono xs t3 trunc">metrics/{name}.yml</span>
      </div>
      <div className="metric-editor">
        <MetricEditor
          traceId={`metric:${name}`}
          label={`Definition of ${name}`}
          content={text}
          isReadOnly={isPhone}
          problems={problems.length === 0 ? NO_PROBLEMS : problems}
          connections={connections}
          goTo={goTo}
          onChange={onChange}
        />
      </div>
      <div className="metric-check" role="status">
        {!isChecked && <span className="t3">Checking</span>}
        {isChecked && found.length === 0 && !check.isError && (
          <span className="row metric-status good">
            <CircleCheck className="s" />
            Valid
          </span>
        )}
        {isPhone && <span className="t3 xs">Edit on a larger screen.</span>}
        <span className="grow" />
        {sql !== undefined && found.length === 0 && (
          <button
            type="button"
            className="link xs"
            aria-expanded={isSqlShown}
            onClick={() => setIsSqlShown(!isSqlShown)}
          >
            {isSqlShown ? "Hide SQL" : "Show SQL"}
          </button>
        )}
      </div>
      {found.length > 0 && (
        <ul className="metric-problems" aria-label="Problems">
          {found.map(({ path, line, message }) => (
            <li key={`${path} ${line} ${message}`}>
              <button
                type="button"
                disabled={line === null}
                onClick={() => setGoTo(line === null ? null : { line, column: null })}
              >
                <CircleX className="s bad-sign" />
                {line !== null && <span className="num t3">Line {line}</span>}
                <span>{message}</span>
                <span className="mono xs t3">{path}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {isSqlShown && sql !== undefined && found.length === 0 && (
        <div className="metric-sql">
          <CopyButton text={sql} name="Copy SQL" />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
          <section className="codebox" aria-label="SQL" tabIndex={0}>
            <pre>
              <SqlCode text={sql} dialect={dialectOf(dialect)} />
            </pre>
          </section>
        </div>
      )}
    </section>
  );
}

type Found = { path: string; line: number | null; message: string };

/** Returns the problems of a text. @param metric null if the file has none, whose query would say so */
function problemsOf(error: unknown, metric: string | null): Found[] {
  if (!(error instanceof ApiError)) return [];
  const found = error.problems.map((problem) => ({
    ...problem,
    line: "line" in problem && typeof problem.line === "number" ? problem.line : null,
  }));
  if (metric === null && found.every(({ path }) => path === "metrics.0")) return [];
  return found.length > 0 ? found : [{ path: "", line: null, message: error.message }];
}

function dialectOf(name: string | undefined): SqlDialect {
  return SQL_DIALECTS.find((each) => each === name) ?? "standard";
}

/** Returns the SQL connections of the workspace, with the tables of those that a text names. */
function useCompletedConnections(text: string) {
  const findType = useFindType();
  const databases = useDatabases().filter(({ type }) => findType(type)?.dialect !== undefined);
  const sources = readOutline(text).datasets.map(({ source }) => source);
  const named = databases
    .filter(({ name }) => sources.some((source) => source.startsWith(name)))
    .slice(0, COMPLETED_MAX);
  const schemas = useOpenSchemas(named.map(({ id }) => id));
  return databases.map(({ id, name }) => {
    const at = named.findIndex((each) => each.id === id);
    return { name, entities: schemas[at]?.data ?? [] };
  });
}
