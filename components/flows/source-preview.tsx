"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowRight, CircleCheck, Eye, KeyRound } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { RowsTable } from "@/components/ui/rows-table";
import { Select } from "@/components/ui/select";
import { useConnectivity } from "@/components/ui/use-browser";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { FlowDraft } from "@/lib/features/flows/browser/flow-form";
import type { FlowPreview, PreviewBody } from "@/lib/features/flows/schema";
import { formatCount, formatCountOf, formatDuration } from "@/lib/platform/browser/format";

/** Maximum number of columns of the first rows; the mapping above them names all. */
const COLUMNS_MAX = 12;

/** Preview of a flow's source: its columns with their resulting types, and its first rows. */
export function SourcePreview({ draft }: { draft: FlowDraft }) {
  const { workspace } = useWorkspace();
  const { isOnline } = useConnectivity();
  const [looked, setLooked] = useState("");
  /** Query that was submitted: typing does not run it. */
  const [asked, setAsked] = useState<{ sourceId: string; query: string } | null>(null);
  const entities = draft.entities.map((entity) => ({ ...entity, key: `${entity.schema ?? ""}/${entity.name}` }));
  const entity = entities.find(({ key }) => key === looked) ?? entities[0];
  const isAsked = asked?.sourceId === draft.sourceId && asked.query === draft.query;
  const body: PreviewBody | null =
    draft.type === "sync" && entity
      ? {
          connectionId: draft.sourceId,
          entity: { name: entity.name, ...(entity.schema !== undefined && { schema: entity.schema }) },
        }
      : draft.type === "query" && isAsked
        ? { connectionId: draft.sourceId, query: draft.query }
        : null;
  const preview = useQuery({
    queryKey: ["flow-preview", workspace.id, body],
    queryFn: ({ signal }) => flowsApi.preview(workspace.id, body as PreviewBody, signal),
    enabled: body !== null,
  });
  if (draft.type === "webhook") return <WebhookColumns />;
  const keys = new Set(draft.type === "sync" ? entity?.primaryKey : draft.queryKey);
  return (
    <>
      <section className="card preview" aria-labelledby="mapping">
        <div className="row preview-head">
          <h2 id="mapping">Mapping</h2>
          <span className="grow" />
          {draft.type === "sync" && entities.length > 1 && entity && (
            <div className="preview-pick">
              <Select
                label="Table"
                size="sm"
                value={entity.key}
                options={entities.map(({ key, name }) => ({ value: key, label: name }))}
                onChange={setLooked}
              />
            </div>
          )}
          {draft.type === "query" && (
            <button
              type="button"
              className="btn sm"
              disabled={!isOnline || draft.sourceId === "" || draft.query.trim() === ""}
              onClick={() =>
                isAsked ? void preview.refetch() : setAsked({ sourceId: draft.sourceId, query: draft.query })
              }
            >
              <Eye className="s" />
              Preview rows
            </button>
          )}
        </div>
        {body === null ? (
          <p className="xs t3 preview-none">
            {draft.type === "query" ? "Preview rows to see the columns." : "Select a table to see its columns."}
          </p>
        ) : preview.isPending ? (
          <div className="preview-none">
            <ListSkeleton label="Loading preview" rowPx={28} />
          </div>
        ) : preview.isError ? (
          <div className="preview-none">
            <LoadFailure error={preview.error} onRetry={() => preview.refetch()} />
          </div>
        ) : (
          <Mapping preview={preview.data} keys={keys} />
        )}
      </section>
      {body !== null && preview.isSuccess && <FirstRows preview={preview.data} />}
    </>
  );
}

function Mapping({ preview: { fields }, keys }: { preview: FlowPreview; keys: ReadonlySet<string> }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
      <section className="preview-scroll" tabIndex={0} aria-label="Columns">
        <table className="map" aria-label="Columns and their types">
          <thead className="sr-only">
            <tr>
              <th>Source</th>
              <th>Destination type</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, type, dbType }) => (
              <tr key={name}>
                <td>
                  <span className="mono">{name}</span> <span className="mono map-type">{dbType}</span>
                </td>
                <td>
                  <ArrowRight className="xs t3" aria-hidden="true" /> <span className="mono">{name}</span>{" "}
                  <span className="mono map-type">{type}</span>
                  {keys.has(name) && (
                    <span className="map-key" title="Part of the primary key">
                      <KeyRound className="xs" aria-label="key" />
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="xs t3 preview-foot">
        {formatCountOf(fields.length, "column")}. Names are kept; types map to the nearest destination type.
      </p>
    </>
  );
}

function FirstRows({ preview: { fields, rows, durationMs } }: { preview: FlowPreview }) {
  const shown = fields.slice(0, COLUMNS_MAX);
  return (
    <section className="card preview" aria-labelledby="first-rows">
      <div className="row preview-head">
        <h2 id="first-rows">First rows</h2>
        <span className="grow" />
        <span className="st ok">
          <CircleCheck className="s" />
          Read in {formatDuration(durationMs)}
        </span>
      </div>
      {rows.length === 0 ? (
        <p className="xs t3 preview-none">No rows yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
        <section className="preview-scroll" tabIndex={0} aria-label="Source rows">
          <RowsTable label="First rows of the source" fields={shown} rows={rows} />
        </section>
      )}
      {shown.length < fields.length && (
        <p className="xs t3 preview-foot">
          Showing {formatCount(shown.length)} of {formatCount(fields.length)} columns.
        </p>
      )}
    </section>
  );
}

/** Columns of webhook events (docs/develop/flows.md, Webhooks). */
const EVENT_COLUMNS = [
  { name: "event_id", says: "The sender's ID, or a generated one" },
  { name: "received_at", says: "Time received" },
  { name: "payload", says: "JSON body" },
];

function WebhookColumns() {
  return (
    <section className="card preview" aria-labelledby="mapping">
      <div className="row preview-head">
        <h2 id="mapping">One row per event</h2>
      </div>
      <table className="map" aria-label="Event columns">
        <tbody>
          {EVENT_COLUMNS.map(({ name, says }) => (
            <tr key={name}>
              <td className="mono">{name}</td>
              <td className="t2">{says}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
