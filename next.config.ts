import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants";

const { BUILD_FOLDER } = process.env;

const config = (phase: string): NextConfig => ({
  // `npm run check:vercel` builds beside what is there.
  distDir: BUILD_FOLDER ?? ".next",
  poweredByHeader: false,
  // A trailing slash is the same route (docs/api.md, Common rules), and a redirect would lose a body.
  skipTrailingSlashRedirect: true,
  // Native or with files of their own beside the code: loaded by Node, not bundled.
  serverExternalPackages: ["better-sqlite3", "@duckdb/node-api", "@node-rs/argon2", "mongodb", "pino", "bson"],
  // The framework's own files; everything else gets its headers from proxy.ts and lib/http.
  headers: async () => [{ source: "/_next/:path*", headers: [{ key: "X-Content-Type-Options", value: "nosniff" }] }],
  // The thread that judges statements for PostgreSQL, which a platform that copies single functions would leave behind.
  outputFileTracingIncludes: { "/api/**": ["dist/grammar.mjs", "node_modules/libpg-query/{package.json,wasm/*}"] },
  // `npm run check` does the types, with a compiler that the framework's own check cannot use.
  typescript: { ignoreBuildErrors: true, tsconfigPath: BUILD_FOLDER ? `${BUILD_FOLDER}.json` : "tsconfig.json" },
  agentRules: false,
  devIndicators: false,
  // Nothing reads those of a build, and they are four fifths of it.
  experimental: { turbopackSourceMaps: phase === PHASE_DEVELOPMENT_SERVER },
});

export default config;
