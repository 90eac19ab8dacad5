import { createHash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
const RANDOM_BYTES = 10;

/**
 * Returns an id that sorts by its time (ULID specification): 26 characters of Crockford's base 32.
 * @param seed makes the id reproducible for the same time; without it, 80 bits are random
 */
export function ulid(time: Date, seed?: string): string {
  const random =
    seed === undefined
      ? randomBytes(RANDOM_BYTES)
      : createHash("sha256").update(seed).digest().subarray(0, RANDOM_BYTES);
  return encode(BigInt(time.getTime()), TIME_CHARS) + encode(BigInt(`0x${random.toString("hex")}`), RANDOM_CHARS);
}

function encode(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}
