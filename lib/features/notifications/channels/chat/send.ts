import "server-only";
import { type Facts, toFacts } from "../../facts";
import type { Payload, SnapshotPayload } from "../../payload-schema";
import { stampOf, toSnapshotWords } from "../../snapshots/words";
import type { Send } from "../channel";
import { postJson } from "../post";
import { cut } from "../text";

/** Slack's limits: characters of a header, of a section's text, of one of its fields. */
const HEADER_CHARS_MAX = 150;
const FIELD_CHARS_MAX = 2_000;
const ERROR_CHARS_MAX = 2_500;

/** Posts a message to the incoming webhook of a chat. */
export const send: Send<{ url: string }> = ({ url }, { payload, isTest }, line) => {
  const message = payload.event === "dashboard.snapshot" ? toSnapshotMessage(payload) : toChatMessage(payload, isTest);
  const body = JSON.stringify(message);
  return postJson({ url, body, headers: {}, secrets: [] }, line);
};

/**
 * Builds a message. `text` has all facts for receivers that support nothing else, `blocks` the same in Slack's Block
 * Kit. Names given by users are escaped, so that no name mentions a channel or creates a link (T84).
 */
export function toChatMessage(payload: Payload, isTest: boolean): { text: string; blocks: object[] } {
  const facts = toFacts(payload, isTest);
  const mark = facts.isFailure ? "✗" : "✓";
  const error = facts.error === null ? null : cut(facts.error, ERROR_CHARS_MAX);
  return { text: toText(facts, payload, { mark, error }), blocks: toBlocks(facts, payload, { mark, error }) };
}

/** Maximum number of widgets. Slack allows 50 blocks; readers look at the picture and a few figures. */
const WIDGETS_SHOWN = 12;
const ALT_CHARS_MAX = 2_000;

/** Builds a chat message of a dashboard: its figures as text, and its picture if the chat can load it. */
export function toSnapshotMessage(payload: SnapshotPayload): { text: string; blocks: object[] } {
  const { dashboardTitle, pictureUrl, pdfUrl, deepLink } = payload;
  const widgets = toSnapshotWords(payload);
  const when = stampOf(payload);
  const text = [
    escapeMrkdwn(dashboardTitle),
    escapeMrkdwn(when),
    ...widgets.flatMap(({ title, lines }) => [escapeMrkdwn(title), ...lines.map((each) => `  ${escapeMrkdwn(each)}`)]),
    `Open dashboard: ${escapeMrkdwn(deepLink)}`,
    ...(pdfUrl ? [`PDF: ${escapeMrkdwn(pdfUrl)}`] : []),
  ].join("\n");
  const said = widgets.slice(0, WIDGETS_SHOWN).map(({ title, lines }) => {
    const words = lines.map((each) => escapeMrkdwn(cut(each, FIELD_CHARS_MAX / 8))).join("\n");
    return { type: "mrkdwn", text: cut(`*${escapeMrkdwn(cut(title || "Number", 100))}*\n${words}`, FIELD_CHARS_MAX) };
  });
  const alt = cut(widgets.map(({ title, lines }) => `${title}: ${lines.join("; ")}`).join(". "), ALT_CHARS_MAX);
  const asPdf = pdfUrl ? `, <${escapeMrkdwn(pdfUrl)}|PDF>` : "";
  const figures = [];
  for (let at = 0; at < said.length; at += 2) figures.push({ type: "section", fields: said.slice(at, at + 2) });
  return {
    text,
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(dashboardTitle, HEADER_CHARS_MAX), emoji: false } },
      { type: "context", elements: [{ type: "mrkdwn", text: escapeMrkdwn(when) }] },
      ...(pictureUrl === null ? figures : [{ type: "image", image_url: pictureUrl, alt_text: alt || dashboardTitle }]),
      { type: "section", text: { type: "mrkdwn", text: `<${escapeMrkdwn(deepLink)}|Open dashboard>${asPdf}` } },
    ],
  };
}

type Parts = { mark: string; error: string | null };

function toText({ headline, rows, action }: Facts, { deepLink, runId }: Payload, { mark, error }: Parts): string {
  return [
    `${mark} ${escapeMrkdwn(headline)}`,
    ...rows.map(({ label, value }) => `${label}: ${escapeMrkdwn(value)}`),
    ...(error === null ? [] : [`Error: ${escapeMrkdwn(error)}`]),
    `Run: ${runId}`,
    `${action}: ${escapeMrkdwn(deepLink)}`,
  ].join("\n");
}

function toBlocks({ headline, rows, action }: Facts, { deepLink, runId }: Payload, { mark, error }: Parts): object[] {
  const mrkdwn = (text: string) => ({ type: "mrkdwn", text });
  // The limit applies after escaping.
  const field = ({ label, value }: Facts["rows"][number]) =>
    mrkdwn(`*${label}*\n${cut(escapeMrkdwn(cut(value, FIELD_CHARS_MAX / 8)), FIELD_CHARS_MAX)}`);
  return [
    // Plain text, which Slack does not interpret.
    { type: "header", text: { type: "plain_text", text: cut(`${mark} ${headline}`, HEADER_CHARS_MAX), emoji: false } },
    { type: "section", fields: rows.map(field) },
    ...(error === null ? [] : [{ type: "section", text: mrkdwn(`*Error*\n\`\`\`${fenced(error)}\`\`\``) }]),
    { type: "section", text: mrkdwn(`<${escapeMrkdwn(deepLink)}|${action}>`) },
    { type: "context", elements: [mrkdwn(`Run ${runId}`)] },
  ];
}

/** Escapes Slack's three special characters: https://docs.slack.dev/messaging/formatting-message-text */
function escapeMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Returns a text for a code block, which three backticks would end; after escaping it is cut between characters. */
function fenced(text: string): string {
  const safe = text.replaceAll("`", "ˋ");
  let kept = "";
  for (const character of safe) {
    const next = escapeMrkdwn(character);
    if (kept.length + next.length > ERROR_CHARS_MAX) return `${kept}…`;
    kept += next;
  }
  return kept;
}
