import { ROOT } from "./support/paths.mjs";
import { capture, main, ScriptError } from "./support/run.mjs";

/** Severities with a known attack that fail the check; lower ones are reviewed when packages are updated. */
const REFUSED = new Set(["high", "critical"]);

/**
 * Checks the packages of a lockfile for advisories in the registry, and fails for each relevant one (T110): `npm run
 * advisories`, or with a folder that has another lockfile. A registry without advisories does not stop the build, but
 * the output says that nothing was checked.
 */
await main(async () => {
  const folder = process.argv[2] ?? ROOT;
  const { output } = await capture("npm", [
    ...["audit", "--json", "--package-lock-only", "--loglevel=silent"],
    ...["--prefix", folder],
  ]);
  const report = parse(output);
  if (!report?.metadata) {
    console.log("The registry provides no advisories. Packages were not checked.");
    return;
  }
  const found = Object.values(report.vulnerabilities).filter(({ severity }) => REFUSED.has(severity));
  if (found.length > 0) {
    const lines = found.map(({ name, severity, via }) => `  ${name}: ${severity}, ${via.map(toWords).join("; ")}`);
    throw new ScriptError(`Vulnerable packages. Update or remove them:\n${lines.join("\n")}`);
  }
  console.log(`No serious advisories for ${report.metadata.dependencies.total} packages.`);
});

/** Formats an advisory, or the name of the package through which it comes. */
function toWords(via) {
  return typeof via === "string" ? `through ${via}` : `${via.title} (${via.url})`;
}

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}
