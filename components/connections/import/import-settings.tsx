"use client";

import { FileSpreadsheet, Plus, X } from "lucide-react";
import { useState } from "react";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { TextField } from "@/components/ui/text-field";
import type { ImportPreview, ImportSettings, UploadedImport } from "@/lib/features/connections/imports/schema";
import { formatCountOf, toSize } from "@/lib/platform/browser/format";

type Settings = ImportPreview["settings"];
/** The table to write, and the use of rejected rows. */
export type TableChoice = {
  name: string;
  mode: "create" | "append" | "replace";
  rejected: "quarantine" | "skip" | "stop";
};

const FORMATS: Record<Settings["format"], string> = {
  csv: "CSV or TSV",
  xlsx: "XLSX",
  json: "JSON",
  ndjson: "NDJSON",
  parquet: "Parquet",
  arrow: "Arrow",
};
const DELIMITERS: Record<string, string> = { ",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Pipe", " ": "Space" };
const QUOTES: Record<string, string> = { '"': '"', "'": "'", "": "None" };
const ENCODINGS: Record<Settings["encoding"], string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  "windows-1252": "Windows-1252",
};
const DATES = [
  "YYYY-MM-DD",
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "DD.MM.YYYY",
  "DD-MM-YYYY",
  "MM-DD-YYYY",
  "YYYY/MM/DD",
] as const;

type ImportSettingsPaneProps = {
  file: UploadedImport;
  settings: ImportSettings;
  /** Null if the file could not be read with the settings. */
  preview: ImportPreview | null;
  table: TableChoice;
  /** Name of the table that the import writes. */
  target: string;
  /** Name of the table that a new one gets. */
  freeName: string;
  isTaken: boolean;
  onSettings: (settings: ImportSettings) => void;
  onTable: (table: TableChoice) => void;
};

/** Settings of an import. Each shows what was detected, and reads the file again when it changes. */
export function ImportSettingsPane(props: ImportSettingsPaneProps) {
  const { file, settings, preview, onSettings } = props;
  const size = toSize(file.bytes);
  const found = preview?.settings;
  const format = settings.format ?? found?.format ?? "csv";
  const isText = format === "csv";
  // Other records have other columns.
  const reread = (change: ImportSettings) => onSettings({ ...settings, ...change, columns: undefined });
  const isDetected = Object.values(settings).every((value) => value === undefined);
  const delimiter = settings.delimiter ?? found?.delimiter ?? ",";
  const delimiters = { ...DELIMITERS, [delimiter]: DELIMITERS[delimiter] ?? delimiter };
  const row1 = 1 + (settings.skip ?? found?.skip ?? 0);
  return (
    <section className="import-side" aria-label="Import settings">
      <div className="row import-file">
        <FileSpreadsheet />
        <div className="grow">
          <b className="trunc">{file.file}</b>
          <span className="xs t2 num">
            {size.value} {size.unit}
            {preview &&
              `, ${formatCountOf(preview.rows + preview.rejectedRows, "row")}, ${formatCountOf(preview.columns.length, "column")}`}
          </span>
        </div>
      </div>
      <div className="row between">
        <h2>Format</h2>
        <span className="xs t2">{isDetected ? "Detected" : "Changed"}</span>
      </div>
      <div className="import-fields">
        <LabelledSelect
          label="File format"
          value={format}
          options={entries(FORMATS)}
          onChange={(value) => onSettings({ format: value })}
        />
        {format === "xlsx" && (preview?.sheets.length ?? 0) > 0 && (
          <LabelledSelect
            label="Sheet"
            value={settings.sheet ?? found?.sheet ?? ""}
            options={preview?.sheets.map((name) => ({ value: name, label: name })) ?? []}
            onChange={(sheet) => reread({ sheet })}
          />
        )}
        {isText && (
          <>
            <LabelledSelect
              label="Delimiter"
              value={delimiter}
              options={entries(delimiters)}
              onChange={(value) => reread({ delimiter: value })}
            />
            <LabelledSelect
              label="Quote"
              value={settings.quote ?? (found?.quote as NonNullable<ImportSettings["quote"]>) ?? '"'}
              options={entries(QUOTES) as { value: NonNullable<ImportSettings["quote"]>; label: string }[]}
              onChange={(value) => reread({ quote: value })}
            />
          </>
        )}
        {(isText || format === "ndjson") && (
          <LabelledSelect
            label="Encoding"
            value={settings.encoding ?? found?.encoding ?? "utf-8"}
            options={entries(ENCODINGS)}
            onChange={(value) => reread({ encoding: value })}
          />
        )}
        {(isText || format === "xlsx") && (
          <LabelledSelect
            label="Header"
            value={(settings.header ?? found?.header ?? true) ? "yes" : "no"}
            options={[
              { value: "yes", label: isText ? `Line ${row1}` : "First row" },
              { value: "no", label: "None" },
            ]}
            onChange={(value) => reread({ header: value === "yes" })}
          />
        )}
        {format !== "parquet" && format !== "arrow" && (
          <>
            <LabelledSelect
              label="Decimal"
              value={settings.decimal ?? found?.decimal ?? "."}
              options={[
                { value: ".", label: "Point" },
                { value: ",", label: "Comma" },
              ]}
              onChange={(value) => onSettings({ ...settings, decimal: value })}
            />
            <LabelledSelect
              label="Dates"
              value={settings.dateFormat ?? found?.dateFormat ?? "YYYY-MM-DD"}
              options={DATES.map((value) => ({ value, label: value }))}
              onChange={(value) => onSettings({ ...settings, dateFormat: value })}
            />
          </>
        )}
      </div>
      {found && format !== "parquet" && format !== "arrow" && (
        <NullWords words={found.nullWords} onChange={(nullWords) => onSettings({ ...settings, nullWords })} />
      )}
      <TableFields {...props} />
    </section>
  );
}

