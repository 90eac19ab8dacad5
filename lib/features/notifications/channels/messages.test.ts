import { render, toPlainText } from "@react-email/render";
import fc from "fast-check";
import { createElement } from "react";
import { describe, expect, it } from "vitest";
import { RunEndedMail } from "@/emails/run-ended";
import { toFacts } from "../facts";
import type { Payload } from "../payload-schema";
import { toChatMessage } from "./chat/send";

const payload: Payload = {
  version: 1,
  event: "flow.run.terminal",
  trigger: "failure",
  resourceType: "scheduled_query",
  resourceId: "6b0293f1e4b0c8a1d2e3f405",
  resourceName: "Daily revenue",
  runId: "6b0293f1e4b0c8a1d2e3f406",
  completedAt: "2026-11-22T06:00:05.250Z",
  durationMs: 125_000,
  rowCount: 1284,
  errorMessage: 'relation "orders" does not exist',
  triggerType: "scheduled",
  workspaceId: "6b0293f1e4b0c8a1d2e3f407",
  deepLink:
    "https://data.example.com/w/harbour/consoles/6b0293f1e4b0c8a1d2e3f405/schedule?run=6b0293f1e4b0c8a1d2e3f406",
};
const FACTS = ["Daily revenue", "22 Nov 2026, 06:00:05 UTC", "2 min 5 s", "1,284", "on schedule"];

type Block = {
  type: string;
  text?: { type: string; text: string };
  fields?: { text: string }[];
  elements?: { text: string }[];
};
const textsOf = (blocks: object[]) =>
  (blocks as Block[])
    .flatMap(({ text, fields = [], elements = [] }) => [text, ...fields, ...elements])
    .flatMap((each) => each?.text ?? []);

async function mailOf(given: Payload, isTest = false): Promise<{ html: string; text: string }> {
  const facts = toFacts(given, isTest);
  const html = await render(createElement(RunEndedMail, { facts, runId: given.runId, href: given.deepLink }));
  return { html, text: toPlainText(html) };
}

describe("a chat message", () => {
  it("has every fact in its text and its blocks", () => {
    const { text, blocks } = toChatMessage(payload, false);
    const inBlocks = textsOf(blocks).join("\n");
    for (const fact of [...FACTS, "Failed", payload.errorMessage ?? "", payload.runId, payload.deepLink]) {
      expect([fact, text.includes(fact), inBlocks.includes(fact)]).toEqual([fact, true, true]);
    }
    expect(text.split("\n")[0]).toBe("✗ Daily revenue failed");
    expect(toChatMessage({ ...payload, trigger: "success", errorMessage: null }, true).text.split("\n")[0]).toBe(
      "✓ Test: Daily revenue succeeded",
    );
  });

  it("omits missing facts", () => {
    const { rowCount: _, ...rest } = payload;
    const { text } = toChatMessage({ ...rest, trigger: "success", errorMessage: null }, false);
    expect(text).not.toMatch(/Rows:|Error:/);
  });

  it("mentions no one and links nowhere through names (T84)", () => {
    const nasty = "<!channel> <@U1> <https://evil.example|click> & ```*b*";
    const { text, blocks } = toChatMessage({ ...payload, resourceName: nasty, errorMessage: nasty }, false);
    const marked = (blocks as Block[])
      .flatMap((block) => [block.text, ...(block.fields ?? []), ...(block.elements ?? [])])
      .flatMap((each) => (each && (each as { type?: string }).type === "mrkdwn" ? each.text : []));
    for (const each of [text, ...marked]) {
      // The only link is the product's.
      expect(
        [...each.matchAll(/<([^>|]*)/g)].map(([, target]) => target).filter((t) => t !== payload.deepLink),
      ).toEqual([]);
    }
    expect(text).toContain("&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|click&gt; &amp;");
    // The code block has no other fence.
    expect(marked.find((each) => each.startsWith("*Error*"))?.match(/```/g)).toHaveLength(2);
  });

  it("stays within Slack's limits with any content", () => {
    const long = fc.oneof(
      fc.string({ maxLength: 5_000 }),
      fc.constantFrom("<", "&", "\u{1F9AB}").map((c) => c.repeat(12_000)),
    );
    fc.assert(
      fc.property(long, long, (resourceName, errorMessage) => {
        const { blocks } = toChatMessage({ ...payload, resourceName, errorMessage }, false);
        for (const block of blocks as Block[]) {
          if (block.type === "header") expect(block.text?.text.length).toBeLessThanOrEqual(150);
          else expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3_000);
          for (const { text } of block.fields ?? []) expect(text.length).toBeLessThanOrEqual(2_000);
          expect((block.fields ?? []).length).toBeLessThanOrEqual(10);
        }
        expect(JSON.stringify(blocks).isWellFormed()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("an email", () => {
  it("has every fact in its text and its HTML", async () => {
    const { html, text } = await mailOf(payload);
    for (const fact of [...FACTS, "Failed", payload.runId, payload.deepLink]) {
      expect([fact, text.includes(fact), html.replaceAll("&amp;", "&").includes(fact)]).toEqual([fact, true, true]);
    }
    expect(text).toContain('relation "orders" does not exist');
    expect(text).toContain("Open console");
  });

  it("shows markup in names and errors as text (T83, T84)", async () => {
    const nasty = `\r\nBcc: all@example.com <script>alert(1)</script>" onload=x & <a href="javascript:alert(1)">x</a>`;
    const { html } = await mailOf({ ...payload, resourceName: nasty, errorMessage: nasty });
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toMatch(/href="javascript:/);
    expect(html).not.toMatch(/<[^>]*onload=x[^>]*>/);
  });

  it("names a flow and a test as such", async () => {
    const { text } = await mailOf({ ...payload, resourceType: "flow", trigger: "success", errorMessage: null }, true);
    expect(text).toContain("Open flow");
    expect(text.toLowerCase()).toContain("test: daily revenue succeeded");
    expect(text).toContain("Succeeded");
  });
});
