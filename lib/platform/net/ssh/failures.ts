import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { toConnectionFailure, unusableSource } from "../failures";
import type { Fingerprint } from "./host-key";

/* Failures of a tunnel, with fixed messages: text from a server goes to the log only (T47). */

export function unknownHostKey(found: Fingerprint): AppError {
  return new AppError(
    "source_unreachable",
    `Unknown SSH host key ${found}. Compare it with ssh-keygen -lf on the server, then enter it as tunnel host key.`,
    { details: { reason: "host_key_unknown", hostKeySha256: found } },
  );
}

export function changedHostKey(found: Fingerprint): AppError {
  return unusableSource(
    `WARNING: the SSH host key has changed to ${found}. This could be an attack, or the server was reinstalled. No credentials were sent. Verify the key before you trust it.`,
    "host_key_changed",
  );
}

export function sshSignInFailed(cause: unknown): AppError {
  const message = "SSH authentication failed. Check the tunnel user and its password or private key.";
  return unusableSource(message, "ssh_sign_in", cause);
}

export function noSsh(cause: unknown): AppError {
  return unusableSource("The tunnel host is not a valid SSH server. Check the host and port.", "protocol", cause);
}

export function tunnelClosed(cause?: unknown): AppError {
  return unusableSource("The SSH tunnel was lost. Run the query again.", "closed", cause);
}

/**
 * Returns the failure for a tunnel that is open but cannot reach the database. RFC 4254, section 5.1, defines the
 * reason codes.
 */
export function notForwarded(cause: Error): AppError {
  const reason = "reason" in cause ? Number(cause.reason) : 0;
  const words: Record<number, string> = {
    1: "The SSH server does not allow this tunnel. Check AllowTcpForwarding and PermitOpen.",
    2: "The SSH server can't reach the database. Check the host and port as seen from it.",
    4: "The SSH server has too many connections. Try again later.",
  };
  return unusableSource(words[reason] ?? "The SSH server could not open the tunnel.", "not_forwarded", cause);
}

/** Converts a failure on the connection to the SSH server itself. */
export function toTunnelFailure(error: unknown): AppError {
  const failure = toConnectionFailure(error);
  if (failure.kind === "address_refused" || failure.kind === "invalid_request") return failure;
  return new AppError(failure.kind, `The SSH server is unreachable. ${failure.message}`, {
    cause: failure,
    ...(failure.details && { details: failure.details }),
  });
}
