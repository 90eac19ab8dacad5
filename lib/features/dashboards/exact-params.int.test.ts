import { beforeAll, describe, expect, it } from "vitest";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { parseText, toText } from "./content";

/* Numbers of stored sources and filters that no double represents: as JSON texts, since JavaScript would round them. */

const open = takeDashboardWorld();
let world: DashboardWorld;
let home = "";

beforeAll(async () => {
  world = await open();
  home = `/api/workspaces/${world.owner.workspaceId}/dashboards`;
  await world.run(
    "create table big as select unnest([9007199254740992, 9007199254740993, 9007199254740994]) as n, 1 as one",
  );
});

const send = (method: string, path: string, rawBody: string) =>
  call(method, home + path, { cookie: world.owner.cookie, rawBody });
async function create(parts: string, title = "Exact") {
  const answer = await send("POST", "", `{"title":"${title}",${parts}}`);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer;
}
const sourceOf = (query: string, params: string) =>
  `{"connectionId":"${world.connectionId}","query":"${query}","params":${params}}`;
const tableOf = (source: string) => `"widgets":[{"id":"w","kind":"table","source":${source}}]`;
/** Returns the only cell of the dashboard's only widget. */
async function shown(id: string): Promise<unknown> {
  const { json } = await call("GET", `${home}/${id}/data`, world.owner);
  const [widget] = json.data.widgets;
  return widget.error ?? Object.values(widget.rows[0])[0];
}

const NUMBERS = [
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "18446744073709551615",
  "0.12345678901234567890",
  "12345678901234567890.5",
];

describe("C15 numbers of a dashboard's sources", () => {
  for (const { tags, cases } of splitCases(NUMBERS, 3))
    it.each(cases)("C15 keeps %s of params in a dataset, a widget, a copy and an export", { tags }, async (number) => {
      const source = sourceOf("select cast($1 as varchar) as v", `[${number}]`);
      const parts = `"datasets":[{"id":"d","name":"D","source":${source}}],"widgets":[{"id":"w","kind":"table","source":{"datasetId":"d"}}]`;
      const byDataset = await create(parts);
      expect(byDataset.text).toContain(`"params":[${number}]`);
      expect(await shown(byDataset.json.data.id)).toBe(number);
      const byWidget = await create(tableOf(source));
      expect(await shown(byWidget.json.data.id)).toBe(number);
      const copy = await send("POST", `/${byWidget.json.data.id}/duplicate`, "{}");
      expect(copy.text).toContain(`"params":[${number}]`);
      const exported = await call("GET", `${home}/${byDataset.json.data.id}/export`, world.owner);
      const imported = await send("POST", "/import", `{"dashboard":${exported.text.replace(/^.*?"data":|\}$/g, "")}}`);
      expect([imported.status, await shown(imported.json.data.id)]).toEqual([201, number]);
    });

  it("C15 keeps the numbers of one part when another is saved, and of a restored version", async () => {
    const made = await create(tableOf(sourceOf("select cast($1 as varchar) as v", "[9007199254740993]")));
    const { id, version } = made.json.data;
    const renamed = await send("PUT", `/${id}`, `{"version":${version},"description":"Other"}`);
    expect(renamed.text).toContain('"params":[9007199254740993]');
    const changed = renamed.text.replaceAll("9007199254740993", "9007199254740995");
    const { widgets } = JSON.parse(changed.replace("9007199254740995", '"digits"')).data;
    const body = JSON.stringify({ version: version + 1, widgets }).replace('"digits"', "9007199254740995");
    expect((await send("PUT", `/${id}`, body)).text).toContain("9007199254740995");
    expect(await shown(id)).toBe("9007199254740995");
    const { items } = (await call("GET", `${home}/${id}/git/history`, world.owner)).json.data;
    const restored = await send("POST", `/${id}/git/restore`, JSON.stringify({ sha: items.at(-1).sha }));
    expect(restored.text).toContain('"params":[9007199254740993]');
    expect(await shown(id)).toBe("9007199254740993");
  });

  it.each([
    ["by name", "select cast($n as varchar) as v", '{"n":9007199254740993}', "9007199254740993"],
    ["in a list", "select cast($1 as varchar) as v", "[[9007199254740993]]", "[9007199254740993]"],
    ["in an object", "select cast($1 as varchar) as v", '[{"a":9007199254740993}]', '{"a":9007199254740993}'],
    ["beside small ones", "select cast($1 + $2 as varchar) as v", "[9007199254740992,1]", "9007199254740993"],
  ])("C15 keeps a number %s", async (_, query, params, expected) => {
    expect(await shown((await create(tableOf(sourceOf(query, params)))).json.data.id)).toBe(expected);
  });

  it("C15 previews unsaved parts with every digit", async () => {
    const source = sourceOf("select cast($1 as varchar) as v", "[9007199254740993]");
    const { json } = await send("POST", "/preview", `{${tableOf(source)}}`);
    expect(json.data.widgets[0].rows).toEqual([{ v: "9007199254740993" }]);
  });

  it("C15 rejects such a number as a position, and draws with the nearest double", async () => {
    const source = sourceOf("select 1 as v", "[]");
    const wide = `"widgets":[{"kind":"table","source":${source},"layout":{"x":9007199254740993,"y":0,"w":1,"h":1}}]`;
    expect((await send("POST", "", `{"title":"Wide",${wide}}`)).status).toBe(400);
    const spec = `"widgets":[{"kind":"table","source":${source},"spec":{"note":9007199254740993}}]`;
    expect((await create(spec)).json.data.widgets[0].spec).toEqual({ note: 9007199254740992 });
  });
});

