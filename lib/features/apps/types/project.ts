import { APP_DECLARATIONS, CARRIED_VERSIONS, CHECKER_VERSIONS } from "./declarations.generated";

/** Same options as the platform's build: current browsers, React's automatic JSX runtime, isolated modules. */
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
 * Returns the files with which an editor and a compiler on a user's machine understand a cloned app: the types of
 * `@millrace/app`, and the versions of the packages it is built with here. The build reads none of them.
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
