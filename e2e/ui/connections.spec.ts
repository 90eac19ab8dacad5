import type { Page } from "@playwright/test";
import { dashboardBench } from "./dashboards.fixtures";
import { expect, hold, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

const NET_FIELDS = [
  { name: "host", label: "Host", kind: "text", required: false, secret: false, isTarget: true },
  { name: "port", label: "Port", kind: "number", required: false, secret: false, default: 5432, isTarget: true },
  { name: "database", label: "Database", kind: "text", required: false, secret: false },
  { name: "user", label: "User", kind: "text", required: false, secret: false, isTarget: true },
  { name: "password", label: "Password", kind: "password", required: false, secret: true },
  {
    name: "ssl",
    label: "Encryption",
    kind: "select",
    required: false,
    secret: false,
    isSafety: true,
    default: "disable",
    options: [
      { value: "disable", label: "None" },
      { value: "require", label: "Encrypted, any certificate" },
      { value: "verify-full", label: "Encrypted, certificate checked" },
    ],
  },
  { name: "connectionString", label: "Connection string", kind: "password", required: false, secret: true },
];
const SERVER_TYPE = {
  type: "serverdb",
  name: "Server DB",
  engineName: "Server DB",
  category: "database",
  fields: NET_FIELDS,
};
const SOURCE_TYPE = {
  type: "webdata",
  name: "Web data",
  engineName: "Web data",
  category: "source",
  fields: [{ name: "token", label: "Token", kind: "password", required: true, secret: true }],
};

/** Declares kinds of connection that need an external server: the form is tested against the declaration. */
async function offerTypes(page: Page): Promise<void> {
  await page.route("**/api/connectors/types", (route) =>
    route.fulfill({ json: { success: true, data: [SERVER_TYPE, SOURCE_TYPE] } }),
  );
}

async function addFile(page: Page, name: string, readOnly = false, request = page.request): Promise<string> {
  const wid = await workspaceIdOf(page.request);
  const answer = await request.post(`/api/workspaces/${wid}/connectors`, {
    data: { name, type: "duckdb", config: { file: `${name}.duckdb` }, readOnly },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).data.id;
}

test("lists and tests the sample, and finds it by name", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections`);
  const row = page.getByRole("row", { name: /Sample shop/ });
  await expect(row).toContainText("Read-only");
  await row.getByRole("button", { name: "Test Sample shop" }).click();
  await expect(row.getByText(/^Connected, /)).toBeVisible();
  await page.getByRole("searchbox", { name: "Search connections" }).fill("warehouse");
  await expect(page).toHaveURL(/\?q=warehouse$/);
  await expect(page.getByRole("heading", { name: 'No results for "warehouse"' })).toBeVisible();
  await page.getByRole("link", { name: "Show all connections" }).click();
  await expect(row).toBeVisible();
  await page.getByRole("link", { name: /Failing/ }).click();
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  // No connection is only for flows, so that choice is not offered.
  await expect(page.getByRole("link", { name: /^Databases/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /^Sources/ })).toHaveCount(0);
});

test("explains a failed connection below its row, with a link to its form", async ({ page, person }) => {
  await addFile(page, "returns", true);
  await page.goto(`/w/${person.slug}/connections`);
  await page.getByRole("button", { name: "Test all" }).click();
  await expect(page.getByRole("row", { name: /Sample shop/ }).getByText(/^Connected, /)).toBeVisible();
  await expect(page.getByRole("table").getByText("File returns.duckdb not found. Upload it first.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Failing 1" })).toBeVisible();
  await page.getByRole("link", { name: "Edit connection" }).click();
  await expect(page.getByText("Last test failed.")).toBeVisible();
});

test("connects a new file and runs a console on it", async ({ page, person, consolePage }) => {
  await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a connection name.")).toBeVisible();
  await expect(page.getByText("File is required.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("warehouse");
  await page.getByRole("textbox", { name: "File" }).fill("../warehouse.duckdb");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a file name.")).toBeVisible();
  await page.getByRole("textbox", { name: "File" }).fill("warehouse.duckdb");
  await page.getByRole("switch", { name: "Read-only" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  const row = page.getByRole("row", { name: /warehouse/ });
  await expect(row).toContainText("Read and write");
  await row.getByRole("button", { name: "Actions for warehouse" }).click();
  await page.getByRole("menuitem", { name: "New console", exact: true }).click();
  await expect(consolePage.editor).toBeVisible();
  await consolePage.write("select 40 + 2 as answer");
  await consolePage.run.click();
  await expect(page.getByRole("gridcell", { name: "42" })).toBeVisible();
});

test("tests before saving, without saving", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
  await page.getByRole("textbox", { name: "File" }).fill("missing.duckdb");
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByText("Connection failed.", { exact: true })).toBeVisible();
  await expect(page.getByRole("form").getByText(/File missing.duckdb not found/)).toBeVisible();
  const wid = await workspaceIdOf(page.request);
  expect((await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json()).data).toHaveLength(1);
});

test("uploads and selects a file, never overwrites it, and deletes it once unused", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
  const upload = { name: "sales.duckdb", mimeType: "application/octet-stream", buffer: Buffer.alloc(2048, 1) };
  await page.getByLabel("Upload file").last().setInputFiles(upload);
  await expect(page.getByRole("textbox", { name: "File" })).toHaveValue("sales.duckdb");
  const files = page.getByRole("list", { name: "Workspace files" });
  await expect(files.getByRole("button", { name: "sales.duckdb", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByLabel("Upload file").last().setInputFiles(upload);
  await expect(page.getByText("File sales.duckdb already exists.")).toBeVisible();

  await page.getByRole("textbox", { name: "Name", exact: true }).fill("sales");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("row", { name: /sales/ })).toBeVisible();
  await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
  await page.getByRole("button", { name: "Delete sales.duckdb" }).click();
  await page.getByRole("button", { name: "Delete file" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("In use by sales.");
});

test("shows the progress of an upload and cancels it", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/files?name=*", async (route) => {
    await held;
    await route.abort();
  });
  const upload = { name: "big.duckdb", mimeType: "application/octet-stream", buffer: Buffer.alloc(200_000, 1) };
  await page.getByLabel("Upload file").last().setInputFiles(upload);
  await expect(page.getByRole("progressbar", { name: "Uploading big.duckdb" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel upload" }).click();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "File" })).toHaveValue("");
  release();
});

test("fills the form from a connection string, and saves what was tested", async ({ page, person }) => {
  await offerTypes(page);
  const sent: unknown[] = [];
  await page.route("**/connectors/test", (route) => {
    sent.push(route.request().postDataJSON());
    const isPlain = route.request().postDataJSON().config.ssl !== "require";
    const noTls = {
      ok: false,
      error: "The database does not support TLS.",
      code: "source_unreachable",
      supportsTls: false,
    };
    const data = isPlain ? { ok: true, latencyMs: 46.2, serverVersion: "Server DB 15.8" } : noTls;
    return route.fulfill({ json: { success: true, data } });
  });
  await page.route("**/connectors", (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent.push(route.request().postDataJSON());
    return route.fulfill({ status: 201, json: { success: true, data: { id: "5".repeat(24), name: "returns-db" } } });
  });
  // Shortened from the address of a console.
  await page.goto(`/w/${person.slug}/consoles`);
  await expect(page.getByRole("tree", { name: "Consoles" })).toBeVisible();
  await page.goto(`/w/${person.slug}/connections/new`);
  const sentModes = () => sent.splice(0).map((each) => (each as { config: { ssl: string } }).config.ssl);
  const tls = page.getByRole("combobox", { name: "Encryption" });
  // In a private network TLS is tried first, unless the person chooses.
  const address = page.getByRole("textbox", { name: "Connection string" });
  await address.fill("server://reader@10.0.0.7/shop");
  await address.press("Enter");
  await expect(tls).toHaveText("Encrypted, any certificate");
  await page.getByRole("textbox", { name: "Host" }).fill("db.example.com");
  await expect(tls).toHaveText("None");
  await address.fill("server://reader@10.0.0.7/shop");
  await address.press("Enter");
  await expect(tls).toHaveText("Encrypted, any certificate");
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByRole("form").getByText("Connected without TLS. The server doesn't support it.")).toBeVisible();
  await expect(tls).toHaveText("None");
  expect(sentModes()).toEqual(["require", "disable"]);
  await address.fill("server://reader@db.example.com/shop?sslmode=require");
  await address.press("Enter");
  await page.getByRole("button", { name: "Test again", exact: true }).click();
  await expect(page.getByRole("button", { name: "Turn TLS off and test again" })).toBeVisible();
  expect(sentModes()).toEqual(["require"]);
  await page
    .getByRole("textbox", { name: "Connection string" })
    .fill("server://reader:p%40ss@db.example.com:6432/shop?sslmode=verify-full");
  await page.getByRole("textbox", { name: "Connection string" }).press("Enter");
  await expect(page.getByRole("textbox", { name: "Host" })).toHaveValue("db.example.com");
  await expect(page.getByRole("textbox", { name: "Port" })).toHaveValue("6432");
  await expect(page.getByRole("combobox", { name: "Encryption" })).toHaveText("Encrypted, certificate checked");
  await page.getByRole("button", { name: "Test again", exact: true }).click();
  await expect(page.getByRole("form").getByText("Connected in 46 ms.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("returns-db");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  const config = {
    host: "db.example.com",
    port: 6432,
    database: "shop",
    user: "reader",
    password: "p@ss",
    ssl: "verify-full",
  };
  expect(sent).toEqual([
    { type: "serverdb", config },
    { name: "returns-db", readOnly: true, tag: null, confirmWrites: "never", type: "serverdb", config },
  ]);
});

test("keeps a connection string as is", { tag: "@long" }, async ({ page, person }) => {
  await offerTypes(page);
  await page.goto(`/w/${person.slug}/connections/new?type=serverdb`);
  await page.getByRole("button", { name: "Use connection string as is" }).click();
  await expect(page.getByRole("textbox", { name: "Host" })).toHaveCount(0);
  const body = page.waitForRequest("**/connectors/test");
  await page.getByLabel("Connection string").fill("server://a@b/c");
  await page.getByRole("button", { name: "Test connection" }).click();
  expect((await body).postDataJSON()).toEqual({ type: "serverdb", config: { connectionString: "server://a@b/c" } });
  await page.getByRole("button", { name: "Enter fields instead" }).click();
  await expect(page.getByRole("textbox", { name: "Host" })).toBeVisible();
});

test("shows the server's problems at their fields", { tag: "@long" }, async ({ page, person }) => {
  await offerTypes(page);
  await page.route("**/connectors/test", (route) =>
    route.fulfill({
      status: 400,
      json: {
        success: false,
        error: "No.",
        code: "invalid_request",
        details: [{ path: "config.port", message: "Port must be between 1 and 65535." }],
      },
    }),
  );
  await page.goto(`/w/${person.slug}/connections/new?type=serverdb`);
  await page.getByRole("textbox", { name: "Host" }).fill("db.example.com");
  await page.getByRole("textbox", { name: "Port" }).fill("70000");
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByRole("textbox", { name: "Port" })).toHaveAccessibleDescription(
    /Port must be between 1 and 65535\./,
  );
});

test("keeps a stored secret unless replaced, and asks for it when the host changes", async ({ page, person }) => {
  const id = await addFile(page, "shop");
  await offerTypes(page);
  const stored = {
    id,
    name: "shop",
    type: "serverdb",
    category: "database",
    readOnly: true,
    config: { host: "db.example.com", port: 5432, user: "reader", password: { set: true }, ssl: "require" },
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    latencies: [],
    createdBy: "5".repeat(24),
    createdAt: "2026-11-21T10:00:00.000Z",
    updatedAt: "2026-11-21T10:00:00.000Z",
  };
  const sent: Record<string, unknown>[] = [];
  await page.route(`**/connectors/${id}`, (route) => {
    if (route.request().method() === "PATCH") sent.push(route.request().postDataJSON());
    return route.fulfill({ json: { success: true, data: stored } });
  });
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await expect(page.getByText("Saved and encrypted")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save connection" })).toBeDisabled();

  // The reload after the first save is slow and does not delay the second one.
  const letGo = await hold(page, "**/connectors*");
  await page.getByRole("textbox", { name: "Database" }).fill("returns");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.config).toEqual({
    host: "db.example.com",
    port: 5432,
    database: "returns",
    user: "reader",
    ssl: "require",
    connectionString: null,
  });

  await page.getByRole("textbox", { name: "Host" }).fill("elsewhere.example.com");
  await expect(page.getByText("The host changed. Enter this again.")).toBeVisible();
  await page.getByRole("textbox", { name: "Password" }).fill("new secret");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]?.config).toMatchObject({ host: "elsewhere.example.com", password: "new secret" });
  letGo();

  await page.reload();
  await page.getByRole("button", { name: "Replace Password" }).click();
  await expect(page.getByRole("textbox", { name: "Password" })).toBeFocused();
  await page.getByRole("button", { name: "Keep current Password" }).click();
  await expect(page.getByText("Saved and encrypted")).toBeVisible();
});

test("renames, then deletes a connection", async ({ page, person }) => {
  const id = await addFile(page, "warehouse");
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("lakehouse");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("heading", { name: "lakehouse", level: 1 })).toBeVisible();
  await expect(page.getByRole("form").getByText("Connection saved", { exact: true })).toBeVisible();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("lakehouse 2");
  await expect(page.getByRole("form").getByText("Connection saved", { exact: true })).toHaveCount(0);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("lakehouse");
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByRole("form").getByText(/Connected in/)).toBeVisible();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete connection" }).click();
  await expect(page).toHaveURL(/\/connections$/);
  await expect(page.getByRole("row", { name: /Sample shop/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /lakehouse/ })).toHaveCount(0);
});

test("names what uses a connection before deleting it anyway", { tag: "@long" }, async ({ page, person }) => {
  const id = await addFile(page, "warehouse");
  const asked: string[] = [];
  await page.route(`**/connections/sources/${id}*`, (route) => {
    asked.push(new URL(route.request().url()).search);
    if (asked.length > 1) return route.continue();
    const details = [{ kind: "flow", id: "f".repeat(24), name: "Orders to warehouse" }];
    return route.fulfill({ status: 409, json: { success: false, error: "It is in use.", code: "in_use", details } });
  });
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete connection" }).click();
  await expect(page.getByRole("dialog", { name: "warehouse is in use" })).toContainText("Orders to warehouse");
  await page.getByRole("button", { name: "Delete anyway" }).click();
  await expect(page).toHaveURL(/\/connections$/);
  expect(asked).toEqual(["", "?force=true"]);
});

test("lets a member change their own connections and read the others", async ({ page, person, browser }) => {
  const jun = await join(browser, page, "member");
  const theirs = await addFile(page, "returns", false, jun.request);
  const others = await addFile(page, "warehouse");
  await jun.page.goto(`/w/${person.slug}/connections/${others}`);
  await expect(jun.page.getByText("Only its creator, admins and owners can edit this connection.")).toBeVisible();
  await expect(jun.page.getByRole("button", { name: "Save connection" })).toHaveCount(0);
  await expect(jun.page.getByRole("button", { name: "Delete", exact: true })).toHaveCount(0);
  await expect(jun.page.getByRole("textbox", { name: "File" })).toBeDisabled();
  await jun.page.goto(`/w/${person.slug}/connections/${theirs}`);
  await expect(jun.page.getByRole("button", { name: "Save connection" })).toBeVisible();
  await expect(jun.page.getByRole("textbox", { name: "File" })).toBeEnabled();
});

test("can't open a deleted or unknown connection", { tag: "@long" }, async ({ page, person }) => {
  for (const id of ["5".repeat(24), "nonsense"]) {
    await page.goto(`/w/${person.slug}/connections/${id}`);
    await expect(page.getByRole("heading", { name: "You can't open this connection" })).toBeVisible();
  }
});

test("explains a failed list and reloads it on request", { tag: "@long" }, async ({ page, person }) => {
  const list = /\/connectors\?limit/;
  await page.route(list, (route) =>
    route.fulfill({ status: 500, json: { success: false, error: "Something broke on our side.", code: "internal" } }),
  );
  await page.goto(`/w/${person.slug}/connections`);
  await expect(page.getByRole("main").getByText("Something broke on our side.")).toBeVisible();
  await page.unroute(list);
  await page.getByRole("main").getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("row", { name: /Sample shop/ })).toBeVisible();
});

test("offers to add a connection in an empty workspace", { tag: "@long" }, async ({ page, person }) => {
  const wid = await workspaceIdOf(page.request);
  const [sample] = (await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json()).data;
  await (await dashboardBench(page.request)).removeAll();
  await page.request.delete(`/api/workspaces/${wid}/connections/sources/${sample.id}`);
  await page.goto(`/w/${person.slug}/connections`);
  await expect(page.getByRole("heading", { name: "No connections yet" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Add connection" }).last().click();
  await expect(page.getByRole("heading", { name: "Add connection" })).toBeVisible();
});

test("shows conditional fields of a web service, and keeps named secrets one by one", {
  tag: "@long",
}, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections/new?type=rest`);
  const sources = page.getByRole("region", { name: "Sources", exact: true });
  await expect(sources.getByRole("link")).toHaveText(["Stripe", "REST", "GraphQL"]);
  await expect(page.getByRole("switch", { name: "Read-only" })).toHaveCount(0);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("orders service");
  await page.getByRole("textbox", { name: "Base URL" }).fill("https://service.invalid/v1");

  await expect(page.getByLabel("Token")).toHaveCount(0);
  await page.getByRole("combobox", { name: "Authentication" }).click();
  await page.getByRole("option", { name: "Bearer token" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Token is required.")).toBeVisible();
  await page.getByLabel("Token").fill("s3cr3t-token");

  await page.getByRole("button", { name: "Add row" }).click();
  await page.getByLabel("Headers name 1").fill("X-Tenant");
  await page.getByLabel("Headers value for X-Tenant").fill("s3cr3t-tenant");
  await page.getByRole("button", { name: "Add row" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a name for each row, or remove it.")).toBeVisible();
  await page.getByRole("button", { name: "Remove name 2" }).click();

  await page.getByRole("button", { name: "Use example" }).click();
  await expect(page.getByRole("textbox", { name: "Resources" })).toHaveValue(/"recordsPath": "data"/);
  await expect(page.getByRole("button", { name: "Use example" })).toHaveCount(0);
  await page.getByRole("textbox", { name: "Resources" }).fill('[{"name": "orders", "path": "//evil.invalid"}]');
  await page.getByRole("combobox", { name: "Pagination" }).click();
  await page.getByRole("option", { name: "Page number" }).click();
  await expect(page.getByLabel("Page parameter", { exact: true })).toHaveValue("page");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a path relative to the base URL, such as /orders.")).toBeVisible();
  await page.getByRole("textbox", { name: "Resources" }).fill('[{"name": "orders", "path": "/orders"}]');
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("row", { name: /orders service/ })).toContainText("service.invalid/v1");
  // It has no consoles.
  await page.getByRole("button", { name: "Actions for orders service" }).click();
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "New console", exact: true })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);

  await page.getByRole("table").getByRole("link", { name: "orders service" }).click();
  await expect(page.getByLabel("Headers name 1")).toHaveValue("X-Tenant");
  expect(await page.content()).not.toContain("s3cr3t");
  await page.getByRole("button", { name: "Add row" }).click();
  await page.getByLabel("Headers name 2").fill("X-Region");
  await page.getByLabel("Headers value for X-Region").fill("north");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("button", { name: "Replace X-Region" })).toBeVisible();
  await page.getByRole("textbox", { name: "Base URL" }).fill("https://elsewhere.invalid/v1");
  await page.getByLabel("Token").fill("another");
  await page.getByRole("button", { name: "Save connection" }).click();
  // The token was entered, the headers were not.
  await expect(page.getByText("Enter it again because the connection target changed.")).toHaveCount(1);
  await expect(page.getByText("The host changed. Enter this again.")).toHaveCount(1);
});

