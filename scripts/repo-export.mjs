import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/** Writes a workspace's repository as a bare git repository: npm run repo:export -- <id or slug> <new folder> */
await runCommand(fileURLToPath(import.meta.url), "repo-export", "exportCommand");
