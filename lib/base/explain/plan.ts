import { formatCountOf } from "../values/amounts.ts";
/*
 * The plan of a statement as one tree, for every database. Pure: the browser parses answers with it, and the drivers
 * name the form of their answers.
 */

/** Forms of an engine's answer to EXPLAIN. `text` cannot be parsed and is only displayed. */
export const PLAN_FORMS = ["postgres", "mysql", "sqlite", "duckdb", "clickhouse", "mongodb", "text"] as const;
export type PlanForm = (typeof PLAN_FORMS)[number];

/** A step as the reader of one form finds it. Facts that an engine does not report are null. */
export type Step = {
  name: string;
  /** Table or index of the step; null for none. */
  object: string | null;
  /** Further detail for a line: a condition, a key. */
  about: string | null;
  /** In the engine's unit, including all steps below it. */
  cost: number | null;
  /** Total of all executions. */
  plannedRows: number | null;
  realRows: number | null;
  /** Number of rows that were read and discarded. */
  droppedRows: number | null;
  /** Time without the steps below it. */
  ownMs: number | null;
  /** Whether it scans a table completely. */
  isFullRead: boolean;
  /** Number of executions; null if it was not counted. */
  rounds: number | null;
  /** The engine's output about the step, line by line. */
  lines: string[];
  children: Step[];
};

/** One step, in depth-first order; `from` and `to` are its lines in the text, 0-based, `to` exclusive. */
export type PlanNode = Omit<Step, "children" | "lines"> & {
  id: number;
  parent: number | null;
  depth: number;
  childCount: number;
  ownCost: number | null;
  /** Share of the total time, or else of the total cost, from 0 to 1; null if the engine reports neither. */
  share: number | null;
  /** Factor between actual and planned rows: 1 if they are equal; null if one of the two is unknown. */
  offBy: number | null;
  from: number;
  to: number;
};

export type PlanTree = {
  nodes: PlanNode[];
  text: string;
  /** Whether the statement was executed, so that its times are real. */
  isMeasured: boolean;
  /** Quantity that the bars show. */
  weight: "time" | "cost" | null;
  totalMs: number | null;
  planningMs: number | null;
  /** The step with the largest share; null without shares. */
  slowest: number | null;
  warnings: PlanWarning[];
};

/** A sentence about one step; `lead` is its first part. */
export type PlanWarning = { node: number; lead: string; rest: string };

export type Reading = { steps: Step[]; totalMs: number | null; planningMs: number | null };

/** Number of rows up to which a full scan is fast anyway. */
const MANY_ROWS = 10_000;
/** Factor between planned and actual rows from which the estimate counts as wrong. */
const OFF_BY = 10;
/** Share of the total from which a step is reported. */
const LARGE_SHARE = 0.4;
const WARNINGS_MAX = 5;

export const NO_STEP: Omit<Step, "name"> = {
  object: null,
  about: null,
  cost: null,
  plannedRows: null,
  realRows: null,
  droppedRows: null,
  ownMs: null,
  isFullRead: false,
  rounds: null,
  lines: [],
  children: [],
};

/**
 * Builds the tree with its shares and its warnings.
 * @param tableRows returns the known number of rows of a table, which a plan alone does not contain
 */
