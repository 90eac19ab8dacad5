/*
 * The plan of a statement as one tree, whatever database has explained it. Pure: the browser reads answers with it, and
 * the drivers name the form of theirs.
 */

/** How an engine answers to its EXPLAIN. `text` is what nobody reads but people. */
export const PLAN_FORMS = ["postgres", "mysql", "sqlite", "duckdb", "clickhouse", "mongodb", "text"] as const;
export type PlanForm = (typeof PLAN_FORMS)[number];

/** A step as a reader of one form finds it. What an engine does not tell is null. */
export type Step = {
  name: string;
  /** The table or index that it is about; null for none. */
  object: string | null;
  /** What more is to be said in a line: a condition, a key. */
  about: string | null;
  /** In the engine's own unit, with all the steps below it. */
  cost: number | null;
  /** Over all of its rounds. */
  plannedRows: number | null;
  realRows: number | null;
  /** Rows that were read and not kept. */
  droppedRows: number | null;
  /** Without the steps below it. */
  ownMs: number | null;
  /** It reads a table from its beginning to its end. */
  isFullRead: boolean;
  /** How often it was carried out; null when it was not counted. */
  rounds: number | null;
  /** What the engine writes of it, line by line. */
  lines: string[];
  children: Step[];
};

/** One step, in the order in which a tree is read; `from` and `to` are its lines in the text, 0-based, `to` exclusive. */
export type PlanNode = Omit<Step, "children" | "lines"> & {
  id: number;
  parent: number | null;
  depth: number;
  childCount: number;
  ownCost: number | null;
  /** Of all time or else of all cost, from 0 to 1; null where the engine tells of neither. */
  share: number | null;
  /** How many times more or fewer rows came than were planned: 1 for as many; null when one of the two is not known. */
  offBy: number | null;
  from: number;
  to: number;
};

export type PlanTree = {
  nodes: PlanNode[];
  text: string;
  /** It was carried out, and its times are real. */
  isMeasured: boolean;
  /** What the bars stand for. */
  weight: "time" | "cost" | null;
  totalMs: number | null;
  planningMs: number | null;
  /** The step with the largest share; null where there are no shares. */
  slowest: number | null;
  warnings: PlanWarning[];
};

/** A sentence about one step; `lead` is what it says first. */
export type PlanWarning = { node: number; lead: string; rest: string };

export type Reading = { steps: Step[]; totalMs: number | null; planningMs: number | null };

/** A table that is read whole for fewer rows than this is read quickly either way. */
const MANY_ROWS = 10_000;
/** Off by this much, a plan was made for other data. */
const OFF_BY = 10;
/** One step that takes this much of it all is what to look at. */
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
 * The tree with its shares and its warnings.
 * @param tableRows how many rows a table has, as far as it is known: what a plan alone does not say
 */
export function toPlanTree(
  { steps, totalMs, planningMs }: Reading,
  tableRows: (name: string) => number | null = () => null,
): PlanTree {
  const nodes: PlanNode[] = [];
  const text: string[] = [];
  // Own stack: plans may be as deep as the statement is nested.
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
  // Less than a row is a row: an estimate of 0.2 for none is a good one.
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
      const lead =
        node === large ? `${share} is one full read of ${node.object}.` : `${node.object} is read from end to end.`;
      const rounds = (node.rounds ?? 1) > 1 ? `, in ${count(node.rounds ?? 1)} rounds` : "";
      const kept =
        read.kept === null || read.kept >= read.rows
          ? `It reads ${count(read.rows)} rows${rounds}.`
          : `It keeps ${count(read.kept)} of ${count(read.rows)} rows${rounds}. An index on what its condition compares would read those alone.`;
      warnings.push({ node: node.id, lead, rest: kept });
    } else if (node === large) {
      const of = node.object === null ? "" : ` of ${node.object}`;
      const name = node.object !== null && node.name.includes(node.object) ? node.name : `${node.name}${of}`;
      warnings.push({ node: node.id, lead: `${share} is one step: ${name}.`, rest: node.about ?? "" });
    }
    // Above a step that was estimated wrong all others are: the first cause is what to look at.
    const isCause = !nodes.some(({ parent, offBy }) => parent === node.id && (offBy ?? 0) >= OFF_BY);
    if (isCause && node.offBy !== null && node.offBy >= OFF_BY) {
      warnings.push({
        node: node.id,
        lead: `${node.name}: ${count(node.plannedRows ?? 0)} rows were planned and ${count(node.realRows ?? 0)} came.`,
        rest: "The plan was made for other data. Let the database gather its statistics anew.",
      });
    }
  }
  return warnings.slice(0, WARNINGS_MAX);
}

/** How many rows a full read goes through, and how many of them it keeps, as far as that is told. */
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