function NullWords({ words, onChange }: { words: string[]; onChange: (words: string[]) => void }) {
  const [typed, setTyped] = useState("");
  const add = () => {
    const word = typed.trim();
    setTyped("");
    if (!words.includes(word)) onChange([...words, word]);
  };
  return (
    <div className="field">
      <span className="flabel">Null values</span>
      <div className="null-words">
        {words.map((word) => (
          <span key={word} className="chip">
            {word === "" ? "empty" : word}
            <button
              type="button"
              aria-label={`Remove ${word === "" ? "empty" : word}`}
              onClick={() => onChange(words.filter((each) => each !== word))}
            >
              <X className="xs" />
            </button>
          </span>
        ))}
        <input
          aria-label="New null value"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
        />
        <button type="button" className="btn ghost icon sm" aria-label="Add null value" onClick={add}>
          <Plus className="s" />
        </button>
      </div>
    </div>
  );
}

function TableFields({ preview, table, target, freeName, isTaken, onTable }: ImportSettingsPaneProps) {
  const modes = [
    { mode: "create" as const, label: `Create ${freeName}` },
    { mode: "append" as const, label: "Append rows" },
    { mode: "replace" as const, label: "Replace rows" },
  ];
  return (
    <>
      <h2 className="import-part">Table</h2>
      <TextField
        label="Name"
        isDense
        value={table.name}
        spellCheck={false}
        autoComplete="off"
        maxLength={200}
        error={table.name.trim() === "" ? "Name is required." : undefined}
        onChange={(event) => onTable({ ...table, name: event.target.value, mode: "create" })}
      />
      {isTaken && (
        <fieldset className="import-modes">
          <legend className="xs t2">Table {table.name} exists</legend>
          {modes.map(({ mode, label }) => (
            <label key={mode} className={table.mode === mode ? "on" : ""}>
              <input
                type="radio"
                name="mode"
                checked={table.mode === mode}
                onChange={() => onTable({ ...table, mode })}
              />
              <span className="trunc">{label}</span>
            </label>
          ))}
        </fieldset>
      )}
      <LabelledSelect
        label="Rejected rows"
        value={table.rejected}
        options={[
          { value: "quarantine", label: "Quarantine" },
          { value: "skip", label: "Skip" },
          { value: "stop", label: "Stop import" },
        ]}
        onChange={(rejected) => onTable({ ...table, rejected })}
      />
      {table.rejected === "quarantine" && (preview?.rejectedRows ?? 0) > 0 && (
        <p className="xs t2 import-note">Stored in {target}_rejected.</p>
      )}
    </>
  );
}

function entries<T extends string>(labels: Record<T, string>): { value: T; label: string }[] {
  return (Object.entries(labels) as [T, string][]).map(([value, label]) => ({ value, label }));
}
