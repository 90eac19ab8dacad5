"use client";

import { CircleX, Copy, GitCompare, MessageSquare, TriangleAlert, Waves, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDialect } from "@/components/connections/use-connection-types";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Plan } from "@/components/results/explain-store";
import { PlanTree } from "@/components/results/plan-tree";
import { useEarlierPlan } from "@/components/results/use-earlier-plan";
import { useEntities } from "@/components/schema/use-schema";
import { copyText } from "@/components/ui/copy-text";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Segments } from "@/components/ui/segments";
import { showToast } from "@/components/ui/toast";
import { useIsPhone, useNow } from "@/components/ui/use-browser";
import type { PlanNode, PlanTree as Tree } from "@/lib/base/explain/plan";
import { readPlan } from "@/lib/base/explain/read-plan";
import { readScope } from "@/lib/base/sql/scope";
import type { Connection } from "@/lib/features/connections/schema";
import type { KeptPlan } from "@/lib/features/results/browser/earlier-plans";
import { toPlanText } from "@/lib/features/results/browser/plan-text";
import { formatClock, formatCountOf, formatDuration } from "@/lib/platform/browser/format";
import { formatDay } from "@/lib/platform/browser/format-time";
import { later } from "@/lib/platform/browser/load-again";
import "./results.css";
import "@/components/ui/foot.css";

const loadDiffView = later(() => import("@/components/editor/diff-view"));
const DiffView = lazyComponent(loadDiffView, (module) => module.DiffView);

/**
 * Maximum length of a plan for the agent: the question is about its slowest steps, and they are in the tree's order.
 */
const ASKED_CHARS_MAX = 6000;
const COPIED_TOAST_MS = 3000;
const SHAPES = [
  { value: "both", label: "Tree and text" },
  { value: "tree", label: "Tree" },
  { value: "text", label: "Text" },
] as const;
type Shape = (typeof SHAPES)[number]["value"];

type PlanViewProps = {
  plan: Plan;
  connection: Connection | null;
  onMeasure: (isMeasured: boolean) => void;
  onClose: () => void;
};

/**
 * View of a statement's plan, estimated or measured: as a tree, with its text beside it. The result stays behind it.
 */
