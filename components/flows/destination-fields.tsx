"use client";

import Link from "next/link";
import { useId } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import type { FlowFieldsProps } from "@/components/flows/form-fields";
import { Pick } from "@/components/flows/pick";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { ChoiceGroup } from "@/components/ui/choice-group";
import { TextField } from "@/components/ui/text-field";

/** Form fields for the destination of a flow, the read mode and the write mode. */
export function DestinationFields({ draft, change, connections, problemOf, isDisabled }: FlowFieldsProps) {
  const id = useId();
  const { workspace } = useWorkspace();
  const findType = useFindType();
  const more = useConnections();
  const databases = connections.filter(({ category }) => category === "database");
  const isWebhook = draft.type === "webhook";
  const isOneTable = draft.type !== "sync" || draft.entities.length <= 1;
  const mayWrite = databases.some(({ readOnly }) => !readOnly);
  return (
    <section className="flow-part" aria-labelledby={`${id}-to`}>
      <h2 id={`${id}-to`}>Destination</h2>
      <div className="flow-two">
        <Pick
          label="Connection"
          placeholder="Select a database"
          value={draft.destinationId}
          options={databases.map((each) => ({
            value: each.id,
            label: each.name,
            note: each.readOnly ? "read-only" : (findType(each.type)?.name ?? each.type),
            isDisabled: each.readOnly,
          }))}
          onChange={(destinationId) => change({ destinationId })}
          more={more}
          error={problemOf("destinationId")}
          help={
            !mayWrite && (
              <>
                No connection allows writes. Allow writes in a connection's settings, or{" "}
                <Link href={`/w/${workspace.slug}/connections/new`}>add a connection</Link>.
              </>
            )
          }
          isDisabled={isDisabled}
        />
        <TextField
          label="Schema"
          value={draft.schema}
          onChange={({ target }) => change({ schema: target.value })}
          error={problemOf("schema")}
          placeholder="Connection default"
          disabled={isDisabled}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          isDense
        />
      </div>
      {isOneTable && (
        <TextField
          label="Table"
          value={draft.table}
          onChange={({ target }) => change({ table: target.value })}
          error={problemOf("table")}
          placeholder={draft.type === "sync" ? "Same as the source table" : "Same as the flow name"}
          help="Created if missing; new columns are added."
          disabled={isDisabled}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          isDense
        />
      )}
      <div className="flow-two even">
        {draft.type === "sync" && (
          <ChoiceGroup
            label="Sync mode"
            value={draft.mode}
            onChange={(mode) => change({ mode })}
            error={problemOf("mode")}
            isDisabled={isDisabled}
            options={[
              { value: "full", label: "Full refresh", help: "Reads every row, each run" },
              { value: "incremental", label: "Incremental", help: "Reads new and changed rows" },
            ]}
          />
        )}
        <ChoiceGroup
          label="Write mode"
          value={draft.write}
          onChange={(write) => change({ write })}
          error={problemOf("write")}
          isDisabled={isDisabled}
          options={[
            ...(isWebhook
              ? []
              : [
                  {
                    value: "replace" as const,
                    label: "Replace",
                    help: draft.mode === "incremental" ? "Full refresh only" : "Replaces the table on each run",
                    isDisabled: draft.mode === "incremental",
                  },
                ]),
            {
              value: "upsert",
              label: "Upsert",
              help: isWebhook ? "Matches on event ID" : "Matches on primary key",
            },
            {
              value: "append",
              label: "Append",
              help: isWebhook ? "One row per event" : "Keeps every version of a row",
            },
          ]}
        />
      </div>
    </section>
  );
}
