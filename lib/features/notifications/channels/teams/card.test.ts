import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Payload, SnapshotPayload } from "../../payload-schema";
import { sizeInTeams, type TeamsMessage, toRunCard, toSnapshotCard } from "./card";

const payload: Payload = {
  version: 1,
  event: "flow.run.terminal",
  trigger: "failure",
  resourceType: "scheduled_query",
  resourceId: "0".repeat(24),
  resourceName: "Daily revenue",
  runId: "a".repeat(24),
  completedAt: "2026-11-22T06:00:05.000Z",
  durationMs: 125_000,
  rowCount: 1284,
  errorMessage: 'relation "orders" does not exist',
  triggerType: "scheduled",
  workspaceId: "b".repeat(24),
  deepLink: "https://data.example.com/w/shop/consoles/1/schedule?run=2",
};
const snapshot: SnapshotPayload = {
  version: 1,
  event: "dashboard.snapshot",
  snapshotId: "c".repeat(24),
  dashboardId: "d".repeat(24),
  dashboardTitle: "Sales",
  takenAt: "2026-11-23T07:00:00.000Z",
  timezone: "Europe/Vienna",
  widgets: [{ title: "Sold", lines: ["3 t", "2 t before"] }],
  pictureUrl: "https://data.example.com/api/snapshots/token",
  pdfUrl: "https://data.example.com/api/snapshots/token?as=pdf",
  workspaceId: "b".repeat(24),
  deepLink: "https://data.example.com/w/shop/dashboards/1",
};
/** 28 KB, the size of a message above which Teams answers 413. */
const TEAMS_BYTES_MAX = 28_672;

type Part = Record<string, unknown>;
const contentOf = ({ attachments }: TeamsMessage) =>
  attachments[0]?.content as Part & { body: Part[]; actions: Part[] };

/** Returns every object of a card. */
function partsOf(value: unknown): Part[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value as Part]), ...Object.values(value).flatMap(partsOf)];
}
const textsOf = (message: TeamsMessage) =>
  partsOf(contentOf(message).body).flatMap(({ type, text }) => (type === "TextRun" ? [String(text)] : []));

describe("the card of a run", () => {
  it("is an Adaptive Card 1.4 with outcome, facts, error and a link to the run", () => {
    const card = toRunCard(payload, false);
    expect(card).toMatchObject({
      type: "message",
      summary: "✗ Daily revenue failed",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            actions: [{ type: "Action.OpenUrl", url: payload.deepLink }],
          },
        },
      ],
    });
    const text = textsOf(card).join("\n");
    const facts = [
      "✗ Daily revenue failed",
      "Failed",
      "22 Nov 2026, 06:00:05 UTC",
      "2 min 5 s",
      "1,284",
      payload.runId,
    ];
    for (const fact of [...facts, payload.errorMessage]) expect(text).toContain(fact);
  });

  it("has another colour and no error for a success, and marks a test", () => {
    const card = toRunCard({ ...payload, trigger: "success", errorMessage: null }, true);
    const [title] = contentOf(card).body;
    expect(title).toMatchObject({ inlines: [{ text: "✓ Test: Daily revenue succeeded", color: "Good" }] });
    expect(textsOf(card).join("\n")).not.toContain("relation");
  });
});

describe("the card of a snapshot", () => {
  it("has the image, its numbers and a link to each file", () => {
    const card = toSnapshotCard(snapshot);
    const { body, actions } = contentOf(card);
    expect(body.find(({ type }) => type === "Image")).toMatchObject({ url: snapshot.pictureUrl });
    expect(actions.map(({ url }) => url)).toEqual([snapshot.deepLink, snapshot.pictureUrl, snapshot.pdfUrl]);
    expect(textsOf(card)).toEqual(["Sales", "Mon 23 Nov 2026, 08:00 Europe/Vienna", "Sold", "3 t", "2 t before"]);
  });

  it("has only its numbers if Teams can't load the image", () => {
    const card = toSnapshotCard({ ...snapshot, pictureUrl: null, pdfUrl: null });
    expect(contentOf(card).body.some(({ type }) => type === "Image")).toBe(false);
    expect(contentOf(card).actions).toHaveLength(1);
    expect(textsOf(card)).toContain("3 t");
  });
});

describe("user texts in a card (T84)", () => {
  const nasty = "[x](https://evil.example) **b** _i_ <at>all</at> {{DATE(2026-01-01T00:00:00Z)}}";
  const cards = [
    toRunCard({ ...payload, resourceName: nasty, errorMessage: nasty }, false),
    toSnapshotCard({ ...snapshot, dashboardTitle: nasty, widgets: [{ title: nasty, lines: [nasty] }] }),
  ];

  it("are in text runs only, which no client reads as Markdown", () => {
    for (const card of cards) {
      const content = contentOf(card);
      const inRuns = partsOf(content).flatMap(({ type, text }) => (type === "TextRun" ? [text] : []));
      expect(inRuns.filter((text) => String(text).includes(nasty)).length).toBeGreaterThanOrEqual(3);
      const types = new Set(partsOf(content.body).map(({ type }) => type));
      expect([...types].filter((type) => type !== undefined).sort()).toEqual(
        [...new Set(["RichTextBlock", "TextRun", ...(types.has("Image") ? ["Image"] : [])])].sort(),
      );
      for (const { title } of content.actions) expect(title).not.toContain("evil");
    }
  });

  it("link nowhere: each link is the product's", () => {
    for (const card of cards) {
      const links = partsOf(contentOf(card)).flatMap(({ url }) => (url === undefined ? [] : [String(url)]));
      expect(links.filter((url) => !url.startsWith("https://data.example.com/"))).toEqual([]);
    }
  });
});

describe("the size of a card", () => {
  const long = fc.oneof(
    fc.string({ maxLength: 4_000, unit: "binary" }),
    fc.constantFrom("a", '"', "\\", "\n", "\u{1F9AB}", "ü", "\ud800").map((c) => c.repeat(8_000)),
  );

  it("of a run stays below 28 KB as Teams counts, with any content", () => {
    fc.assert(
      fc.property(long, long, (resourceName, errorMessage) => {
        const card = toRunCard({ ...payload, resourceName, errorMessage }, false);
        expect(sizeInTeams(card)).toBeLessThan(TEAMS_BYTES_MAX);
        expect(JSON.stringify(card).isWellFormed()).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("of a snapshot stays below 28 KB too, and keeps the first numbers", () => {
    fc.assert(
      fc.property(long, fc.array(long, { maxLength: 8 }), (title, lines) => {
        const widgets = Array.from({ length: 24 }, () => ({ title, lines }));
        const card = toSnapshotCard({ ...snapshot, dashboardTitle: title, widgets });
        expect(sizeInTeams(card)).toBeLessThan(TEAMS_BYTES_MAX);
        expect(JSON.stringify(card).isWellFormed()).toBe(true);
      }),
      { numRuns: 100 },
    );
    const many = Array.from({ length: 24 }, (_, at) => ({ title: `Widget ${at}`, lines: ["ü".repeat(300)] }));
    const texts = textsOf(toSnapshotCard({ ...snapshot, widgets: many }));
    expect(texts).toContain("Widget 0");
    expect(texts).not.toContain("Widget 23");
  });
});
