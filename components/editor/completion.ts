import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { editorScript } from "@/components/editor/editor-script";
import type { Entity } from "@/lib/client/api";
import { SqlScript } from "@/lib/sql/statements";
import { offerSql, type SqlOffer } from "@/lib/ui/sql-completion";

type SqlCompletion = Completion & { sign: string };

const COLUMN_SIGNS = { text: "T", number: "#", time: "◷", boolean: "◐", json: "{}", binary: "01", other: "·" } as const;
const KIND_SIGNS = { table: "▦", alias: "→", function: "ƒ", keyword: "", column: "·" } as const;

/** Completion from the schema, ranked by what is in scope. @param readEntities the schema as it is known now */
export function sqlCompletion(readEntities: () => Entity[]): Extension {
  const source = (context: CompletionContext): CompletionResult | null => {
    // Whoever typed and went to press Run wants rows, and no list over them.
    if (!context.explicit && context.view?.hasFocus === false) return null;
    const word = context.matchBefore(/[\p{L}\p{N}_$]*/u);
    const isBehindDot = context.matchBefore(/\.[\p{L}\p{N}_$]*/u) !== null;
    if (!context.explicit && !isBehindDot && (word === null || word.from === word.to)) return null;
    const script = context.state.field(editorScript);
    if (!(script instanceof SqlScript)) return null;
    const offers = offerSql(script, context.pos, readEntities());
    if (offers.length === 0) return null;
    return { from: word?.from ?? context.pos, options: offers.map(toCompletion), validFor: /^[\p{L}\p{N}_$]*$/u };
  };
  return autocompletion({
    override: [source],
    icons: false,
    maxRenderedOptions: 60,
    addToOptions: [{ position: 20, render: (completion) => toSign(completion as SqlCompletion) }],
  });
}

function toCompletion(offer: SqlOffer): SqlCompletion {
  const { info } = offer;
  return {
    label: offer.label,
    apply: offer.text,
    detail: offer.detail,
    type: offer.kind,
    boost: offer.rank,
    sign: offer.kind === "column" ? COLUMN_SIGNS[offer.columnKind ?? "other"] : KIND_SIGNS[offer.kind],
    ...(info === null ? {} : { info: () => toInfo(info) }),
  };
}

function toSign({ sign }: SqlCompletion): HTMLElement {
  const element = document.createElement("span");
  element.className = "cm-sign";
  element.ariaHidden = "true";
  element.textContent = sign;
  return element;
}

function toInfo({ title, text }: { title: string; text: string }): HTMLElement {
  const box = document.createElement("div");
  const head = document.createElement("b");
  head.textContent = title;
  const body = document.createElement("div");
  body.textContent = text;
  box.append(head, body);
  return box;
}
