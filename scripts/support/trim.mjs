import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Unused files of packages: sources, handbooks and second builds of modules. */
const UNREAD = [
  "@auth/core/src",
  "@base-ui/react/docs",
  "@modelcontextprotocol/sdk/dist/cjs",
  "ajv/lib",
  "apache-arrow/src",
  // Messages of the accessibility checker in other languages.
  "axe-core/locales",
  "better-sqlite3/deps",
  "better-sqlite3/src",
  // Test data of the package for metrics' quantiles.
  "bintrees/test",
  "lucide-react/dist/cjs",
  // Icons whose names are known only at run time; each of the four has three megabytes.
  "lucide-react/dynamic.d.mts",
  "lucide-react/dynamic.d.ts",
  "lucide-react/dynamicIconImports.d.mts",
  "lucide-react/dynamicIconImports.d.ts",
  "lucide-react/dist/lucide-react.prefixed.d.ts",
  "lucide-react/dist/lucide-react.suffixed.d.ts",
  "mongodb/src",
  "next/dist/bundle-analyzer",
  // Renderer of Open Graph pictures; lib/platform/engines/pictures draws ours.
  "next/dist/compiled/@vercel/og",
  // React's experimental builds, which are unused here.
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

/** Source maps, types for CommonJS, readmes and changelogs; licences stay. */
const UNREAD_ANYWHERE = /(\.(js|mjs|cjs|css|ts|mts|cts)\.map|\.d\.cts|(^|[\\/])(readme|changelog)\.md)$/i;

/**
 * Removes unused files from node_modules, a fifth of its size: source maps, readmes, build files of Node.js add-ons,
 * SQLite's builds for other systems, sources and handbooks.
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
  // Next's runtimes for development, and those with React's experimental builds: only the production build runs here.
  const runtimes = join(packages, "next", "dist", "compiled", "next-server");
  for (const name of existsSync(runtimes) ? readdirSync(runtimes) : []) {
    if (/(-experimental\.runtime\.prod|\.runtime\.dev)\.js$/.test(name)) rmSync(join(runtimes, name), { force: true });
  }
  for (const place of UNREAD) rmSync(join(packages, place), { recursive: true, force: true });
  const languages = join(packages, "prettier", "plugins");
  // The mail library formats HTML with it, and nothing else.
  for (const file of existsSync(languages) ? readdirSync(languages) : []) {
    if (!file.startsWith("html.")) rmSync(join(languages, file));
  }
  const prebuilds = join(packages, "better-sqlite3", "prebuilds");
  const own = new RegExp(`^${process.platform}(musl)?-${process.arch}\\.node$`);
  for (const file of existsSync(prebuilds) ? readdirSync(prebuilds) : []) {
    if (!own.test(file)) rmSync(join(prebuilds, file));
  }
}