export function PlanView({ plan, connection, onMeasure, onClose }: PlanViewProps) {
  const { outcome } = plan;
  const isPhone = useIsPhone();
  const now = useNow(outcome.status === "running", 100);
  const [chosen, setShape] = useState<Shape | null>(null);
  const tree = usePlanTree(plan, connection);
  const shape = chosen ?? (isPhone ? "tree" : "both");
  const shapes = isPhone ? SHAPES.slice(1) : SHAPES;
  const earlier = useEarlierPlan(plan, tree);
  /** The plan that is compared with its earlier one. */
  const [comparedAt, setComparedAt] = useState<number | null>(null);
  // The comparison opens at once, also where its code was not loaded ahead yet.
  useEffect(() => {
    if (earlier !== null) loadDiffView().catch(() => {});
  }, [earlier]);
  const isCompared = comparedAt === plan.startedAt && earlier !== null && tree !== null;
  const { agent } = useWorkspace();
  const dialect = useDialect(connection?.type);
  const text = tree?.text ?? (outcome.status === "done" ? toPlanText(outcome.answer.fields, outcome.answer.rows) : "");
  return (
    <section className="plan-view" aria-label="Plan" aria-busy={outcome.status === "running"}>
      <div className="result-bar">
        <b className="b6">Plan</b>
        {tree && (
          <Segments
            label="Plan view"
            value={isPhone && shape === "both" ? "tree" : shape}
            options={shapes}
            onChange={setShape}
          />
        )}
        {plan.words.measured !== null && (
          <Segments
            label="Plan type"
            value={plan.isMeasured ? "measured" : "plan"}
            options={[
              { value: "measured", label: "Analyze" },
              { value: "plan", label: "Explain" },
            ]}
            onChange={(value) => onMeasure(value === "measured")}
          />
        )}
        <span className="t3 trunc plan-how">
          {plan.isMeasured ? "Ran once, read-only, rows discarded" : "The query was not run"}
        </span>
        <span className="grow" />
        {earlier !== null && tree !== null && (
          <button
            type="button"
            className={isCompared ? "btn sm on" : "btn ghost sm"}
            aria-pressed={isCompared}
            aria-label={`Compare with ${toWhen(earlier)}`}
            onClick={() => setComparedAt(isCompared ? null : plan.startedAt)}
          >
            <GitCompare className="s" />
            <span className="word">Compare with {toWhen(earlier)}</span>
          </button>
        )}
        {tree && (
          <button
            type="button"
            className="btn ghost sm"
            aria-label="Ask agent"
            onClick={() => agent.open({ kind: "ask", text: toQuestion(plan, tree) })}
          >
            <MessageSquare className="s" />
            <span className="word">Ask agent</span>
          </button>
        )}
        {outcome.status === "done" && (
          <button
            type="button"
            className="btn ghost sm"
            aria-label="Copy plan"
            onClick={async () =>
              (await copyText(text)) && showToast("Plan copied", { id: "copied", duration: COPIED_TOAST_MS })
            }
          >
            <Copy className="s" />
            <span className="word">Copy plan</span>
          </button>
        )}
        <button type="button" className="btn ghost sm" aria-label="Close plan" onClick={onClose}>
          <X className="s" />
          <span className="word">Close plan</span>
        </button>
      </div>
      {outcome.status === "running" && (
        <p className="plan-said st run num">
          <Waves className="s" />
          Running for {formatDuration(Math.max(0, (now ?? plan.startedAt) - plan.startedAt))}
        </p>
      )}
      {outcome.status === "failed" && <Failed plan={plan} code={outcome.code} message={outcome.message} />}
      {outcome.status === "done" && text === "" && <p className="plan-said t2">The database returned no plan.</p>}
      {outcome.status === "done" && tree && !isCompared && <Shown key={plan.startedAt} tree={tree} shape={shape} />}
      {isCompared && (
        <section className="plan-compared" aria-label={`Compared with ${toWhen(earlier)}`}>
          <p className="num">{toComparison(earlier, tree)}</p>
          <DiffView
            key={`${earlier.at} ${plan.startedAt}`}
            before={earlier.text}
            after={tree.text}
            kind={isPhone ? "unified" : "split"}
            dialect={dialect}
            labels={{ before: "Earlier plan", after: "Current plan" }}
          />
        </section>
      )}
      {outcome.status === "done" && !tree && text !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
        <pre className="plan-text" tabIndex={0}>
          {text}
        </pre>
      )}
      {outcome.status === "done" && (
        <div className="foot num">
          <span>{toSum(tree, outcome.durationMs)}</span>
          <span className="grow" />
          <span className="t3">
            {plan.isMeasured ? "Analysed" : "Planned"} {formatClock(new Date(outcome.endedAt))}
          </span>
        </div>
      )}
    </section>
  );
}

