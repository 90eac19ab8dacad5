import { toNumber } from "@/lib/base/charts/amount";
import { type Drawing, px, type Shape } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { cutTo } from "@/lib/base/text/text-width";
import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** More nodes and flows than these cannot be told apart, and each flow is an element that the keyboard reaches. */
export const NODES_MAX = 60;
export const LINKS_MAX = 200;
const NODE_PX = 10;
const GAP_PX = 10;
const NOTE_PX = 18;
const TEXT_PX = 12;
/** Names that are closer than this would overlap. */
const NAME_EVERY_PX = 13;
/** Sweeps that move nodes towards their neighbours; more change nothing that is visible. */
const SWEEPS = 4;

type Node = { name: string; at: number; links: Link[]; back: Link[]; column: number; size: number; y: number };
type Link = { from: Node; to: Node; value: number; row: number; width: number };
type Found = { nodes: Node[]; links: Link[]; notes: string[] };

/** Draws flows between the values of two dimensions. A value that is a source and a target stands between both. */
export function layOutSankey(
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[]; isTruncated?: boolean },
  { width, height }: { width: number; height: number },
  look: CellLook,
): Drawing | null {
  const [source, target, amount] = data.fields;
  if (!source || !target || !amount) return null;
  const formats = readFormats(spec);
  const textOf = (value: CellValue, field: ResultField) => formatValue(value, field, formats[field.name], look);
  const { nodes, links, notes } = findFlows(data.rows, [source, target, amount], textOf);
  if (data.isTruncated) notes.push(`First ${formatCountOf(data.rows.length, "flow")}. Raise the limit to show more.`);
  const room = { width, height: Math.max(1, height - notes.length * NOTE_PX) };
  const columns = place(nodes, links, room.height);
  const step = columns.length > 1 ? (room.width - NODE_PX) / (columns.length - 1) : 0;
  const left = ({ column }: Node) => column * step;
  const shapes: Shape[] = [];
  const words: string[] = [];
  for (const { link, y0, y1 } of toBands(nodes)) {
    const { from, to, row, width: band } = link;
    const [x0, x1] = [left(from) + NODE_PX, left(to)];
    const middle = (x0 + x1) / 2;
    const value = textOf(data.rows[row]?.[amount.name] ?? null, amount);
    const title = `${from.name} to ${to.name}: ${value}`;
    const [top0, top1, end0, end1] = [y0, y1, y0 + band, y1 + band].map(px);
    const [a, m, b] = [x0, middle, x1].map(px);
    const d = `M${a} ${top0}C${m} ${top0} ${m} ${top1} ${b} ${top1}L${b} ${end1}C${m} ${end1} ${m} ${end0} ${a} ${end0}Z`;
    shapes.push({ kind: "path", d, fill: from.at, opacity: 0.32, row, title });
    words.push(title);
  }
  const isLast = ({ column }: Node) => columns.length > 1 && column === columns.length - 1;
  let [named, column] = [0, -1];
  for (const node of columns.flat()) {
    const { size } = node;
    shapes.push({ kind: "rect", x: left(node), y: node.y, width: NODE_PX, height: size, radius: 1, fill: node.at });
    const centre = node.y + size / 2;
    if (node.column === column && centre - named < NAME_EVERY_PX) continue;
    [named, column] = [centre, node.column];
    const text = cutTo(node.name, Math.max(30, step - NODE_PX - 16), TEXT_PX);
    const x = isLast(node) ? left(node) - 6 : left(node) + NODE_PX + 6;
    const y = centre + 4;
    shapes.push({ kind: "label", x, y, text, size: TEXT_PX, ink: "ink", ...(isLast(node) && { anchor: "end" }) });
  }
  for (const [at, note] of notes.entries()) {
    const y = room.height + (at + 1) * NOTE_PX - 4;
    shapes.push({ kind: "label", x: 0, y, text: cutTo(note, width, TEXT_PX), size: TEXT_PX, ink: "faint" });
    words.push(note);
  }
  return { shapes, words };
}

