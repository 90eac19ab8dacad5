"use client";

import { type FormEvent, useState } from "react";
import { useFlowActions } from "@/components/flows/use-flow-actions";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import type { Flow } from "@/lib/features/flows/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

const FORM = "backfill-form";
const WAYS = [
  { value: "all", label: "From the start" },
  { value: "from", label: "From a value" },
] as const;

/** Form for a backfill: reads everything again, or everything from a value of the cursor fields on. */
export function Backfill({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { backfill } = useFlowActions(flow);
  const [way, setWay] = useState<"all" | "from">("all");
  const [from, setFrom] = useState("");
  const [isEmpty, setIsEmpty] = useState(false);
  const entities = flow.source !== null && "entities" in flow.source ? flow.source.entities : [];
  const { write } = flow.destination;
  const hasCursors = entities.length > 0 && entities.every(({ cursorField }) => cursorField !== undefined);
  const mayBegin = hasCursors && write !== "replace";
  const problems = backfill.error instanceof ApiError ? backfill.error.problems : [];
  const atField = problems.find(({ path }) => path === "from")?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (way === "from" && from.trim() === "") return setIsEmpty(true);
    backfill.mutate(way === "all" ? { mode: "full" } : { mode: "incremental", from: toValue(from.trim()) });
  };
  return (
    <Modal
      title={`Backfill ${flow.name}`}
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            Close
          </button>
          <button type="submit" form={FORM} className="btn run" disabled={backfill.isPending}>
            Run backfill
          </button>
        </>
      }
    >
      <form id={FORM} className="confirm" onSubmit={submit} noValidate>
        {backfill.isError && atField === undefined && (
          <Notice kind="bad" role="alert">
            {toMessage(backfill.error)}
          </Notice>
        )}
        <p>Reads rows again, once. The schedule does not change.</p>
        {mayBegin && <Segments label="Range" value={way} options={WAYS} onChange={setWay} />}
        {way === "from" && (
          <TextField
            label="From"
            value={from}
            onChange={({ target }) => {
              setFrom(target.value);
              setIsEmpty(false);
            }}
            error={isEmpty ? "Enter a start value." : atField}
            help={`A value for ${[...new Set(entities.map(({ cursorField }) => cursorField))].join(", ")}. A number or a date such as 2026-01-31.`}
            autoComplete="off"
            spellCheck={false}
            isDense
          />
        )}
        {write === "append" && <Notice kind="warn">This flow appends. Rows read again will be duplicated.</Notice>}
        {write === "upsert" && <Notice kind="info">Existing rows are updated, not duplicated.</Notice>}
      </form>
    </Modal>
  );
}

/** Returns a number if it is exact; digits that do not fit a number stay text. */
function toValue(text: string): string | number {
  const number = Number(text);
  return String(number) === text && Number.isFinite(number) ? number : text;
}
