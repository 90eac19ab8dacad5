import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Credentials that the server stores for a password (RFC 5802, RFC 7677): enough to verify it, not enough to sign in
 * with it.
 */
export type Credentials = {
  user: string;
  iterations: number;
  salt: Buffer;
  storedKey: Buffer;
  serverKey: Buffer;
};

/** MongoDB's default for SCRAM-SHA-256. */
const ITERATIONS = 15_000;
const SALT_BYTES = 28;
const NONCE_BYTES = 24;
const HASH = "sha256";

/** @param password printable ASCII, which SASLprep does not change */
export function deriveCredentials(
  user: string,
  password: string,
  salt: Buffer = randomBytes(SALT_BYTES),
  iterations = ITERATIONS,
): Credentials {
  const salted = pbkdf2Sync(password, salt, iterations, 32, HASH);
  return {
    user,
    iterations,
    salt,
    storedKey: createHash(HASH).update(hmac(salted, "Client Key")).digest(),
    serverKey: hmac(salted, "Server Key"),
  };
}

/** Returns true when the credentials were derived from the password. */
export function isPasswordOf(credentials: Credentials, password: string): boolean {
  const { user, salt, iterations, storedKey } = credentials;
  return timingSafeEqual(deriveCredentials(user, password, salt, iterations).storedKey, storedKey);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac(HASH, key).update(text).digest();
}

/** The server's side of a sign-in. */
export class ScramConversation {
  readonly serverFirst: string;
  private readonly credentials: Credentials;
  private readonly isKnown: boolean;
  private readonly nonce: string;
  private readonly clientFirstBare: string;
  private readonly header: string;

  /**
   * Starts a conversation. For an unknown user it continues in the same way, with a constant salt, and fails at the
   * end.
   * @returns undefined when the first message is not a SCRAM message, or requests channel binding
   */
  static begin(
    credentials: Credentials,
    message: string,
    serverNonce = randomBytes(NONCE_BYTES).toString("base64"),
  ): ScramConversation | undefined {
    const parts = /^([ny],(?:a=[^,]*)?,)(n=([^,]*),r=([!-+\x2d-~]+))$/.exec(message);
    if (parts === null) return undefined;
    const [, header = "", bare = "", name = "", nonce = ""] = parts;
    const user = name.replaceAll("=2C", ",").replaceAll("=3D", "=");
    // Signing in as one user and acting as another is not supported.
    const acting = /a=([^,]*)/.exec(header)?.[1] ?? "";
    const isKnown = user === credentials.user && (acting === "" || acting === name);
    const salt = isKnown ? credentials.salt : hmac(credentials.serverKey, user).subarray(0, SALT_BYTES);
    const combined = nonce + serverNonce;
    const serverFirst = `r=${combined},s=${salt.toString("base64")},i=${credentials.iterations}`;
    return new ScramConversation(credentials, isKnown, header, bare, combined, serverFirst);
  }

  private constructor(
    credentials: Credentials,
    isKnown: boolean,
    header: string,
    clientFirstBare: string,
    nonce: string,
    serverFirst: string,
  ) {
    this.credentials = credentials;
    this.isKnown = isKnown;
    this.header = header;
    this.clientFirstBare = clientFirstBare;
    this.nonce = nonce;
    this.serverFirst = serverFirst;
  }

  /** Returns the server's last message when the proof is correct; otherwise undefined. */
  finish(message: string): string | undefined {
    const parts = /^(c=([A-Za-z0-9+/=]+),r=([!-+\x2d-~]+)),p=([A-Za-z0-9+/=]+)$/.exec(message);
    if (parts === null) return undefined;
    const [, withoutProof = "", binding = "", nonce = "", proof = ""] = parts;
    if (nonce !== this.nonce || Buffer.from(binding, "base64").toString() !== this.header) return undefined;
    const { storedKey, serverKey } = this.credentials;
    const signed = `${this.clientFirstBare},${this.serverFirst},${withoutProof}`;
    const signature = hmac(storedKey, signed);
    const given = Buffer.from(proof, "base64");
    if (given.length !== signature.length) return undefined;
    const clientKey = signature.map((byte, i) => byte ^ (given[i] as number));
    const isRight = timingSafeEqual(createHash(HASH).update(clientKey).digest(), storedKey);
    return isRight && this.isKnown ? `v=${hmac(serverKey, signed).toString("base64")}` : undefined;
  }
}
