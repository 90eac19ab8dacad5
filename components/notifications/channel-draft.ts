import { DEFAULT_CHANNEL, viewOf } from "@/components/notifications/channels/registry";
import type { ChannelType } from "@/lib/features/notifications/channels/registry";
import type { Rule } from "@/lib/features/notifications/schema";

/** The typed texts of a channel's form. */
export type ChannelDraft = {
  type: ChannelType;
  /** By field. A field that two channels have keeps its text when the other one is chosen. */
  texts: Readonly<Record<string, string>>;
};
/** A channel as stored, without secrets. */
export type SavedChannel = Pick<Rule, "channelType" | "channel">;
/** Problems by field of the request. */
export type Problems = Readonly<Record<string, string>>;

/** Returns the texts of a stored channel, or of a new one. */
export function toChannelDraft(saved: SavedChannel | null): ChannelDraft {
  if (saved === null) return { type: DEFAULT_CHANNEL, texts: {} };
  return { type: saved.channelType, texts: viewOf(saved.channelType).toTexts(saved.channel) };
}

/** @param saved the stored channel, whose secrets an empty field keeps; null for a new one */
export function findChannelProblems({ type, texts }: ChannelDraft, saved: SavedChannel | null): Problems {
  const isKept = saved?.channelType === type;
  const found: Record<string, string> = {};
  for (const { name, isSecret, findProblem } of viewOf(type).fields) {
    const text = texts[name] ?? "";
    const problem = isKept && isSecret && text.trim() === "" ? null : findProblem(text);
    if (problem !== null) found[name] = problem;
  }
  return found;
}

/**
 * Returns the fields of a request. Omits empty texts, so that a stored secret keeps its value; an empty text that was
 * stored before is sent, since it clears the value.
 */
export function toChannelFields({ type, texts }: ChannelDraft, saved: SavedChannel | null) {
  const isKept = saved?.channelType === type;
  const given = viewOf(type).fields.flatMap(({ name, isSecret, toValue }) => {
    const text = texts[name] ?? "";
    return text.trim() === "" && (isSecret || !isKept) ? [] : [[name, toValue(text)] as const];
  });
  return { channelType: type, ...Object.fromEntries(given) };
}

function channelFieldNames({ type }: ChannelDraft): string[] {
  return viewOf(type).fields.map(({ name }) => name);
}

/** Returns the form's field of a path in the request; null for others. An item of a list belongs to its field. */
export function toChannelField(path: string, draft: ChannelDraft): `channel.texts.${string}` | null {
  const [name = ""] = path.split(".");
  return channelFieldNames(draft).includes(name) ? `channel.texts.${name}` : null;
}

/** Returns the problems of a channel's fields. @param problemOf returns the problem of one field */
export function toChannelProblems(draft: ChannelDraft, problemOf: (name: string) => string | undefined): Problems {
  return Object.fromEntries(
    channelFieldNames(draft).flatMap((name) => {
      const problem = problemOf(name);
      return problem === undefined ? [] : [[name, problem]];
    }),
  );
}
