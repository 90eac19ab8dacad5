import "server-only";
import { parseArgs } from "node:util";
import { acceptKeys } from "@/lib/features/instance/check-keys";
import { env } from "@/lib/platform/env";
import { loadSecrets, replaceSecrets } from "@/lib/platform/secrets/bootstrap";
import { openStore } from "./open-store";

const LOSSES = [
  "This can't be undone. With new secrets:",
  "- stored passwords and tokens of connections, flows, notification rules, shares and emails can't be decrypted;",
  "  enter each of them again;",
  "- unlocked shares and app previews expire.",
  "Accounts, their passwords, sessions, API keys and all other data are kept.",
];

/**
 * Runs `npm run secrets:new -- --yes`: starts an installation with new secrets, or with those of the settings, after
 * the old ones were lost. Without `--yes` it prints what will be lost.
 * @returns the exit code
 * @throws CommandError while a server runs
 */
export async function newSecretsCommand(args: string[], print: (line: string) => void): Promise<number> {
  const { values } = parseArgs({ args, options: { yes: { type: "boolean", default: false } }, strict: true });
  if (!values.yes) {
    for (const line of LOSSES) print(line);
    print("To continue: npm run secrets:new -- --yes");
    return 1;
  }
  const settings = env();
  const stop = await openStore({ isAlone: true });
  try {
    const isGiven = settings.AUTH_SECRET !== undefined && settings.ENCRYPTION_KEYS !== undefined;
    const aside = isGiven ? null : replaceSecrets(settings);
    await acceptKeys(loadSecrets(settings).encryptionKeys);
    if (aside !== null) print(`The old file was moved to ${aside}.`);
    print(
      isGiven
        ? "The next start uses the keys of the settings."
        : `New secrets are in ${settings.DATA_DIR}/secrets.json.`,
    );
    return 0;
  } finally {
    await stop();
  }
}
