import "server-only";

const MASK = "***";
/** Maximum length of a driver's message; a longer one is a dump, and its rest is dropped. */
const INPUT_CHARS_MAX = 8192;
/** Length below which a secret is masked only as a separate word, since it would match inside ordinary words. */
const ANYWHERE_CHARS_MIN = 4;

/** Names whose value is a secret, in connection strings, JSON and headers; the short ones only as whole words. */
const SECRET_NAMES =
  "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credentials?|authorization|(?<![a-z0-9])(?:pass|pwd))";
/**
 * A value: up to its closing quote (or the end of a text that was cut), else up to a usual separator. MySQL's hint is
 * not a value.
 */
const VALUE = `(?!(?:yes|no)\\))("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s,;&"')}\\]]+)`;

const PATTERNS: [pattern: RegExp, replacement: string][] = [
  // The whole user part is masked: with some services the user name is the secret. The last @ before the path ends it.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]*@/gi, `$1${MASK}@`],
  [/\b(bearer|basic)\s+[a-z0-9._~+/=-]+/gi, `$1 ${MASK}`],
  [new RegExp(`(${SECRET_NAMES}["']?\\s{0,3}[=:]\\s{0,3})${VALUE}`, "gi"), `$1${MASK}`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
];

/**
 * Masks secrets in a text of a driver or another server, before it reaches a person or the log (T47): the user part of
 * URLs, `password=...` and similar, and the given values in any notation.
 * @param secrets the secrets in use, such as all secret fields of the connection; empty ones are skipped
 * @returns at most 8192 characters of the text
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  // Before truncating: a secret across the cut would not be found afterwards.
  let masked = maskValues(text.slice(0, INPUT_CHARS_MAX * 2), secrets);
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked.length > INPUT_CHARS_MAX ? `${masked.slice(0, INPUT_CHARS_MAX)} ...` : masked;
}

function maskValues(text: string, secrets: readonly string[]): string {
  // Longer ones first, so that a secret within another is masked completely.
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
  // A private key or another text of several lines: none of its lines may be shown.
  const lines = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= ANYWHERE_CHARS_MIN) : [];
  return [...spellings, ...lines].filter((spelling) => spelling !== "");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
