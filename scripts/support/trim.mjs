import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Sources, handbooks and second forms of modules, which packages carry beside what is run here. */
const UNREAD = [
  "@auth/core/src",
  "@base-ui/react/docs",
  "@modelcontextprotocol/sdk/dist/cjs",
  "ajv/lib",
  "apache-arrow/src",
  // Reports of the accessibility checker in other languages.
  "axe-core/locales",
  "better-sqlite3/deps",
  "better-sqlite3/src",
  // Numbers that the package of the metrics' quantiles is tested with.
  "bintrees/test",
  "lucide-react/dist/cjs",
  // Of icons whose names are known only while a page runs; each of the four has three megabytes.
  "lucide-react/dynamic.d.mts",
  "lucide-react/dynamic.d.ts",
  "lucide-react/dynamicIconImports.d.mts",
  "lucide-react/dynamicIconImports.d.ts",
  "lucide-react/dist/lucide-react.prefixed.d.ts",
  "lucide-react/dist/lucide-react.suffixed.d.ts",
  "mongodb/src",
  "next/dist/bundle-analyzer",
  // Pictures of its pages; ours are drawn by lib/platform/engines/pictures.
  "next/dist/compiled/@vercel/og",
  // React's experimental builds, which nothing here asks for.
  "next/dist/compiled/react-dom-experimental",
  "next/dist/compiled/react-experimental",
  "next/dist/compiled/react-server-dom-turbopack-experimental",
  "next/dist/compiled/react-server-dom-webpack-experimental",
  "next/dist/docs",
  "next-auth/src",
  "sql-formatter/dist/sql-formatter.min.cjs",
  "sql-formatter/dist/sql-formatter.min.js",
  "svix/src",
  "vega-lite/build/vega-lite.min.js",
  "vega-lite/src",
  // Bundles for pages without a bundler.
  "vega/build/vega-core.js",
  "vega/build/vega-core.min.js",
  "vega/build/vega.js",
  "vega/build/vega.min.js",
  "yaml/browser",
  "zod/src",
];

/** Maps of sources, types for modules of the old kind, and what packages say of themselves and of their past; licences stay. */
const UNREAD_ANYWHERE = /(\.(js|mjs|cjs|css|ts|mts|cts)\.map|\.d\.cts|(^|[\\/])(readme|changelog)\.md)$/i;

/**
 * Takes out of node_modules what nothing here reads, a fifth of all: the maps of packages' sources, their readmes, what one would
 * compile Node.js add-ons with, SQLite's builds for other systems, sources and handbooks.
 * @param {string} root the project's folder
 */
export function trimPackages(root) {
  const packages = join(root, "node_modules");
  for (const file of readdirSync(packages, { recursive: true })) {
    if (UNREAD_ANYWHERE.test(file)) rmSync(join(packages, file), { force: true });
  }
  rmSync(join(packages, `node-${process.platform}-${process.arch}`, "include"), { recursive: true, force: true });
  const sdk = join(packages, "@ai-sdk");
  const ofSdk = existsSync(sdk) ? readdirSync(sdk).map((name) => join(sdk, name)) : [];
  for (const folder of [join(packages, "ai"), ...ofSdk]) {
    for (const name of ["docs", "src"]) rmSync(join(folder, name), { recursive: true, force: true });
  }
  // Next's runtimes for writing pages, and those with React's experimental builds: what is built is what runs here.
  const runtimes = join(packages, "next", "dist", "compiled", "next-server");
  for (const name of existsSync(runtimes) ? readdirSync(runtimes) : []) {
    if (/(-experimental\.runtime\.prod|\.runtime\.dev)\.js$/.test(name)) rmSync(join(runtimes, name), { force: true });
  }
  for (const place of UNREAD) rmSync(join(packages, place), { recursive: true, force: true });
  const languages = join(packages, "prettier", "plugins");
  // The mails' library lays out HTML with it, and nothing else.
  for (const file of existsSync(languages) ? readdirSync(languages) : []) {
    if (!file.startsWith("html.")) rmSync(join(languages, file));
  }
  const prebuilds = join(packages, "better-sqlite3", "prebuilds");
  const own = new RegExp(`^${process.platform}(musl)?-${process.arch}\\.node$`);
  for (const file of existsSync(prebuilds) ? readdirSync(prebuilds) : []) {
    if (!own.test(file)) rmSync(join(prebuilds, file));
  }
}
