import type { Chosen } from "../../choice";
import type { Linked, ValueHit } from "../../link";
import type { Schema } from "../../schema";
import { joinTokens } from "../../words";
import { Names } from "../names";
import { alternatives as alt, mapped, type Parser } from "../parsers";

export type Words = ReturnType<typeof wordParsers>;

/** Returns the parsers of single words: phrases, numbers, quoted texts, times, and the names of the schema. */
export function wordParsers(linked: Linked, schema: Schema, hits: readonly ValueHit[], chosen: Chosen) {
  const names = new Names(linked.tokens, schema, hits, chosen);
  const { tokens, dates } = linked;
  const { text, starts } = joinTokens(tokens);
  /** Reads one of some phrases. */
  const say = (source: string): Parser<string> => {
    const phrases = source.split("|").sort((a, b) => b.length - a.length);
    return (from) => {
      const start = starts[from];
      if (start === undefined || tokens[from]?.isQuoted) return [];
      return phrases.flatMap((phrase) => {
        if (!text.startsWith(`${phrase} `, start)) return [];
        const length = phrase.split(" ").length;
        return [{ to: from + length, value: phrase, weight: length }];
      });
    };
  };
  const table = <K extends string, V>(rows: [K, V][]): Parser<V> =>
    alt(...rows.map(([source, value]) => mapped(say(source), () => value)));
  const number: Parser<number> = (from) => {
    const token = tokens[from];
    if (token?.lower === "one" || token?.lower === "single") return [{ to: from + 1, value: 1, weight: 1 }];
    if (token?.lower === "a" && tokens[from + 1]?.lower === "single") return [{ to: from + 2, value: 1, weight: 2 }];
    return token && token.number !== null ? [{ to: from + 1, value: token.number, weight: 1.2 }] : [];
  };
  const quoted: Parser<string> = (from) => {
    const token = tokens[from];
    return token?.isQuoted ? [{ to: from + 1, value: token.raw, weight: 1 }] : [];
  };
  const date: Parser<(typeof dates)[number]> = (from) =>
    dates
      .filter(({ fromToken }) => fromToken === from)
      .map((value) => ({ to: value.toToken, value, weight: value.toToken - value.fromToken }));

  const year: Parser<number> = (from) => {
    const value = tokens[from]?.number ?? 0;
    return Number.isInteger(value) && value >= 1500 && value < 2200 ? [{ to: from + 1, value, weight: 1 }] : [];
  };

  /** Looks at a word without reading it. */
  const at =
    (word: string): Parser<null> =>
    (from) =>
      tokens[from]?.lower === word ? [{ to: from, value: null, weight: 0 }] : [];

  return { tokens, names, say, table, number, quoted, date, year, at };
}
