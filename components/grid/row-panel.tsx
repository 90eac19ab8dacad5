"use client";

import { ArrowDown, ArrowUp, Copy, Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import type { CellLinks } from "@/components/grid/grid-menu";
import { countEntries, JsonTree, toStructure } from "@/components/grid/json-tree";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { useSideSlot } from "@/components/layout/side-slot";
import { useFrame } from "@/components/layout/use-frame";
import { copyText } from "@/components/ui/copy-text";
import { Keys } from "@/components/ui/keys";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { Segments } from "@/components/ui/segments";
import { showFailure } from "@/components/ui/toast";
import type { Entity } from "@/lib/base/values/fields";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { countBytes, toBytes, toHexLines, toPictureType } from "@/lib/features/results/browser/binary-cell";
import { toCellText, toPlainText } from "@/lib/features/results/browser/cell-text";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const loadRowForm = later(() => import("@/components/grid/edit/row-form"));
const RowForm = lazyComponent(loadRowForm, (module) => module.RowForm);

/** Maximum number of characters on a field's line. */
const LINE_LETTERS = 34;
/** Maximum number of shown characters of a text, or bytes of a binary value; all of it can be copied. */
const SHOWN_LETTERS = 20_000;
const SHOWN_BYTES = 2048;
/** Browsers render larger data URLs late or not at all. */
const PICTURE_LETTERS_MAX = 8 * 1024 * 1024;

const SLOT = Symbol("row");

type View = "fields" | "json" | "edit";

type RowPanelProps = {
  source: RowsSource;
  columns: GridColumn[];
  row: number;
  /** Column index of the marked cell. */
  place: number;
  onRow: (row: number) => void;
  onClose: () => void;
  /** Rows with their pending changes; absent where they cannot be edited. */
  edited?: Edited | null;
  /** All tables of the connection, to which foreign keys refer. */
  entities?: readonly Entity[];
  /** Returns the links from a row's keys and to them; absent if foreign keys are not known. */
  toLinks?: (row: number, column: string) => CellLinks;
};

/** Panel of one row beside its grid: all fields in full. It follows the selection; J and K move between rows. */
export function RowPanel(props: RowPanelProps) {
  const slot = useSideSlot(SLOT);
  return slot && createPortal(<Panel {...props} />, slot);
}

function Panel({ source, columns, row, place, onRow, onClose, edited = null, entities = [], toLinks }: RowPanelProps) {
  const [wanted, setWanted] = useState("");
  const [chosen, setView] = useState<View>("fields");
  // A new row has nothing to read.
  const isNew = edited !== null && edited.source.loaded(row) === null && edited.source.idAt(row) !== null;
  const edits = edited?.source.edits;
  const addsField = edits !== undefined && edits.addsFieldTo !== null && edits.addsFieldTo === edited?.source.idAt(row);
  useEffect(() => {
    if (addsField) setView("edit");
  }, [addsField]);
  const view = isNew || addsField ? "edit" : chosen === "edit" && edited === null ? "fields" : chosen;
  const bodyRef = useRef<HTMLDivElement>(null);
  const marked = columns[place]?.index;
  useEffect(() => source.want(row, row + 1), [source, row]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row puts the same field elsewhere
  useEffect(() => {
    bodyRef.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [marked, row, view]);

  const asideRef = usePanelFocus(onClose);
  const shown = columns.filter(({ field }) => field.name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const referring = toLinks?.(row, columns[0]?.field.name ?? "").from ?? [];
  const step = (by: number) => {
    const next = row + by;
    if (next >= 0 && next < source.count) onRow(next);
  };
  const { areLettersOn } = useFrame().frame;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!areLettersOn) return;
    if ((event.target as Element).matches("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const copyRow = () => {
    const picked = columns.map(({ index }) => index);
    const text = source.copyNow({ format: "json", columns: picked, from: row, to: row + 1, withHead: true });
    if (text !== null) void copyAndSay(text, "Row copied as JSON");
  };
  return (
    <aside ref={asideRef} className="row-panel" aria-label="Row" tabIndex={-1} data-region onKeyDown={onKeyDown}>
      <PanelHead row={row} count={source.count} onStep={step} onCopy={copyRow} onClose={onClose} />
      <div className="row-tools">
        <div className="input xs quiet grow">
          <Search className="s t3" />
          <input
            aria-label="Search fields"
            placeholder="Search fields"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </div>
        <Segments
          label="View"
          value={view}
          options={[
            { value: "fields", label: "Fields" },
            { value: "json", label: "JSON" },
            ...(edited ? [{ value: "edit" as const, label: "Edit" }] : []),
          ]}
          onChange={setView}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
      <section ref={bodyRef} className="row-body" tabIndex={0} aria-label="Row fields">
        {view === "edit" && edited ? (
          <RowForm edited={edited} entities={entities} row={row} columns={shown} onRow={onRow} />
        ) : view === "json" ? (
          <JsonTree
            value={Object.fromEntries(shown.map(({ index, field }) => [field.name, source.cell(row, index) ?? null]))}
          />
        ) : (
          shown.map(({ index, field }) => (
            <FieldOfRow
              key={index}
              field={field}
              value={source.cell(row, index)}
              isMarked={index === marked}
              links={toLinks?.(row, field.name).to ?? []}
            />
          ))
        )}
        {view === "fields" && referring.length > 0 && (
          <section className="row-links" aria-label="Referencing rows">
            <h3 className="flabel">Referenced by</h3>
            {referring.map(({ label, open }) => (
              <button key={label} type="button" className="link" onClick={open}>
                {label}
              </button>
            ))}
          </section>
        )}
        {shown.length === 0 && <p className="row-none">No fields match "{wanted.trim()}".</p>}
      </section>
      <div className="row-foot xs t3">
        <Keys keys="j" />
        <Keys keys="k" />
        previous, next row
        <span className="grow" />
        <Keys keys="Esc" />
        closes
      </div>
    </aside>
  );
}

/** Closes the panel on Escape, and returns the focus to where it was when the panel is removed. */
function usePanelFocus(onClose: () => void) {
  const asideRef = useRef<HTMLElement>(null);
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    // Overlays above the panel close first.
    if (document.querySelector('[role="dialog"],[role="menu"],[role="listbox"]')) return;
    onClose();
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // Runs before the panel is removed from the page, and the focus with it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const panel = asideRef.current;
    return () => {
      if (panel?.contains(document.activeElement) && before instanceof HTMLElement && before.isConnected)
        before.focus();
    };
  }, []);
  return asideRef;
}

type PanelHeadProps = {
  row: number;
  count: number;
  onStep: (by: number) => void;
  onCopy: () => void;
  onClose: () => void;
};

function PanelHead({ row, count, onStep, onCopy, onClose }: PanelHeadProps) {
  return (
    <div className="side-panel-head">
      <h2 className="trunc grow num">
        Row {formatCount(row + 1)} <span className="t3">of {formatCount(count)}</span>
      </h2>
      <button
        type="button"
        className="btn ghost icon sm"
        aria-label="Previous row"
        aria-disabled={row === 0}
        onClick={() => onStep(-1)}
      >
        <ArrowUp />
      </button>
      <button
        type="button"
        className="btn ghost icon sm"
        aria-label="Next row"
        aria-disabled={row >= count - 1}
        onClick={() => onStep(1)}
      >
        <ArrowDown />
      </button>
      <button type="button" className="btn ghost icon sm" aria-label="Copy row" onClick={onCopy}>
        <Copy />
      </button>
      <button type="button" className="btn ghost icon sm" aria-label="Close" onClick={onClose}>
        <X />
      </button>
    </div>
  );
}

type FieldProps = {
  field: ResultField;
  value: CellValue | undefined;
  isMarked: boolean;
  links: CellLinks["to"];
};

function FieldOfRow({ field, value, isMarked, links }: FieldProps) {
  const type = (field.dbType ?? field.type).toLowerCase();
  const long = toLongValue(field, value);
  if (long === null) {
    const isNull = value === null || value === undefined;
    return (
      <div className="row-field" aria-current={isMarked}>
        <span className="trunc">{field.name}</span>
        <span className={isNull ? "value null" : "value"}>
          {isNull ? "null" : links[0] === undefined ? toCellText(value, field) : null}
          {!isNull && links[0] !== undefined && (
            <button type="button" className="link" aria-label={`Go to ${links[0].label}`} onClick={links[0].open}>
              {toCellText(value, field)}
            </button>
          )}
        </span>
        <span className="ty trunc">{type}</span>
      </div>
    );
  }
  return (
    <section className="row-long" aria-current={isMarked} aria-label={field.name}>
      <div className="row">
        <b className="trunc">{field.name}</b>
        <span className="ty grow trunc">
          {type}, {long.size}
        </span>
        <button
          type="button"
          className="link"
          onClick={() => void copyAndSay(toPlainText(value), `${field.name} copied`)}
        >
          Copy
        </button>
      </div>
      <LongValue long={long} name={field.name} />
    </section>
  );
}

type Long =
  | { kind: "json"; value: NonNullable<ReturnType<typeof toStructure>>; size: string }
  | { kind: "text"; text: string; size: string }
  | { kind: "picture"; address: string; size: string }
  | { kind: "bytes"; lines: string; isCut: boolean; size: string };

/** Returns a value that needs more than one line; null for other values. */
function toLongValue(field: ResultField, value: CellValue | undefined): Long | null {
  if (field.type === "binary" && typeof value === "string" && value !== "") {
    const count = countBytes(value);
    const size = formatCountOf(count, "byte");
    const type = value.length <= PICTURE_LETTERS_MAX ? toPictureType(value) : null;
    if (type !== null) return { kind: "picture", address: `data:${type};base64,${value}`, size };
    const bytes = toBytes(value, SHOWN_BYTES);
    if (bytes !== null) return { kind: "bytes", lines: toHexLines(bytes), isCut: count > SHOWN_BYTES, size };
  }
  const structure = toStructure(value);
  if (structure !== null) return { kind: "json", value: structure, size: countEntries(structure) };
  if (typeof value === "string" && (value.length > LINE_LETTERS || value.includes("\n"))) {
    return { kind: "text", text: value, size: formatCountOf([...value].length, "character") };
  }
  return null;
}

function LongValue({ long, name }: { long: Long; name: string }) {
  switch (long.kind) {
    case "json":
      return <JsonTree value={long.value} />;
    case "text":
      return (
        <p className="row-text">
          {long.text.slice(0, SHOWN_LETTERS)}
          {long.text.length > SHOWN_LETTERS && <span className="t3"> … copy to see the full value</span>}
        </p>
      );
    case "picture":
      // biome-ignore lint/performance/noImgElement: the picture is in the row and has no address
      return <img className="row-picture" src={long.address} alt={`Value of ${name}`} />;
    case "bytes":
      return (
        <pre className="row-bytes">
          {long.lines}
          {long.isCut && "\n…"}
        </pre>
      );
  }
}

async function copyAndSay(text: string, said: string): Promise<void> {
  if (await copyText(text)) announce(said);
  else showFailure("The browser blocked copying. Select the value and copy it with the keyboard.");
}
