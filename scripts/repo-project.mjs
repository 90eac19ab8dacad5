import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/** Writes the shared consoles and dashboards of a workspace from its repository: npm run repo:project -- <id or slug> */
await runCommand(fileURLToPath(import.meta.url), "repo-project", "projectCommand");
