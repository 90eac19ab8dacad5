import { APP_DECLARATIONS, CARRIED_VERSIONS, CHECKER_VERSIONS } from "./declarations.generated";

/** As the platform builds apps: for browsers of today, React's own form of JSX, and each file for itself. */
const COMPILER_OPTIONS = {
  target: "es2022",
  lib: ["dom", "dom.iterable", "es2023"],
  module: "esnext",
  moduleResolution: "bundler",
  jsx: "react-jsx",
  strict: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/**
 * What an editor and a compiler on somebody's own machine know a cloned app by: the types of `@millrace/app`, and the
 * versions of what it is built with here. The build reads none of it.
 */
export function projectFiles(): Map<string, string> {
  const project = {
    private: true,
    scripts: { check: "tsc" },
    dependencies: CARRIED_VERSIONS,
    devDependencies: CHECKER_VERSIONS,
  };
  return new Map([
    [".gitignore", "node_modules/\n"],
    ["millrace-app.d.ts", APP_DECLARATIONS],
    ["package.json", toJson(project)],
    ["tsconfig.json", toJson({ compilerOptions: COMPILER_OPTIONS, include: ["src", "millrace-app.d.ts"] })],
  ]);
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