describe("C15 numbers of a dashboard's filters", () => {
  const parts = (standing: string) =>
    `${tableOf(sourceOf("select n, one from big", "[]"))},"filters":[{"id":"f","kind":"multiSelect","field":"n","default":${standing}}]`;
  const rowsOf = (answer: Awaited<ReturnType<typeof call>>) =>
    answer.json.data.widgets[0].rows.map(({ n }: { n: string }) => n);

  it("C15 keeps a number above 2^53 exact, by GET, by POST, in a click and as default", async () => {
    const { json } = await create(parts("[9007199254740993]"));
    const { id } = json.data;
    const expected = ["9007199254740993"];
    expect(json.data.filters[0].default).toEqual(expected);
    expect(rowsOf(await call("GET", `${home}/${id}/data`, world.owner))).toEqual(expected);
    const filters = '{"f":[9007199254740993]}';
    const address = `${home}/${id}/data?${new URLSearchParams({ filters })}`;
    expect(rowsOf(await call("GET", address, world.owner))).toEqual(expected);
    expect(rowsOf(await send("POST", `/${id}/data`, `{"filters":${filters}}`))).toEqual(expected);
    const other = `{"filters":{"f":null,"@w":{"n":[9007199254740994]}}}`;
    const { values } = (await send("POST", `/${id}/filters/f/values`, other)).json.data;
    expect(values).toEqual([{ value: "9007199254740994", count: 1 }]);
  });

  it("C15 keeps such a number in a snapshot's filters, and in a pushed file", async () => {
    const { json } = await create(parts("null"));
    const { id } = json.data;
    const channel = '"channelType":"email","recipients":["a@example.com"],"cron":"0 6 * * *","timezone":"UTC"';
    const made = await send("POST", `/${id}/snapshots`, `{${channel},"filters":{"f":[9007199254740993]}}`);
    expect([made.status, made.json.data?.snapshot?.filters ?? made.json.data?.filters]).toEqual([
      201,
      { f: ["9007199254740993"] },
    ]);
    const file = parseText(
      `{"title":"T","description":"","datasets":[],"widgets":[{"id":"w","title":"","kind":"table","source":{"connectionId":"${"a".repeat(24)}","query":"select 1","params":[9007199254740993]},"spec":{"n":9007199254740993},"layout":{"x":0,"y":0,"w":1,"h":1}}],"filters":[]}`,
    );
    expect(file && toText(file)).toMatch(/"params": \[\s+9007199254740993\s+\]/);
    expect(file?.widgets[0]?.spec).toEqual({ n: 9007199254740992 });
  });
});