/** The tree, its text and its warnings, with one selected step in common. */
function Shown({ tree, shape }: { tree: Tree; shape: Shape }) {
  const [at, setAt] = useState(tree.slowest ?? 0);
  return (
    <>
      {tree.warnings.length > 0 && (
        <ul className="plan-warnings" aria-label="Warnings">
          {tree.warnings.map(({ node, lead, rest }) => (
            <li key={`${node}${lead}`}>
              <TriangleAlert className="s" />
              <button type="button" className="plan-warning" onClick={() => setAt(node)}>
                <b className="b6">{lead}</b> {rest}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={`plan-panes ${shape}`}>
        {shape !== "text" && <PlanTree tree={tree} at={at} onMove={setAt} />}
        {shape !== "tree" && <PlanText tree={tree} node={tree.nodes[at] ?? null} onMove={setAt} />}
      </div>
    </>
  );
}

function PlanText({ tree, node, onMove }: { tree: Tree; node: PlanNode | null; onMove: (id: number) => void }) {
  const ref = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => tree.text.split("\n"), [tree]);
  const from = node?.from ?? 0;
  useEffect(() => {
    ref.current?.children[from]?.scrollIntoView({ block: "nearest" });
  }, [from]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: lines that keep their spaces are no fieldset
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <pre ref={ref} className="plan-text numbered" role="group" aria-label="Plan text" tabIndex={0}>
      {lines.map((line, index) => {
        const isOn = node !== null && index >= node.from && index < node.to;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; the tree has the keys
          // biome-ignore lint/a11y/useKeyWithClickEvents: the same
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never move
            key={index}
            className={isOn ? "on" : undefined}
            onClick={() => {
              const owner = tree.nodes.find((each) => index >= each.from && index < each.to);
              if (owner && getSelection()?.isCollapsed !== false) onMove(owner.id);
            }}
          >
            {line}
            {"\n"}
          </span>
        );
      })}
    </pre>
  );
}

function Failed({ plan, code, message }: { plan: Plan; code: string; message: string }) {
  const isRefused = plan.isMeasured && (code === "read_only" || code === "not_allowed");
  return (
    <div className="plan-said">
      <p className="st bad">
        <CircleX className="s" />
        {isRefused
          ? "Analyze runs the statement, so it must be read-only. Use Explain instead."
          : "The database can't explain this statement"}
      </p>
      <pre className="cell-value">{message}</pre>
    </div>
  );
}

function toWhen({ at }: KeptPlan): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? formatClock(date) : formatDay(date);
}

function toComparison(earlier: KeptPlan, tree: Tree): string {
  const steps = (count: number) => formatCountOf(count, "step");
  const wordsOf = (count: number, totalMs: number | null) =>
    totalMs === null ? steps(count) : `${formatDuration(totalMs)} in ${steps(count)}`;
  const isSame = earlier.text === tree.text ? " No differences." : "";
  return `Then ${wordsOf(earlier.steps, earlier.totalMs)}, now ${wordsOf(tree.nodes.length, tree.totalMs)}.${isSame}`;
}

function toQuestion({ statement, isMeasured }: Plan, tree: Tree): string {
  const [warning] = tree.warnings;
  const seen = warning ? ` ${warning.lead} ${warning.rest}` : "";
  const text = tree.text.slice(0, ASKED_CHARS_MAX);
  const cut = text.length < tree.text.length ? "\n..." : "";
  const kind = isMeasured ? "measured plan" : "plan";
  return `How can I make this query faster?${seen}\n\n\`\`\`sql\n${statement.trim()}\n\`\`\`\n\nIts ${kind}:\n\n\`\`\`\n${text}${cut}\n\`\`\``;
}

function usePlanTree({ outcome, form, statement }: Plan, connection: Connection | null): Tree | null {
  const entities = useEntities(connection?.id ?? null);
  const dialect = useDialect(connection?.type);
  return useMemo(() => {
    if (outcome.status !== "done") return null;
    // Some engines name a table by its alias in the statement.
    const aliases = new Map(readScope(statement, dialect).tables.map(({ alias, name }) => [alias.toLowerCase(), name]));
    const rowsOf = (name: string) => {
      const named = (aliases.get(name.toLowerCase()) ?? name).toLowerCase();
      return entities.find((entity) => entity.name.toLowerCase() === named)?.rowEstimate ?? null;
    };
    return readPlan(form, outcome.answer, rowsOf);
  }, [outcome, form, statement, entities, dialect]);
}

function toSum(tree: Tree | null, durationMs: number): string {
  if (tree === null) return `Planned in ${formatDuration(durationMs)}`;
  const { length } = tree.nodes;
  const steps = formatCountOf(length, "step");
  if (tree.totalMs === null) return `${steps}, planned in ${formatDuration(durationMs)}`;
  const planning = tree.planningMs === null ? "" : `, ${formatDuration(tree.planningMs)} planning`;
  return `${steps}, ${formatDuration(tree.totalMs)} execution${planning}`;
}