/** Returns the largest flows and their nodes, and notes on what is left out. */
function findFlows(
  rows: readonly ResultRow[],
  [source, target, amount]: readonly [ResultField, ResultField, ResultField],
  textOf: (value: CellValue, field: ResultField) => string,
): Found {
  const given = rows.flatMap((row, index) => {
    const value = toNumber(row[amount.name] ?? null);
    const [from, to] = [row[source.name] ?? null, row[target.name] ?? null];
    return value !== null && value > 0 ? [{ from: textOf(from, source), to: textOf(to, target), value, index }] : [];
  });
  const byName = new Map<string, Node>();
  const nodeOf = (name: string): Node => {
    const known = byName.get(name);
    if (known) return known;
    const node = { name, at: byName.size, links: [], back: [], column: 0, size: 0, y: 0 };
    byName.set(name, node);
    return node;
  };
  const links: Link[] = [];
  let circles = 0;
  let shown = 0;
  for (const { from, to, value, index } of [...given].sort((a, b) => b.value - a.value)) {
    const added = (byName.has(from) ? 0 : 1) + (byName.has(to) || from === to ? 0 : 1);
    if (links.length >= LINKS_MAX || byName.size + added > NODES_MAX) continue;
    shown += 1;
    if (from === to || leadsTo(byName.get(to), byName.get(from))) {
      circles += 1;
      continue;
    }
    const link: Link = { from: nodeOf(from), to: nodeOf(to), value, row: index, width: 0 };
    link.from.links.push(link);
    link.to.back.push(link);
    links.push(link);
  }
  const unfit = rows.length - given.length;
  return {
    nodes: [...byName.values()],
    links,
    notes: [
      ...(unfit > 0 ? [`${formatCountOf(unfit, "flow")} without a positive value`] : []),
      ...(circles > 0 ? [`${formatCountOf(circles, "flow")} back to an earlier value, not drawn`] : []),
      ...(shown < given.length
        ? [`Showing the ${formatCount(shown)} largest of ${formatCount(given.length)} flows`]
        : []),
    ],
  };
}

/** Returns whether flows lead from one node to another. */
function leadsTo(from: Node | undefined, to: Node | undefined): boolean {
  if (!from || !to) return false;
  const seen = new Set([from]);
  for (const node of seen) {
    if (node === to) return true;
    for (const link of node.links) seen.add(link.to);
  }
  return false;
}

/** Places nodes in columns, from sources to targets, and sizes them by the larger of what flows in and out. */
function place(nodes: readonly Node[], links: readonly Link[], height: number): Node[][] {
  for (let n = 1; n < nodes.length; n += 1) {
    let isChanged = false;
    for (const { from, to } of links) {
      if (to.column > from.column) continue;
      to.column = from.column + 1;
      isChanged = true;
    }
    if (!isChanged) break;
  }
  const last = Math.max(0, ...nodes.map(({ column }) => column));
  for (const node of nodes) if (node.links.length === 0) node.column = last;
  const columns = Array.from({ length: last + 1 }, (_, at) => nodes.filter(({ column }) => column === at));
  const totalOf = (all: readonly Link[]) => all.reduce((sum, { value }) => sum + value, 0);
  const amounts = new Map(nodes.map((node) => [node, Math.max(totalOf(node.links), totalOf(node.back))]));
  const gapOf = (column: readonly Node[]) => Math.min(GAP_PX, height / (2 * Math.max(1, column.length)));
  const scale = Math.min(
    ...columns.map((column) => {
      const amount = column.reduce((sum, node) => sum + (amounts.get(node) ?? 0), 0);
      return (height - (column.length - 1) * gapOf(column)) / (amount || 1);
    }),
  );
  for (const node of nodes) node.size = (amounts.get(node) ?? 0) * scale;
  for (const link of links) link.width = link.value * scale;
  for (const column of columns) stack(column, gapOf(column), height);
  for (let n = 0; n < SWEEPS; n += 1) {
    const isForth = n % 2 === 0;
    for (const column of isForth ? columns : [...columns].reverse()) {
      const wanted = new Map(column.map((node) => [node, centreOf(node, isForth ? node.back : node.links, isForth)]));
      column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      stack(column, gapOf(column), height);
    }
  }
  return columns;
}

function stack(column: readonly Node[], gap: number, height: number): void {
  const total = column.reduce((sum, { size }) => sum + size, 0) + (column.length - 1) * gap;
  let y = (height - total) / 2;
  for (const node of column) {
    node.y = y;
    y += node.size + gap;
  }
}

/** Returns the mean place of a node's neighbours, or its own without any. */
function centreOf(node: Node, links: readonly Link[], isBack: boolean): number {
  const sum = links.reduce((all, { value }) => all + value, 0);
  if (sum === 0) return node.y + node.size / 2;
  const middle = (each: Node) => each.y + each.size / 2;
  return links.reduce((all, { from, to, value }) => all + middle(isBack ? from : to) * value, 0) / sum;
}

/** Returns the place of each flow at both of its nodes, in the order of the nodes at their other ends. */
function toBands(nodes: readonly Node[]): { link: Link; y0: number; y1: number }[] {
  const starts = new Map<Link, number>();
  const ends = new Map<Link, number>();
  for (const node of nodes) {
    let y = node.y;
    for (const link of [...node.links].sort((a, b) => a.to.y - b.to.y)) {
      starts.set(link, y);
      y += link.width;
    }
    y = node.y;
    for (const link of [...node.back].sort((a, b) => a.from.y - b.from.y)) {
      ends.set(link, y);
      y += link.width;
    }
  }
  return [...starts].map(([link, y0]) => ({ link, y0, y1: ends.get(link) ?? 0 }));
}
