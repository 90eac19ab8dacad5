import "server-only";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ObjectId } from "mongodb";
import { findSampleConnectionId } from "@/lib/features/connections/service";
import { AppError } from "@/lib/platform/http/errors";
import { kindOf } from "./build/kind";
import { TEMPLATE_NAMES, type Template, type TemplateName } from "./schema";
import { projectFiles } from "./types/project";

const TEMPLATES: Record<TemplateName, { title: string; description: string }> = {
  blank: { title: "Blank page", description: "An empty page with a heading" },
  metrics: {
    title: "Metrics page",
    description: "KPIs vs last year, and revenue by month, country and channel, with a region filter",
  },
  table: {
    title: "Table with detail",
    description: "A searchable, sortable list with a detail panel",
  },
  report: {
    title: "Report with a form",
    description: "A form for period, country and categories. The report has a URL and can be printed",
  },
};
/** Placeholder for the connection to the sample shop in the files of templates. */
const SAMPLE_CONNECTION = "{{sampleConnectionId}}";
const TITLE = "{{title}}";

/** Same name as in apps. */
const THUMBNAIL = "thumbnail.png";
const TEXT_FILE = /\.(?:html|css|tsx?|sql|json|md|svg)$/;

/** Lists the templates for new apps. */
export async function listTemplates(): Promise<Template[]> {
  return Promise.all(
    TEMPLATE_NAMES.map(async (name) => {
      const files = await filesOf(name);
      const thumbnail = files.get(THUMBNAIL)?.toString("base64") ?? "";
      const paths = [...files.keys()].filter((path) => isCopied(name, path));
      return { name, ...TEMPLATES[name], files: paths, thumbnail: `data:image/png;base64,${thumbnail}` };
    }),
  );
}

/**
 * Returns the files of a template for an app of this title.
 * @throws AppError conflict when it reads the sample shop, which the workspace does not have
 */
export async function fillTemplate(
  workspaceId: ObjectId,
  name: TemplateName,
  title: string,
): Promise<Map<string, string | Buffer>> {
  const files = await filesOf(name);
  const readsSample = [...files.values()].some((content) => content.includes(SAMPLE_CONNECTION));
  const sample = readsSample ? await findSampleConnectionId(workspaceId) : null;
  if (readsSample && !sample) {
    throw new AppError("conflict", "This template needs the sample shop connection. Choose another template.");
  }
  const fill = (path: string, text: string) =>
    text
      .replaceAll(SAMPLE_CONNECTION, sample?.toHexString() ?? "")
      .replaceAll(TITLE, () => (path.endsWith(".html") ? escapeHtml(title) : title));
  const copied = [...files].filter(([path]) => isCopied(name, path));
  return new Map(
    copied.map(([path, content]) => [path, TEXT_FILE.test(path) ? fill(path, content.toString()) : content]),
  );
}

/** The blank template has no thumbnail: a picture of an empty page is meaningless. */
function isCopied(name: TemplateName, path: string): boolean {
  return name !== "blank" || path !== THUMBNAIL;
}

async function filesOf(name: TemplateName): Promise<Map<string, Buffer>> {
  // The server's working directory is the project's.
  const root = join(/* turbopackIgnore: true */ process.cwd(), "templates", "apps", name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => relative(root, join(parentPath, file)).split(sep).join("/"))
    .sort();
  const files = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path))] as const)),
  );
  if (kindOf(paths) === "static") return files;
  // Clones of the repository check its scripts.
  for (const [path, text] of projectFiles()) files.set(path, Buffer.from(text));
  return files;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
