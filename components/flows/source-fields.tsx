"use client";

import Link from "next/link";
import { useId } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import { EntityTable } from "@/components/flows/entity-table";
import type { FlowFieldsProps } from "@/components/flows/form-fields";
import { NamesField } from "@/components/flows/names-field";
import { Pick } from "@/components/flows/pick";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { FieldMessage, FieldProblem, messageIdOf } from "@/components/ui/form-parts";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import type { FlowDraft } from "@/lib/features/flows/browser/flow-form";
import { FLOW_TYPE_WORDS } from "@/lib/features/flows/browser/flow-words";

const TYPES: { value: FlowDraft["type"]; label: string }[] = [
  { value: "sync", label: "Sync tables" },
  { value: "query", label: FLOW_TYPE_WORDS.query },
  { value: "webhook", label: FLOW_TYPE_WORDS.webhook },
];

const QUERY_HELP = "Read-only. Each run executes the whole query.";

/** Form fields for the source of a flow. */
export function SourceFields(props: FlowFieldsProps) {
  const { draft, change, connections, problemOf, isDisabled, isNew } = props;
  const more = useConnections();
  const id = useId();
  const { workspace } = useWorkspace();
  const findType = useFindType();
  // A connection with a query language can run a query; the server checks the rest.
  const usable = connections.filter(({ type, category }) =>
    draft.type === "query" ? findType(type)?.language != null : category === "database" || findType(type) !== null,
  );
  const language = findType(connections.find((each) => each.id === draft.sourceId)?.type)?.language;
  return (
    <section className="flow-part" aria-labelledby={`${id}-from`}>
      <h2 id={`${id}-from`}>Source</h2>
      {isNew && (
        <Segments
          label="Flow type"
          value={draft.type}
          options={TYPES}
          onChange={(type) => change({ type, sourceId: "", entities: [] })}
        />
      )}
      {draft.type === "webhook" ? (
        <Notice kind="info">Receives signed events at an endpoint URL. Save the flow to get its URL and secret.</Notice>
      ) : (
        <Pick
          label="Connection"
          placeholder="Select a connection"
          value={draft.sourceId}
          options={usable.map((each) => ({
            value: each.id,
            label: each.name,
            note: findType(each.type)?.name ?? each.type,
          }))}
          onChange={(sourceId) => change({ sourceId, entities: [] })}
          more={more}
          error={problemOf("sourceId")}
          help={
            usable.length === 0 && (
              <>
                No connection supports this flow type.{" "}
                <Link href={`/w/${workspace.slug}/connections/new`}>Add a connection</Link>
              </>
            )
          }
          isDisabled={isDisabled}
        />
      )}
      {draft.type === "sync" && draft.sourceId !== "" && (
        <div className="field" data-invalid={problemOf("entities") === undefined ? undefined : true}>
          <EntityTable key={draft.sourceId} {...props} />
          <FieldProblem text={problemOf("entities")} />
        </div>
      )}
      {draft.type === "query" && <QueryFields {...props} language={language ?? null} />}
      {draft.type === "sync" && draft.sourceId !== "" && draft.mode === "incremental" && (
        <p className="xs t3">
          A cursor field grows with every change, such as updated_at. Without a primary key, late rows with the same
          cursor value are missed.
        </p>
      )}
    </section>
  );
}

type QueryFieldsProps = FlowFieldsProps & {
  /** Language of the source; null if it is unknown. */
  language: string | null;
};

/** The query of a flow, and the columns that identify a row of its result. */
function QueryFields({ draft, change, problemOf, isDisabled, language }: QueryFieldsProps) {
  const id = useId();
  const problem = problemOf("query");
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Query</label>
        <div className={problem ? "input flow-query err" : "input flow-query"}>
          <textarea
            id={id}
            rows={8}
            value={draft.query}
            disabled={isDisabled}
            spellCheck={false}
            autoCapitalize="none"
            placeholder={language === "mongodb" ? 'db.orders.find({status: "paid"})' : "select ..."}
            aria-invalid={problem ? true : undefined}
            aria-describedby={messageIdOf(id, problem, QUERY_HELP)}
            onChange={({ target }) => change({ query: target.value })}
          />
        </div>
        <FieldMessage id={id} problem={problem} help={QUERY_HELP} />
      </div>
      {draft.write === "upsert" && (
        <NamesField
          label="Primary key"
          value={draft.queryKey}
          onChange={(queryKey) => change({ queryKey })}
          error={problemOf("queryKey")}
          help="Comma-separated columns that identify a row."
          isDisabled={isDisabled}
        />
      )}
    </>
  );
}
