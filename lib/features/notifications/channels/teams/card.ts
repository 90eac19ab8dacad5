import { toFacts } from "../../facts";
import type { Payload, SnapshotPayload } from "../../payload-schema";
import { stampOf, toSnapshotWords } from "../../snapshots/words";
import { cut } from "../text";

/** Teams' limit of a message, in bytes, less what it adds around the card. */
const MESSAGE_BYTES_MAX = 28 * 1024 - 1_024;
const TITLE_CHARS_MAX = 150;
const VALUE_CHARS_MAX = 250;
/** In the largest notation, seven bytes a character, all texts of a run are below the limit of a message. */
const ERROR_CHARS_MAX = 2_000;
const LINE_CHARS_MAX = 300;
const ALT_CHARS_MAX = 500;
/** Maximum number of widgets: readers look at the picture and a few figures. */
const WIDGETS_SHOWN = 12;

type Run = Record<string, unknown> & { type: "TextRun"; text: string };
export type TeamsMessage = {
  type: "message";
  /** Text of the desktop notification. */
  summary: string;
  attachments: { contentType: string; contentUrl: null; content: Record<string, unknown> }[];
};

/** Builds the card of a run: its outcome, facts and error, and a button to its page. */
export function toRunCard(payload: Payload, isTest: boolean): TeamsMessage {
  const { headline, isFailure, rows, error, action } = toFacts(payload, isTest);
  const title = `${isFailure ? "✗" : "✓"} ${headline}`;
  const body = [
    toTitle(title, isFailure ? "Attention" : "Good"),
    ...rows.map(({ label, value }) => toRow(label, value)),
    ...(error === null ? [] : [toBlock([run(plain(error, ERROR_CHARS_MAX), { fontType: "Monospace" })], "Medium")]),
    toBlock([run(`Run ${payload.runId}`, { isSubtle: true, size: "Small" })], "Medium"),
  ];
  return toMessage(title, body, [{ title: action, url: payload.deepLink }]);
}

/** Builds the card of a dashboard: its picture if Teams can load it, its figures, and links. */
export function toSnapshotCard(payload: SnapshotPayload): TeamsMessage {
  const { dashboardTitle, pictureUrl, pdfUrl, deepLink } = payload;
  const widgets = toSnapshotWords(payload);
  const alt = plain(widgets.map(({ title, lines }) => `${title}: ${lines.join("; ")}`).join(". "), ALT_CHARS_MAX);
  const head = [
    toTitle(dashboardTitle, "Default"),
    toBlock([run(stampOf(payload), { isSubtle: true })], "None"),
    ...(pictureUrl === null
      ? []
      : [
          {
            type: "Image",
            url: pictureUrl,
            altText: alt || plain(dashboardTitle, TITLE_CHARS_MAX),
            msteams: { allowExpand: true },
          },
        ]),
  ];
  const actions = [
    { title: "Open dashboard", url: deepLink },
    ...(pictureUrl === null ? [] : [{ title: "Open image", url: pictureUrl }]),
    ...(pdfUrl === null ? [] : [{ title: "Open PDF", url: pdfUrl }]),
  ];
  // Teams shows no picture above 1 MB, so the figures are always there: as many as fit.
  let message = toMessage(dashboardTitle, head, actions);
  const figures: object[] = [];
  for (const { title, lines } of widgets.slice(0, WIDGETS_SHOWN)) {
    figures.push(
      toBlock([run(plain(title || "Number", TITLE_CHARS_MAX), { weight: "Bolder" })], "Medium"),
      ...lines.map((line) => toBlock([run(plain(line, LINE_CHARS_MAX))], "None")),
    );
    const next = toMessage(dashboardTitle, [...head, ...figures], actions);
    if (sizeInTeams(next) > MESSAGE_BYTES_MAX) break;
    message = next;
  }
  return message;
}

/**
 * Returns an upper bound of the size by which Teams judges a message, in bytes. Teams measured 28,897 bytes for a card
 * of 24,453 (MicrosoftDocs/msteams-docs#11274), as of a JSON text inside of a JSON text: there a quote takes another
 * byte, and a character outside of ASCII up to seven.
 */
export function sizeInTeams(message: TeamsMessage): number {
  const text = JSON.stringify(message);
  const escaped = text.match(/["\\]/g)?.length ?? 0;
  const beyondAscii = text.match(/[^\x20-\x7e]/g)?.length ?? 0;
  return text.length + escaped + 6 * beyondAscii;
}

function toTitle(text: string, color: string): object {
  return toBlock([run(plain(text, TITLE_CHARS_MAX), { size: "Large", weight: "Bolder", color })], "Default");
}

function toRow(label: string, value: string): object {
  return toBlock([run(`${label}: `, { weight: "Bolder" }), run(plain(value, VALUE_CHARS_MAX))], "Small");
}

/** Text runs are the only texts of a card that no client reads as Markdown (T84). All texts of users are in one. */
function run(text: string, style: object = {}): Run {
  return { type: "TextRun", text, ...style };
}

function plain(text: string, max: number): string {
  return cut(text, max).toWellFormed();
}

function toBlock(inlines: Run[], spacing: string): object {
  return { type: "RichTextBlock", inlines, spacing };
}

function toMessage(title: string, body: object[], actions: { title: string; url: string }[]): TeamsMessage {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body,
    actions: actions.map((each) => ({ type: "Action.OpenUrl", ...each })),
  };
  return {
    type: "message",
    summary: plain(title, TITLE_CHARS_MAX),
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}
