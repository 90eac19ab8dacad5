"use client";

import { CircleCheck, CircleX, Database, Shuffle, Square, Table2, Waves, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { TypeIcon } from "@/components/connections/type-icon";
import { RunBar } from "@/components/runs/run-bar";
import { useConnectionName, useFindConnection } from "@/components/schema/use-schema";
import { isGoing, toShareOf } from "@/lib/features/flows/browser/flow-words";
import type { FlowDetail, FlowRun } from "@/lib/features/flows/schema";
import type { EntityProgress } from "@/lib/features/runs/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

/** Maximum number of nodes in the graph; the rest are listed below it. */
const NODES_MAX = 4;
/** Height of a node with the gap below it, in px, as in the styles. */
const STEP_PX = 68;

type State = "waiting" | "running" | "done" | "failed" | "stopped";
type Entity = { name: string; state: State; progress: EntityProgress | null };

const WRITTEN: Record<FlowDetail["destination"]["write"], string> = {
  append: "appended",
  replace: "replaced",
  upsert: "upserted",
};

/** Graph of the rows' path from left to right: source, entities, types and destination. */
export function RunGraph({ flow, run }: { flow: FlowDetail; run: FlowRun }) {
  const find = useFindConnection();
  const isOn = isGoing(run);
  const entities = toEntities(flow, run);
  const { nodes, others } = choose(entities);
  const states = [...nodes.map(({ state }) => state), ...(others.length > 0 ? [sumUp(others)] : [])];
  const whole: State = isOn
    ? run.status === "running"
      ? "running"
      : "waiting"
    : run.status === "success"
      ? "done"
      : "stopped";
  const counts = run.counts ?? { read: 0, written: 0, skipped: 0, failed: 0 };
  const nameOf = useConnectionName();
  const iconOf = (connectionId: string) => {
    const connection = find(connectionId);
    return connection ? <TypeIcon type={connection.type} /> : <Database />;
  };
  const { source, destination } = flow;
  return (
    <>
      <div className="graph" style={{ minHeight: states.length * STEP_PX + 24 }}>
        <div className="graph-col">
          <Node
            icon={source === null ? <Webhook /> : iconOf(source.connectionId)}
            name={source === null ? "Events" : nameOf(source.connectionId)}
            state={whole}
            isEnd
          >
            {formatCountOf(counts.read, "row")} read
          </Node>
        </div>
        <Edges states={states} isFan />
        <ul className="graph-col" aria-label="Tables">
          {nodes.map((entity) => (
            <EntityNode key={entity.name} entity={entity} />
          ))}
          {others.length > 0 && (
            <li className="graph-item">
              <Node icon={<Table2 />} name={`${formatCount(others.length)} more`} state={sumUp(others)} isEnd>
                {toOthersWords(others)}
              </Node>
            </li>
          )}
        </ul>
        <Edges states={states} />
        <div className="graph-col">
          <Node icon={<Shuffle />} name="Map types" state={whole} isEnd>
            {counts.failed === 0 ? "none rejected" : `${formatCountOf(counts.failed, "row")} rejected`}
          </Node>
        </div>
        <Edges states={[whole]} />
        <div className="graph-col">
          <Node icon={iconOf(destination.connectionId)} name={nameOf(destination.connectionId)} state={whole} isEnd>
            {formatCountOf(counts.written, "row")} {WRITTEN[destination.write]}
          </Node>
        </div>
      </div>
      {others.length > 0 && <AllEntities entities={entities} />}
    </>
  );
}

/** Puts running and failed entities first; the rest keep their order. */
function choose(entities: Entity[]): { nodes: Entity[]; others: Entity[] } {
  if (entities.length <= NODES_MAX) return { nodes: entities, others: [] };
  const isFirst = ({ state }: Entity) => state === "running" || state === "failed";
  const ordered = [...entities.filter(isFirst), ...entities.filter((entity) => !isFirst(entity))];
  return { nodes: ordered.slice(0, NODES_MAX - 1), others: ordered.slice(NODES_MAX - 1) };
}

/** Returns the state of several entities: the worst one. If some are done and others wait, the state is running. */
function sumUp(entities: Entity[]): State {
  const states = new Set(entities.map(({ state }) => state));
  if (states.has("done") && states.has("waiting") && !states.has("failed")) return "running";
  for (const state of ["failed", "running", "stopped", "waiting"] as const) if (states.has(state)) return state;
  return "done";
}

function toOthersWords(others: Entity[]): string {
  const done = others.filter(({ state }) => state === "done").length;
  const rows = others.reduce((sum, { progress }) => sum + (progress?.counts.written ?? 0), 0);
  const written = `${formatCount(rows)} written`;
  return done === others.length ? written : `${done} done, ${written}`;
}

/** Returns the entities of a run. A queued run does not have them yet, so they come from the flow. */
function toEntities(flow: FlowDetail, run: FlowRun): Entity[] {
  if (run.entities.length > 0) {
    return run.entities.map((progress) => ({
      name: progress.name,
      state: progress.status === "cancelled" ? "stopped" : progress.status,
      progress,
    }));
  }
  const names =
    flow.source !== null && "entities" in flow.source
      ? flow.source.entities.map(({ name }) => name)
      : [flow.destination.table ?? flow.name];
  const state = run.status === "queued" || run.status === "running" ? "waiting" : "stopped";
  return [...new Set(names)].map((name) => ({ name, state, progress: null }));
}

function EntityNode({ entity: { name, state, progress } }: { entity: Entity }) {
  return (
    <li className="graph-item">
      <Node icon={<Table2 />} name={name} state={state}>
        {toProgressWords(state, progress)}
        {state === "running" && progress && (
          <RunBar label={progress.name} share={toShareOf(progress)} read={progress.counts.read} />
        )}
      </Node>
    </li>
  );
}

function toProgressWords(state: State, progress: EntityProgress | null): string {
  if (!progress || state === "waiting") return state === "waiting" ? "waiting" : "not read";
  const { counts, total } = progress;
  if (state === "running" && total !== null && total > 0) {
    return `${formatCount(counts.read)} of about ${formatCount(total)}`;
  }
  const refused = counts.failed > 0 ? `, ${formatCount(counts.failed)} rejected` : "";
  return `${formatCount(counts.written)} written${refused}`;
}

const SIGNS: Record<State, { className: string; icon: ReactNode; label: string } | null> = {
  waiting: null,
  running: { className: "st run", icon: <Waves className="s" />, label: "Running" },
  done: { className: "st ok", icon: <CircleCheck className="s" />, label: "Succeeded" },
  failed: { className: "st bad", icon: <CircleX className="s" />, label: "Failed" },
  stopped: { className: "st wait", icon: <Square className="s" />, label: "Stopped" },
};

type NodeProps = { icon: ReactNode; name: string; state: State; isEnd?: boolean; children: ReactNode };

/** @param isEnd true at the ends of the graph, whose state the strip shows */
function Node({ icon, name, state, isEnd = false, children }: NodeProps) {
  const sign = isEnd ? null : SIGNS[state];
  return (
    <div className={`graph-node ${state}`}>
      <div className="row graph-name">
        {icon}
        <b className="b6 trunc" title={name}>
          {name}
        </b>
        <span className="grow" />
        {sign && (
          <span className={sign.className} role="img" aria-label={sign.label}>
            {sign.icon}
          </span>
        )}
      </div>
      <div className="xs t3 num graph-facts">{children}</div>
    </div>
  );
}

/** Lines between one node and several: a fan that opens, or one that closes. */
function Edges({ states, isFan = false }: { states: State[]; isFan?: boolean }) {
  const height = states.length * STEP_PX;
  const middle = height / 2;
  return (
    <svg
      className="graph-edges"
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      style={{ height }}
      aria-hidden="true"
    >
      {states.map((state, index) => {
        const y = (index + 0.5) * STEP_PX;
        const [start, end] = isFan ? [middle, y] : [y, middle];
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no more than its place
        return <path key={index} className={state} d={`M0,${start} C50,${start} 50,${end} 100,${end}`} />;
      })}
    </svg>
  );
}

function AllEntities({ entities }: { entities: Entity[] }) {
  return (
    <details className="graph-all">
      <summary>All {formatCount(entities.length)}</summary>
      <ul aria-label="All tables">
        {entities.map(({ name, state, progress }) => {
          const sign = SIGNS[state];
          return (
            <li key={name} className="row">
              <span className={sign?.className ?? "st wait"}>{sign?.icon}</span>
              <span className="trunc graph-all-name">{name}</span>
              <span className="xs t3 num">{toProgressWords(state, progress)}</span>
              {state === "running" && progress && (
                <RunBar label={progress.name} share={toShareOf(progress)} read={progress.counts.read} />
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
