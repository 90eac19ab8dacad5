import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { editorScript } from "@/components/editor/editor-script";
import { toInfo } from "@/components/editor/info";
import { SqlScript } from "@/lib/base/sql/statements";
import type { Entity } from "@/lib/base/values/fields";
import { offerSql, offerValues, type SqlOffer } from "@/lib/features/query/browser/sql-completion";

/** `order` is the rank in the list among equal matches. */
type SqlCompletion = Completion & {
  sign: string;
  mark: SqlOffer["mark"];
  schema: string | undefined;
  order: number;
};

/** Contexts that open the completion list before a letter is typed: tables after JOIN, conditions after ON. */
const OFFERED_AT_ONCE = /\b(?:join|on) $/i;

/** A string that a column may be compared with. */
const STRING_START = /[=<>(,]\s*'[^'\n]*$/;

const COLUMN_SIGNS = { text: "T", number: "#", time: "◷", boolean: "◐", json: "{}", binary: "01", other: "·" } as const;
const KIND_SIGNS = {
  table: "▦",
  alias: "→",
  join: "=",
  function: "ƒ",
  keyword: "",
  snippet: "⋯",
  value: "'",
  column: "·",
} as const;

/** Positions at which completion started before the schema was loaded, by editor. */
const startedEarly = new WeakMap<EditorView, number>();

/** Completes what the user typed before the schema was loaded, if the cursor is still there. */
export function completeWithSchema(view: EditorView): void {
  const from = startedEarly.get(view);
  startedEarly.delete(view);
  const { head, empty } = view.state.selection.main;
  if (from === undefined || head < from || !empty || !view.hasFocus) return;
  if (/^[\p{L}\p{N}_$]*$/u.test(view.state.sliceDoc(from, head))) startCompletion(view);
}

/**
 * Completion from the schema, ranked by scope.
 * @param readEntities returns the current schema
 * @param readMetrics returns the names of the workspace's metrics
 */
export function sqlCompletion(readEntities: () => Entity[], readMetrics: () => readonly string[]): Extension {
  const source = (context: CompletionContext): CompletionResult | null => {
    // The user has left the editor, for example to click Run: the list would cover the rows.
    if (!context.explicit && context.view?.hasFocus === false) return null;
    const word = context.matchBefore(/[\p{L}\p{N}_$]*/u);
    const isBehindDot = context.matchBefore(/\.[\p{L}\p{N}_$]*/u) !== null;
    const isAtOnce = context.matchBefore(OFFERED_AT_ONCE) !== null;
    const isInString = context.matchBefore(STRING_START) !== null;
    if (!context.explicit && !isBehindDot && !isAtOnce && !isInString && (word === null || word.from === word.to)) {
      return null;
    }
    const script = context.state.field(editorScript);
    if (!(script instanceof SqlScript)) return null;
    const entities = readEntities();
    if (context.view && entities.length === 0) startedEarly.set(context.view, word?.from ?? context.pos);
    const values = offerValues(script, context.pos, entities);
    if (values) return { from: values.from, options: values.offers.map(toCompletion), validFor: /^[^']*$/ };
    const ofSchema = offerSql(script, context.pos, entities);
    // Nothing is offered in strings and comments.
    const ofMetrics = ofSchema.length > 0 && !isBehindDot ? readMetrics().map(toMetricOffer) : [];
    const offers = [...ofSchema, ...ofMetrics];
    const isWorthIt = context.explicit || !isAtOnce || offers.some(({ kind }) => kind === "join");
    if (offers.length === 0 || !isWorthIt) return null;
    return { from: word?.from ?? context.pos, options: offers.map(toCompletion), validFor: /^[\p{L}\p{N}_$]*$/u };
  };
  return autocompletion({
    override: [source],
    icons: false,
    maxRenderedOptions: 60,
    // The library's default order is alphabetical.
    compareCompletions: (a, b) => (a as SqlCompletion).order - (b as SqlCompletion).order,
    addToOptions: [
      { position: 20, render: (completion) => toSign(completion as SqlCompletion) },
      { position: 40, render: (completion) => toSchema(completion as SqlCompletion) },
    ],
  });
}

function toMetricOffer(name: string): SqlOffer {
  const text = `metric(${name})`;
  return { label: text, text, kind: "function", detail: "metric", info: null, rank: 0 };
}

function toCompletion(offer: SqlOffer, order: number): SqlCompletion {
  const { info } = offer;
  return {
    label: offer.label,
    apply: offer.kind === "snippet" ? snippet(offer.text) : offer.text,
    detail: offer.detail,
    type: offer.kind,
    boost: offer.rank,
    mark: offer.mark,
    schema: offer.schema,
    order,
    sign: offer.kind === "column" ? COLUMN_SIGNS[offer.columnKind ?? "other"] : KIND_SIGNS[offer.kind],
    ...(info === null ? {} : { info: () => toInfo(info) }),
  };
}

/** Icons of a key and of a link, as drawn by lucide elsewhere. */
const MARKS = {
  key: "M2.6 17.4A2 2 0 0 0 2 18.8V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.2a2 2 0 0 0 1.4-.6l.8-.8a6.5 6.5 0 1 0-4-4zM16.5 7.5h.01",
  link: "M9 17H7A5 5 0 0 1 7 7h2M15 7h2a5 5 0 1 1 0 10h-2M8 12h8",
};

/** Shows the schema that is inserted with a table. */
function toSchema({ schema }: SqlCompletion): HTMLElement | null {
  if (schema === undefined) return null;
  const element = document.createElement("span");
  element.className = "cm-schema";
  element.textContent = `${schema}.`;
  return element;
}

function toSign({ sign, mark }: SqlCompletion): HTMLElement {
  const element = document.createElement("span");
  element.className = "cm-sign";
  element.ariaHidden = "true";
  if (mark === undefined) element.textContent = sign;
  else {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", MARKS[mark]);
    svg.append(path);
    element.append(svg);
  }
  return element;
}
