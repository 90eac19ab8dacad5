/*
 * The rooms of the code and which way their imports go; docs/rooms.md draws them. `npm run check` fails on an import
 * that goes another way, on rooms that import each other in a circle, and on files that do.
 */

/** Carry everything and know nothing of what the product is for. */
const GROUND = [
  "env\\.ts",
  "process",
  "log",
  "metrics",
  "http",
  "db",
  "secrets",
  "tabular",
  "text",
  "charts",
  "cubes",
  "zones",
  "net",
  "sql",
  "shell",
  "explain",
  "embedded",
  "engines",
  "pictures",
  "sample",
  "jobs",
];
/** Served to domains by the ones below, and to the routes. Above them all: api, lifecycle, commands. */
const TOP = ["api", "lifecycle", "commands"];
/** What runs in a browser. */
const BROWSER = ["client", "ui"];

const lib = (rooms) => `^lib/(${rooms.join("|")})(/|$)`;
/** What a browser may load of the server's rooms: rules and words without a database. Of schemas it takes types alone. */
const SHARED = [
  "^lib/(tabular|text|charts|cubes|zones|sql|shell|explain)/",
  "^lib/features/connections/config-fields\\.ts$",
  "^lib/features/runs/schedules/cron\\.ts$",
  "^lib/features/apps/types/declarations\\.generated\\.ts$",
  "^lib/[^/]+/(roles|limits|words)\\.ts$",
];
const SCHEMA = "^lib/[^/]+/[^/]*schema\\.ts$";

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle-of-files",
      comment: "Two files import each other, maybe by way of others: what both need belongs in a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-circle-of-rooms",
      comment: "Two rooms import each other: the mechanism that both use belongs in a room below.",
      severity: "error",
      scope: "folder",
      from: { path: "^(lib|components)/[^/]+$" },
      to: { circular: true },
    },
    {
      name: "ground-knows-no-domain",
      comment: "The ground carries the domains: hand in what it needs by a parameter.",
      severity: "error",
      from: { path: lib(GROUND) },
      to: { path: "^(lib|components|app|inngest)/", pathNot: `${lib(GROUND)}|^emails/` },
    },
    {
      name: "domains-know-no-top",
      comment: "What concerns the whole installation imports the domains, never the other way round.",
      severity: "error",
      from: { path: "^lib/", pathNot: `${lib(TOP)}` },
      to: { path: lib(TOP) },
    },
    {
      name: "commands-are-for-operators",
      comment: "Commands are run by scripts alone.",
      severity: "error",
      from: { path: "^(lib|app|components)/", pathNot: `^scripts/commands/` },
      to: { path: "^scripts/commands/" },
    },
    {
      name: "lib-knows-no-face",
      comment: "Pages, routes and components stand on lib: move the shared part down.",
      severity: "error",
      from: { path: "^lib/" },
      to: { path: "^(app|components)/|^inngest/(?!client\\.ts$)" },
    },
    {
      name: "a-collection-is-its-domains",
      comment: "Ask the domain by a function of its service; only lib/features/instance sees all collections.",
      severity: "error",
      from: { path: "^(lib/([^/]+)|app|inngest)/", pathNot: `^lib/features/instance/` },
      to: { path: "^lib/[^/]+/collections\\.ts$", pathNot: "^lib/$2/collections\\.ts$" },
    },
    {
      name: "routes-ask-no-database",
      comment: "Pages and routes declare who may and what comes in, and call one function of a domain.",
      severity: "error",
      from: { path: "^(app|inngest)/" },
      to: { path: "^lib/(db|embedded)/|^node_modules/mongodb/" },
    },
    {
      name: "browsers-load-no-server",
      comment: "This runs in the browser: take data by props, or ask by lib/client.",
      severity: "error",
      from: { path: `^components/|${lib(BROWSER)}` },
      to: {
        path: "^(lib|app)/|^node_modules/mongodb/",
        pathNot: [...SHARED, SCHEMA, lib(BROWSER)],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "browsers-load-no-schema",
      comment: "zod tries to compile code, which the pages' policy forbids and reports: import the type alone.",
      severity: "error",
      from: { path: [`^components/|${lib(BROWSER)}`, ...SHARED] },
      to: { path: ["^node_modules/zod/", SCHEMA], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "one-way-to-the-sdk",
      comment: "The SDK loads zod, which has to be told first not to compile: import it by components/agent/sdk.ts.",
      severity: "error",
      from: { path: `^components/|${lib(BROWSER)}`, pathNot: "^components/agent/sdk\\.ts$" },
      to: { path: "^node_modules/(ai|@ai-sdk)/" },
    },
    {
      name: "ui-is-plain",
      comment: "components/ui knows no workspace: hand it in by props.",
      severity: "error",
      from: { path: "^components/ui/" },
      to: { path: "^components/(?!ui/)" },
    },
    {
      name: "workspace-is-below-the-views",
      comment: "The provider, its stores and hooks serve the views and import none.",
      severity: "error",
      from: { path: "^components/workspace/" },
      to: { path: "^components/(?!(ui|workspace)/)" },
    },
    {
      name: "shell-is-above-the-views",
      comment: "The shell frames the views: what a view needs of it belongs in components/workspace.",
      severity: "error",
      from: { path: "^components/(?!shell/)" },
      to: { path: "^components/shell/" },
    },
  ],
  options: {
    // An import of a type ties two rooms as well.
    tsPreCompilationDeps: true,
    parser: "swc",
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "^node_modules/" },
    // Tests may ask anybody anything.
    exclude: {
      path: "^\\.generated/|^node_modules/(?!(mongodb|zod|ai|@ai-sdk)/)|\\.test\\.tsx?$|/testing/|^(test|e2e|bench)/",
    },
  },
};
