import "server-only";

const MASK = "***";
/** Driver messages are short; what is longer is a dump, and its rest is left out. */
const INPUT_CHARS_MAX = 8192;
/** Shorter secrets would be found inside ordinary words, so they are masked only where they stand alone. */
const ANYWHERE_CHARS_MIN = 4;

/** Names whose value is a secret, as connection strings, JSON and headers write them; the short ones only alone. */
const SECRET_NAMES =
  "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credentials?|authorization|(?<![a-z0-9])(?:pass|pwd))";
/** Quoted to its end (or the text's, when that was cut), else up to what usually follows. MySQL's hint is no value. */
const VALUE = `(?!(?:yes|no)\\))("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s,;&"')}\\]]+)`;

const PATTERNS: [pattern: RegExp, replacement: string][] = [
  // The whole user part goes: with some services the user name is the secret. The last @ before the path ends it.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]*@/gi, `$1${MASK}@`],
  [/\b(bearer|basic)\s+[a-z0-9._~+/=-]+/gi, `$1 ${MASK}`],
  [new RegExp(`(${SECRET_NAMES}["']?\\s{0,3}[=:]\\s{0,3})${VALUE}`, "gi"), `$1${MASK}`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
];

/**
 * Masks secrets in a text that a driver or another server wrote, before it reaches a person or the log (T47): the user
 * part of URLs, `password=...` and the like, and the given values however they are written.
 * @param secrets the secrets in use, such as all secret fields of the connection; empty ones are passed over
 * @returns at most 8192 characters of the text
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  // Before cutting: a secret across the cut would not be found afterwards.
  let masked = maskValues(text.slice(0, INPUT_CHARS_MAX * 2), secrets);
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked.length > INPUT_CHARS_MAX ? `${masked.slice(0, INPUT_CHARS_MAX)} ...` : masked;
}

function maskValues(text: string, secrets: readonly string[]): string {
  // Longer ones first, so that a secret within another leaves no rest of it.
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  return spellings.reduce((masked, spelling) => {
    if (spelling.length >= ANYWHERE_CHARS_MIN) return masked.replaceAll(spelling, MASK);
    return masked.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(spelling)}(?![\\p{L}\\p{N}])`, "gu"), MASK);
  }, text);
}

function spellingsOf(secret: string): string[] {
  if (secret === "") return [];
  const bytes = Buffer.from(secret);
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  // A private key or another text of several lines: no line of it may show.
  const lines = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= ANYWHERE_CHARS_MIN) : [];
  return [...spellings, ...lines].filter((spelling) => spelling !== "");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
