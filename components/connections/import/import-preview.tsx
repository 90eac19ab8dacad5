"use client";

import { CircleCheck, CircleX, Download, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { importsApi } from "@/lib/features/connections/browser/imports";
import type { ImportPreview, ImportProblem, ImportSettings } from "@/lib/features/connections/imports/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

type Column = ImportPreview["columns"][number];
const TYPES: { value: Column["type"]; label: string }[] = [
  { value: "text", label: "text" },
  { value: "integer", label: "integer" },
  { value: "decimal", label: "decimal" },
  { value: "number", label: "number" },
  { value: "boolean", label: "boolean" },
  { value: "date", label: "date" },
  { value: "timestamp", label: "timestamp" },
  { value: "timestamptz", label: "timestamp with zone" },
  { value: "time", label: "time" },
];
const NUMBERS = new Set<Column["type"]>(["integer", "decimal", "number"]);
/** Columns that are drawn; the others are imported too. */
const COLUMNS_SHOWN = 100;

type PaneProps = {
  id: string;
  preview: ImportPreview;
  /** Time that reading took. */
  seconds: number;
  settings: ImportSettings;
  onSettings: (settings: ImportSettings) => void;
};

/** First rows of an import with the types of its columns, and its problems. */
export function ImportPreviewPane({ id, preview, seconds, settings, onSettings }: PaneProps) {
  const [shown, setShown] = useState<"rows" | "raw">("rows");
  const { columns, rows, rejectedRows, raw } = preview;
  const setType = (index: number, type: Column["type"]) => {
    const others = (settings.columns ?? []).filter((each) => each.index !== index);
    const name = settings.columns?.find((each) => each.index === index)?.name;
    onSettings({ ...settings, columns: [...others, { index, type, ...(name !== undefined && { name }) }] });
  };
  return (
    <section className="import-main" aria-label="Preview">
      <div className="row import-bar">
        {raw.length > 0 && (
          <Segments
            label="View"
            value={shown}
            options={[
              { value: "rows", label: "Preview" },
              { value: "raw", label: "Raw text" },
            ]}
            onChange={setShown}
          />
        )}
        <span className="xs t2 grow">
          First {formatCountOf(preview.preview.length, "row")}. Types checked on all {formatCount(rows + rejectedRows)}.
          {columns.length > COLUMNS_SHOWN && ` ${COLUMNS_SHOWN} of ${formatCount(columns.length)} columns shown.`}
        </span>
        <span className="row xs import-time">
          <CircleCheck className="s" />
          Read in {seconds.toFixed(1)} s
        </span>
      </div>
      {shown === "raw" ? (
        <pre className="import-raw mono">{raw.join("\n")}</pre>
      ) : (
        <div className="import-grid">
          <table aria-label="First rows">
            <thead>
              <tr>
                <th scope="col">Line</th>
                {columns.slice(0, COLUMNS_SHOWN).map((column) => (
                  <th key={column.index} scope="col">
                    <span className="trunc">{column.name}</span>
                    {column.type === "source" ? (
                      <span className="xs t2 mono">{column.dbType.toLowerCase()}</span>
                    ) : (
                      <Select
                        label={`Type of ${column.name}`}
                        size="sm"
                        value={column.type}
                        options={TYPES.map((each) =>
                          each.value === column.type && column.type === "decimal"
                            ? { ...each, label: column.dbType.toLowerCase() }
                            : each,
                        )}
                        onChange={(type) => setType(column.index, type)}
                      />
                    )}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {preview.preview.map(({ line, values }) => (
                <tr key={line}>
                  <td className="num t3">{formatCount(line)}</td>
                  {columns.slice(0, COLUMNS_SHOWN).map((column, place) => (
                    <Cell key={column.index} value={values[place] ?? null} isNumber={NUMBERS.has(column.type)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Problems id={id} preview={preview} settings={settings} onSettings={onSettings} onType={setType} />
    </section>
  );
}

function Cell({ value, isNumber }: { value: string | null; isNumber: boolean }) {
  const text = value ?? "null";
  return <td className={`${isNumber ? "num" : ""}${value === null ? " null" : ""}`}>{text}</td>;
}

type ProblemsProps = Omit<PaneProps, "seconds"> & { onType: (index: number, type: Column["type"]) => void };

function Problems({ id, preview, settings, onSettings, onType }: ProblemsProps) {
  const { workspace } = useWorkspace();
  const [part, setPart] = useState<"all" | ImportProblem["severity"]>("all");
  const { problems, rejectedRows } = preview;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  const shown = problems.filter(({ severity }) => part === "all" || severity === part);
  if (problems.length === 0) return <p className="t2 import-none">No problems found.</p>;
  return (
    <>
      <div className="row import-bar">
        <h2>Problems</h2>
        <Segments
          label="Problems"
          value={part}
          options={[
            { value: "all", label: "All" },
            { value: "rejected", label: `${formatCount(rejectedRows)} rejected` },
            { value: "warning", label: formatCountOf(warnings, "warning") },
          ]}
          onChange={setPart}
        />
        <span className="grow" />
        {rejectedRows > 0 && (
          <a className="btn ghost sm" href={importsApi.rejectedUrl(workspace.id, id)} download>
            <Download className="s" />
            Download rejected rows
          </a>
        )}
      </div>
      <ul className="import-problems" aria-label="Problems">
        {shown.map((problem) => (
          <li key={`${problem.message} ${problem.line} ${problem.text}`}>
            {problem.severity === "rejected" ? (
              <CircleX className="s bad" aria-label="Rejected" />
            ) : (
              <TriangleAlert className="s warn" aria-label="Warning" />
            )}
            <span className="mono xs num">{linesOf(problem)}</span>
            <span className="says">
              {problem.message}
              {problem.rows > 1 && `, ${formatCountOf(problem.rows, "row")}`}
            </span>
            <span className="mono xs t2 trunc" title={problem.text}>
              {problem.text}
            </span>
            <CorrectionButton problem={problem} settings={settings} onSettings={onSettings} onType={onType} />
          </li>
        ))}
      </ul>
    </>
  );
}

function linesOf({ line, lastLine, rows }: ImportProblem): string {
  if (line === null) return "all";
  if (lastLine === null || lastLine === line) return formatCount(line);
  const isWhole = lastLine - line + 1 === rows;
  return `${formatCount(line)} ${isWhole ? "to" : "…"} ${formatCount(lastLine)}`;
}

type CorrectionButtonProps = { problem: ImportProblem } & Pick<ProblemsProps, "settings" | "onSettings" | "onType">;

/** The one correction of a problem. */
function CorrectionButton({ problem: { correction, column }, settings, onSettings, onType }: CorrectionButtonProps) {
  if (correction === null) return <span />;
  const { kind, type, value, values } = correction;
  const change = (next: ImportSettings) => () => onSettings({ ...settings, ...next });
  const [label, run]: [string, () => void] =
    kind === "type" && type && column !== null
      ? [`Use ${type}`, () => onType(column, type)]
      : kind === "dateFormat"
        ? [`Use ${value}`, change({ dateFormat: value as ImportSettings["dateFormat"] })]
        : kind === "encoding"
          ? ["Use Windows-1252", change({ encoding: "windows-1252", columns: undefined })]
          : kind === "quote"
            ? ["Use no quote", change({ quote: "", columns: undefined })]
            : ["Keep as text", change({ nullWords: values ?? [""] })];
  return (
    <button type="button" className="link" onClick={run}>
      {label}
    </button>
  );
}
