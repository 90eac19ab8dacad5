"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { PlanNode, PlanTree as Tree } from "@/lib/base/explain/plan";
import { formatCount, formatDuration } from "@/lib/platform/browser/format";

/** Ratio from which a row shows how far its estimate was off. */
const OFF_BY_SHOWN = 3;
/** Maximum number of levels to indent. */
const INDENT_LEVELS_MAX = 14;

type PlanTreeProps = { tree: Tree; at: number; onMove: (id: number) => void };

/**
 * Tree of a plan's steps, with a bar for the time or cost of each step without its children. Only the highest has
 * another colour.
 */
export function PlanTree({ tree, at, onMove }: PlanTreeProps) {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const isByKey = useRef(false);
  const rows = visibleRows(tree.nodes, folded);
  const place = rows.findIndex(({ id }) => id === at);
  const hasCost = tree.nodes.some(({ cost }) => cost !== null);
  const hasRows = tree.nodes.some(({ plannedRows, realRows }) => plannedRows !== null || realRows !== null);
  const most = tree.slowest === null ? 0 : (tree.nodes[tree.slowest]?.share ?? 0);

  useEffect(() => {
    const row = bodyRef.current?.querySelector<HTMLElement>(`[data-step="${at}"]`);
    row?.scrollIntoView({ block: "nearest" });
    if (isByKey.current) row?.focus();
    isByKey.current = false;
  }, [at]);

  const fold = (id: number, isFolded: boolean) => {
    const next = new Set(folded);
    if (isFolded) next.add(id);
    else next.delete(id);
    setFolded(next);
  };
  const go = (id: number | null | undefined) => {
    if (id === null || id === undefined || id === at) return;
    isByKey.current = true;
    onMove(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = rows[place];
    if (!node) return;
    if (event.key === "ArrowDown") go(rows[place + 1]?.id);
    else if (event.key === "ArrowUp") go(rows[place - 1]?.id);
    else if (event.key === "Home") go(rows[0]?.id);
    else if (event.key === "End") go(rows.at(-1)?.id);
    else if (event.key === "ArrowRight" && folded.has(node.id)) fold(node.id, false);
    else if (event.key === "ArrowRight") go(node.childCount > 0 ? rows[place + 1]?.id : null);
    else if (event.key === "ArrowLeft" && node.childCount > 0 && !folded.has(node.id)) fold(node.id, true);
    else if (event.key === "ArrowLeft") go(node.parent);
    else return;
    event.preventDefault();
  };

  return (
    <div className="plan-tree">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows are a tree is a treegrid */}
      <table className="plan" role="treegrid" aria-label="Plan steps" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <th>Step</th>
            {tree.weight !== null && <th className="plan-bar">{tree.weight === "time" ? "Self time" : "Self cost"}</th>}
            {tree.weight !== null && <th className="r plan-own">{tree.weight === "time" ? "ms" : "Cost"}</th>}
            {hasRows && <th className="r plan-rows">Rows</th>}
            {hasCost && tree.weight === "time" && <th className="r plan-cost">Cost</th>}
          </tr>
        </thead>
        <tbody ref={bodyRef}>
          {rows.map((node) => (
            <tr
              key={node.id}
              data-step={node.id}
              aria-level={node.depth + 1}
              aria-selected={node.id === at}
              aria-expanded={node.childCount > 0 ? !folded.has(node.id) : undefined}
              tabIndex={node.id === at ? 0 : -1}
              className={node.id === at ? "on" : undefined}
              onClick={() => onMove(node.id)}
            >
              <td>
                <Step node={node} isFolded={folded.has(node.id)} onFold={(isFolded) => fold(node.id, isFolded)} />
              </td>
              {tree.weight !== null && (
                <td className="plan-bar">
                  <span className="plan-line" aria-hidden="true">
                    <i
                      className={node.id === tree.slowest ? "hot" : undefined}
                      style={{ width: `${most > 0 ? ((node.share ?? 0) / most) * 100 : 0}%` }}
                    />
                  </span>
                </td>
              )}
              {tree.weight !== null && (
                <td className="r b5 plan-own">
                  {tree.weight === "time" ? toMs(node.ownMs) : toCost(node.ownCost)}
                  {node.id === tree.slowest && <span className="sr-only">, the slowest step</span>}
                </td>
              )}
              {hasRows && (
                <td className="r plan-rows">
                  <Rows node={node} isMeasured={tree.isMeasured} />
                </td>
              )}
              {hasCost && tree.weight === "time" && <td className="r t2 plan-cost">{toCost(node.cost)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type StepProps = { node: PlanNode; isFolded: boolean; onFold: (isFolded: boolean) => void };

/** Name of a step, indented by its level, with a button that folds its children. */
function Step({ node, isFolded, onFold }: StepProps) {
  return (
    <div className="plan-step" style={{ "--level": Math.min(node.depth, INDENT_LEVELS_MAX) } as CSSProperties}>
      {node.childCount > 0 ? (
        <button
          type="button"
          className="plan-fold"
          tabIndex={-1}
          aria-label={isFolded ? `Expand ${node.name}` : `Collapse ${node.name}`}
          onClick={(event) => {
            event.stopPropagation();
            onFold(!isFolded);
          }}
        >
          {isFolded ? <ChevronRight className="s" /> : <ChevronDown className="s" />}
        </button>
      ) : (
        <span className="plan-fold" />
      )}
      <div className="plan-words">
        <div className="b5 trunc" title={node.name}>
          {node.name}
        </div>
        {node.about !== null && (
          <div className="xxs t3 trunc" title={node.about}>
            {node.about}
          </div>
        )}
      </div>
    </div>
  );
}

function Rows({ node, isMeasured }: { node: PlanNode; isMeasured: boolean }) {
  const { plannedRows, realRows, offBy } = node;
  if (!isMeasured) return plannedRows === null ? null : formatCount(Math.round(plannedRows));
  const isOff = offBy !== null && offBy >= OFF_BY_SHOWN;
  return (
    <>
      {realRows === null ? "-" : formatCount(Math.round(realRows))}
      {plannedRows !== null && (
        <div className={isOff ? "xxs plan-off" : "xxs t3"}>
          <span className="plan-word">planned </span>
          {formatCount(Math.round(plannedRows))}
          {isOff && `, ${formatCount(Math.round(offBy))}x`}
        </div>
      )}
    </>
  );
}

function toMs(ms: number | null): string {
  if (ms === null) return "";
  return ms < 100 ? `${ms.toFixed(ms < 10 ? 2 : 1)} ms` : formatDuration(ms);
}

function toCost(cost: number | null): string {
  if (cost === null) return "";
  return cost < 100 ? cost.toFixed(1) : formatCount(Math.round(cost));
}

/** Returns the rows that are not below a folded one. */
function visibleRows(nodes: PlanNode[], folded: ReadonlySet<number>): PlanNode[] {
  const hidden = new Set<number>();
  return nodes.filter(({ id, parent }) => {
    const isHidden = parent !== null && (folded.has(parent) || hidden.has(parent));
    if (isHidden) hidden.add(id);
    return !isHidden;
  });
}
