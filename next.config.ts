import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants";

/** A build beside the product's own, with the routes that only measurements call (`route.bench.ts`). */
const isBench = process.env.BENCH_BUILD === "on";

const config = (phase: string): NextConfig => ({
  // A measurement builds beside what is there.
  distDir: isBench ? ".next-bench" : ".next",
  ...(isBench && { pageExtensions: ["tsx", "ts", "bench.ts"] }),
  poweredByHeader: false,
  // No page asks for images in other sizes, so the route that makes them, and the library behind it, are left out.
  images: { unoptimized: true },
  // A trailing slash is the same route (docs/develop/api.md, Common rules), and a redirect would lose a body.
  skipTrailingSlashRedirect: true,
  // Loaded by Node, not bundled: native, with files beside the code, or so large that a copy in each of ten
  // parts of the build is what most of these consist of.
  serverExternalPackages: [
    "better-sqlite3",
    "@duckdb/node-api",
    "@node-rs/argon2",
    "mongodb",
    "pino",
    "bson",
    "ssh2",
    "inngest",
    "mysql2",
    "undici",
    "pg",
    "sharp",
    "vite",
  ],
  // The framework's own files; everything else gets its headers from proxy.ts and lib/platform/http.
  headers: async () => [{ source: "/_next/:path*", headers: [{ key: "X-Content-Type-Options", value: "nosniff" }] }],
  // What a platform that copies single functions would leave behind: the threads with their packages, and the files that
  // apps begin with.
  outputFileTracingIncludes: {
    "/api/**": [
      "dist/grammar.mjs",
      "dist/statements.mjs",
      "dist/hashing.mjs",
      "dist/parquet.mjs",
      "node_modules/@node-rs/argon2*/**",
      "node_modules/libpg-query/{package.json,wasm/*}",
      "node_modules/{hyparquet,hyparquet-writer,hysnappy}/{package.json,src/**,js/**}",
      "templates/**/*",
    ],
  },
  // `npm run check` does the types, with a compiler that the framework's own check cannot use.
  // A build writes its own folders into the file; folders of another build are not shared.
  typescript: { ignoreBuildErrors: true, tsconfigPath: isBench ? "bench/tsconfig.json" : "tsconfig.json" },
  turbopack: {
    resolveAlias: {
      // Of what browsers of today have, and of Node's `process`, which nothing that reaches a browser calls: read first by each page.
      "../build/polyfills/polyfill-module": { browser: "./lib/platform/browser/nothing.ts" },
      "next/dist/compiled/process": { browser: "./lib/platform/browser/nothing.ts" },
    },
  },
  agentRules: false,
  devIndicators: false,
  // Nothing reads those of a build, and they are four fifths of it.
  experimental: {
    // Small files weigh more apart than together: so the sign-in keeps within its budget (e2e/ui/page-size.spec.ts), for a tenth more
    // of scripts in all. Twice the size would make it a quarter.
    turbopackChunking: { minChunkSize: 80_000 },
    turbopackSourceMaps: phase === PHASE_DEVELOPMENT_SERVER,
    // What makes a later build of changed sources quick is written at the end of each, for longer than all else that is written.
    turbopackFileSystemCacheForBuild: process.env.BUILD_CACHE !== "off",
  },
});

export default config;
