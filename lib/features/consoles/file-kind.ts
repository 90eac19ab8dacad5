import { isUtf8 } from "node:buffer";
import type { FileKind } from "@/lib/features/repository/git/pushed-files";
import { CONSOLES, ENDINGS } from "./item-kind";
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
    const outcome = createConsoleBody.shape.content.safeParse(content.toString("utf8"));
    return outcome.success ? null : `is not a valid console: ${outcome.error.issues[0]?.message}`;
  },
};
