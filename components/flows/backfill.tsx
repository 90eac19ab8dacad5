"use client";

import { useFlowActions } from "@/components/flows/use-flow-actions";
import { FormModal } from "@/components/ui/form-modal";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import type { Flow } from "@/lib/features/flows/schema";

const WAYS = [
  { value: "all", label: "From the start" },
  { value: "from", label: "From a value" },
] as const;

type Fields = { way: "all" | "from"; from: string };

/** Form for a backfill: reads everything again, or everything from a value of the cursor fields on. */
export function Backfill({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { backfill } = useFlowActions(flow);
  const server = useServerForm<Fields>({
    initial: { way: "all", from: "" },
    fields: ["from"],
    check: ({ way, from }) => (way === "from" && from.trim() === "" ? { from: "Enter a start value." } : {}),
    send: ({ way, from }) =>
      backfill.mutateAsync(way === "all" ? { mode: "full" } : { mode: "incremental", from: toValue(from.trim()) }),
  });
  const { text, control } = server;
  const way = control("way");
  const entities = flow.source !== null && "entities" in flow.source ? flow.source.entities : [];
  const { write } = flow.destination;
  const hasCursors = entities.length > 0 && entities.every(({ cursorField }) => cursorField !== undefined);
  const mayBegin = hasCursors && write !== "replace";
  return (
    <FormModal
      title={`Backfill ${flow.name}`}
      server={server}
      action="Run backfill"
      cancel="Close"
      className="confirm"
      buttonClass="btn run"
      onClose={onClose}
    >
      <p>Reads rows again, once. The schedule does not change.</p>
      {mayBegin && <Segments label="Range" {...way} options={WAYS} />}
      {way.value === "from" && (
        <TextField
          label="From"
          {...text("from")}
          help={`A value for ${[...new Set(entities.map(({ cursorField }) => cursorField))].join(", ")}. A number or a date such as 2026-01-31.`}
          autoComplete="off"
          spellCheck={false}
          isDense
        />
      )}
      {write === "append" && <Notice kind="warn">This flow appends. Rows read again will be duplicated.</Notice>}
      {write === "upsert" && <Notice kind="info">Existing rows are updated, not duplicated.</Notice>}
    </FormModal>
  );
}

/** Returns a number if it is exact; digits that do not fit a number stay text. */
function toValue(text: string): string | number {
  const number = Number(text);
  return String(number) === text && Number.isFinite(number) ? number : text;
}