test("shows connections page by page, and finds those of later pages by ID and name", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${base}${path}`, { data });
    expect(answer.status()).toBe(201);
    return (await answer.json()).data;
  };
  // With the sample, one more than a page.
  for (let n = 0; n < 99; n++)
    await post("/connectors", { name: `Base ${n}`, type: "sqlite", config: { file: "a.db" } });
  const last = await post("/connectors", { name: "Last base", type: "sqlite", config: { file: "a.db" } });
  const { id } = await post("/consoles", { name: "On the last", content: "select 1", connectionId: last.id });
  const further: string[] = [];
  page.on("request", (request) => {
    if (/\/connectors\?.*cursor=/.test(request.url())) further.push(request.url());
  });
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  const chip = page.getByRole("button", { name: /^Connection Last base/ });
  await chip.click();
  const choice = page.getByRole("menuitemradio", { name: /^Last base/ });
  await expect(page.getByRole("menuitemradio", { name: /^Base 98/ })).toBeVisible();
  await expect(choice).toHaveCount(0);
  expect(further).toEqual([]);
  await page.getByRole("menuitem", { name: "Show more" }).click();
  await expect(choice).toBeVisible();
  await page.goto(`/w/${person.slug}/connections`);
  const rows = page.getByRole("table", { name: "Connections" }).getByRole("row", { name: /base/i });
  await expect(rows).toHaveCount(99);
  await page.getByRole("main").getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(100);
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
  await page.reload();
  await expect(rows).toHaveCount(99);
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("last base");
  await expect(page.getByRole("option", { name: /Last base/ })).toBeVisible();
});
