/*
 * The layers of the code and which way their imports go (docs/develop/architecture.md). `npm run check` fails on an import that
 * goes another way.
 */

/** A feature imports those before it. Each name is a folder of lib/features. */
export const FEATURES = [
  "users",
  "connections",
  "workspaces",
  "accounts",
  "repository",
  "folders",
  "query",
  "results",
  "runs",
  "shares",
  "metrics",
  "consoles",
  "dashboards",
  "reviews",
  "flows",
  "apps",
  "linked-repositories",
  "notifications",
  "agent",
  "instance",
];
/** Everything of the product that is not a layer's own folder. */
const CODE = "^(lib|app|components|inngest|scripts)/";
/** Modules of the server's features that a browser may load: rules without a database. */
const SHARED = [
  "^lib/base/",
  "^lib/(platform|features)/([^/]+|[^/]+/(invites|crossfilter|datasets|git))/(roles|limits|words|config-fields)\\.ts$",
  "^lib/features/(runs/schedules/cron|apps/types/declarations\\.generated)\\.ts$",
  "^lib/features/dashboards/kinds/[a-z/-]*(traits|suggest|console-chart|limits|layout)\\.ts$",
];
const BROWSER = ["^components/", "/browser/"];

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circles",
      comment: "Two files import each other, maybe by way of others: move what both need into a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "base-imports-base",
      comment: "lib/base runs anywhere: take what is needed as a parameter.",
      severity: "error",
      from: { path: "^lib/base/" },
      to: { path: CODE, pathNot: "^lib/base/" },
    },
    {
      name: "platform-imports-base",
      comment: "lib/platform knows no feature: take what is needed as a parameter.",
      severity: "error",
      from: { path: "^lib/platform/" },
      to: { path: CODE, pathNot: "^lib/(base|platform)/" },
    },
    ...FEATURES.map((name, at) => ({
      name: "features-import-down",
      comment: "A feature imports the platform, the base and the features before it in the list above.",
      severity: "error",
      // What runs in the browser asks the API, which is above all features.
      from: { path: `^lib/features/${name}/`, pathNot: "/browser/" },
      to: {
        path: CODE,
        pathNot: `^lib/(base|platform|features/(${FEATURES.slice(0, at + 1).join("|")}))/|^inngest/client\\.ts$`,
      },
    })),
    {
      name: "collections-are-private",
      comment: "Call a function of the feature that owns the collection. Only lib/features/instance sees all of them.",
      severity: "error",
      from: { path: "^(lib/features/([^/]+)|app|inngest)/", pathNot: "^lib/features/instance/" },
      to: { path: "/collections\\.ts$", pathNot: "^lib/(platform|features/$2)/" },
    },
    {
      name: "browsers-load-no-server",
      comment: "This runs in the browser: take data as props or ask the API. Of a schema import the type alone.",
      severity: "error",
      from: { path: [...BROWSER, ...SHARED], pathNot: "^components/agent/sdk\\.ts$" },
      to: {
        path: "^(lib|app)/|^node_modules/(mongodb|zod|ai|@ai-sdk)/",
        pathNot: [...SHARED, "/browser/"],
        dependencyTypesNot: ["type-only"],
      },
    },
  ],
  options: {
    // An import of a type ties two layers as well.
    tsPreCompilationDeps: true,
    parser: "swc",
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "^node_modules/" },
    // Tests may import anything.
    exclude: {
      path: "^\\.generated/|^node_modules/(?!(mongodb|zod|ai|@ai-sdk)/)|\\.test\\.tsx?$|^(test|e2e|bench)/",
    },
  },
};
