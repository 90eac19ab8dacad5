import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { toConnectionFailure } from "../failures";
import type { Fingerprint } from "./host-key";

/* Failures of a tunnel, with fixed messages: text from a server goes to the log only (T47). */

export function unknownHostKey(found: Fingerprint): AppError {
  return new AppError(
    "source_unreachable",
    `The SSH server's key is not known yet. Its fingerprint is ${found}. Compare it with the server's own (ssh-keygen -lf on its host key), then put it in as the tunnel's host key. Nothing was sent to it.`,
    { details: { reason: "host_key_unknown", hostKeySha256: found } },
  );
}

export function changedHostKey(found: Fingerprint): AppError {
  return new AppError(
    "source_unreachable",
    `WARNING: the SSH server has another key than the one that this connection trusts. Somebody may be listening in between, or the server was set up anew. Nothing was sent to it. Ask whoever runs the server before you trust ${found}.`,
    { details: { reason: "host_key_changed" } },
  );
}

export function sshSignInFailed(cause: unknown): AppError {
  return new AppError(
    "source_unreachable",
    "The SSH server refused the sign-in. Check the tunnel's user, and its password or private key.",
    { cause, details: { reason: "ssh_sign_in" } },
  );
}

export function noSsh(cause: unknown): AppError {
  return new AppError(
    "source_unreachable",
    "What answers at the tunnel's host does not speak SSH as it should. Check the tunnel's host and port.",
    { cause, details: { reason: "protocol" } },
  );
}

export function tunnelClosed(cause?: unknown): AppError {
  return new AppError(
    "source_unreachable",
    "The SSH tunnel was closed: its server was restarted, or something in between cut the line. Run the query again.",
    { cause, details: { reason: "closed" } },
  );
}

/**
 * Returns the failure for a tunnel that is open but cannot reach the database. RFC 4254, section 5.1, defines the
 * reason codes.
 */
export function notForwarded(cause: Error): AppError {
  const reason = "reason" in cause ? Number(cause.reason) : 0;
  const words: Record<number, string> = {
    1: "The SSH server does not allow tunnels to the database's address. Ask whoever runs it (AllowTcpForwarding, PermitOpen).",
    2: "The SSH server cannot reach the database. Check its host and port as they are seen from there.",
    4: "The SSH server has no room for another connection. Try again, or ask whoever runs it.",
  };
  return new AppError("source_unreachable", words[reason] ?? "The SSH server did not open the way to the database.", {
    cause,
    details: { reason: "not_forwarded" },
  });
}

/** Converts a failure on the connection to the SSH server itself. */
export function toTunnelFailure(error: unknown): AppError {
  const failure = toConnectionFailure(error);
  if (failure.kind === "address_refused" || failure.kind === "invalid_request") return failure;
  return new AppError(failure.kind, `The SSH server is not reached. ${failure.message}`, {
    cause: failure,
    ...(failure.details && { details: failure.details }),
  });
}
