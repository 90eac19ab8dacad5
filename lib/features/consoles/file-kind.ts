import { isUtf8 } from "node:buffer";
import type { FileKind } from "@/lib/features/repository/git/pushed-files";
import { ENDINGS } from "./browser/languages";
import { parseConsoleFile } from "./file";
import { CONSOLES } from "./item-kind";
import { createConsoleBody } from "./schema";

/** Maximum UTF-8 bytes of a character. */
const LETTER_BYTES_MAX = 4;
const BYTES_MAX = LETTER_BYTES_MAX * 1024 * 1024;

/** Consoles as files, which Git clients may have written. */
export const CONSOLE_FILES: FileKind = {
  root: CONSOLES.root,
  bytesMax: BYTES_MAX,
  judge(path, content) {
    const endings = Object.values(ENDINGS);
    if (!endings.some((ending) => path.endsWith(ending)))
      return `is not a console. Console files end in ${endings.join(" or ")}.`;
    if (!isUtf8(content)) return "is not valid UTF-8.";
    const file = parseConsoleFile(content.toString("utf8"));
    if ("error" in file)
      return `is not a valid console${file.line === null ? "" : ` (line ${file.line})`}: ${file.error}`;
    const outcome = createConsoleBody.shape.content.safeParse(file.content);
    return outcome.success ? null : `is not a valid console: ${outcome.error.issues[0]?.message}`;
  },
};
