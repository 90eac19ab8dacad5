import "server-only";
import { AppError } from "@/lib/platform/http/errors";

/**
 * Validates a private key before it is stored: in OpenSSH, PEM or PuTTY format, without a passphrase.
 * @throws AppError `invalid_request`
 */
export async function checkPrivateKey(text: string): Promise<void> {
  const { default: library } = await import("ssh2");
  const parsed = library.utils.parseKey(text);
  // Without a passphrase, the library reports a protected key as encrypted.
  if (parsed instanceof Error && /encrypted|passphrase/i.test(parsed.message)) {
    throw new AppError("invalid_request", "The key has a passphrase. Remove it with `ssh-keygen -p` on a copy.");
  }
  const keys = parsed instanceof Error ? [] : [parsed].flat();
  if (keys.length === 1 && keys[0]?.isPrivateKey()) return;
  throw new AppError(
    "invalid_request",
    "Invalid private key. Paste the whole file, including the BEGIN and END lines.",
  );
}