export function toPlanTree(
  { steps, totalMs, planningMs }: Reading,
  tableRows: (name: string) => number | null = () => null,
): PlanTree {
  const nodes: PlanNode[] = [];
  const text: string[] = [];
  // An explicit stack: plans may be as deep as the statement is nested.
  const waiting = steps.toReversed().map((step) => ({ step, parent: null as number | null, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { step, parent, depth } = next;
    const { children, lines, ...rest } = step;
    const id = nodes.length;
    const from = text.length;
    const indent = "  ".repeat(depth);
    for (const [at, line] of lines.entries()) {
      text.push(at > 0 ? `${indent}  ${line}` : depth > 0 ? `${indent.slice(2)}-> ${line}` : line);
    }
    const below = children.reduce((sum, child) => sum + (child.cost ?? 0), 0);
    nodes.push({
      ...rest,
      id,
      parent,
      depth,
      childCount: children.length,
      ownCost: step.cost === null ? null : Math.max(0, step.cost - below),
      share: null,
      offBy: offBy(step),
      from,
      to: text.length,
    });
    for (const child of children.toReversed()) waiting.push({ step: child, parent: id, depth: depth + 1 });
  }
  const isMeasured = nodes.some(({ ownMs, realRows }) => ownMs !== null || realRows !== null);
  const weight: PlanTree["weight"] = nodes.some(({ ownMs }) => ownMs)
    ? "time"
    : nodes.some(({ ownCost }) => ownCost)
      ? "cost"
      : null;
  const weightOf = (node: PlanNode) => (weight === "time" ? node.ownMs : weight === "cost" ? node.ownCost : null) ?? 0;
  const sum = nodes.reduce((all, node) => all + weightOf(node), 0);
  let slowest: PlanNode | null = null;
  for (const node of nodes) {
    if (sum > 0) node.share = weightOf(node) / sum;
    if ((node.share ?? 0) > (slowest?.share ?? 0)) slowest = node;
  }
  const tree = { nodes, text: text.join("\n"), isMeasured, weight, totalMs, planningMs };
  return { ...tree, slowest: slowest?.id ?? null, warnings: warn(nodes, slowest, weight, tableRows) };
}

function offBy({ plannedRows, realRows }: Step): number | null {
  if (plannedRows === null || realRows === null) return null;
  // Less than a row counts as a row: an estimate of 0.2 for none is good.
  const [planned, real] = [Math.max(1, plannedRows), Math.max(1, realRows)];
  return Math.max(planned, real) / Math.min(planned, real);
}

function warn(
  nodes: PlanNode[],
  slowest: PlanNode | null,
  weight: PlanTree["weight"],
  tableRows: (name: string) => number | null,
): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const large = nodes.length > 1 && slowest !== null && (slowest.share ?? 0) >= LARGE_SHARE ? slowest : null;
  const byShare = nodes.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0));
  for (const node of byShare) {
    const read = node.isFullRead ? rowsRead(node, tableRows) : null;
    const isLong = read !== null && read.rows >= MANY_ROWS;
    const share = `${Math.round((node.share ?? 0) * 100)}% of the ${weight}`;
    if (isLong && node.object !== null) {
      const lead = node === large ? `${share} is a full scan of ${node.object}.` : `Full scan of ${node.object}.`;
      const rounds = (node.rounds ?? 1) > 1 ? `, in ${count(node.rounds ?? 1)} loops` : "";
      const kept =
        read.kept === null || read.kept >= read.rows
          ? `It reads ${count(read.rows)} rows${rounds}.`
          : `It keeps ${count(read.kept)} of ${count(read.rows)} rows${rounds}.`;
      warnings.push({ node: node.id, lead, rest: kept });
    } else if (node === large) {
      const of = node.object === null ? "" : ` of ${node.object}`;
      const name = node.object !== null && node.name.includes(node.object) ? node.name : `${node.name}${of}`;
      warnings.push({ node: node.id, lead: `${share} is one step: ${name}.`, rest: node.about ?? "" });
    }
    // A wrong estimate spreads to all steps above it: only the first cause is reported.
    const isCause = !nodes.some(({ parent, offBy }) => parent === node.id && (offBy ?? 0) >= OFF_BY);
    if (isCause && node.offBy !== null && node.offBy >= OFF_BY && !isStoppedEarly(nodes, node)) {
      warnings.push({
        node: node.id,
        lead: `${node.name}: ${formatCountOf(Math.round(node.plannedRows ?? 0), "row")} estimated, ${count(node.realRows ?? 0)} actual.`,
        rest: "ANALYZE can help if the statistics of its tables are old.",
      });
    }
  }
  return warnings.slice(0, WARNINGS_MAX);
}

/** Returns whether a step may have fewer rows than planned only because a limit above it had enough. */
function isStoppedEarly(nodes: PlanNode[], { parent, plannedRows, realRows }: PlanNode): boolean {
  if ((realRows ?? 0) >= (plannedRows ?? 0)) return false;
  for (let at = parent; at !== null; at = nodes[at]?.parent ?? null) {
    if (/limit/i.test(nodes[at]?.name ?? "")) return true;
  }
  return false;
}

/** Returns the number of rows that a full scan reads, and the number that it keeps, if reported. */
function rowsRead(
  node: PlanNode,
  tableRows: (name: string) => number | null,
): { rows: number; kept: number | null } | null {
  if (node.realRows !== null) return { rows: node.realRows + (node.droppedRows ?? 0), kept: node.realRows };
  const all = node.object === null ? null : tableRows(node.object);
  if (all !== null) return { rows: all, kept: node.plannedRows };
  return node.plannedRows === null ? null : { rows: node.plannedRows, kept: null };
}

function count(rows: number): string {
  return Math.round(rows).toLocaleString("en-US");
}
