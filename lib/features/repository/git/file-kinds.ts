import { MAX_FILE_BYTES } from "@/lib/features/repository/limits";
import { isText } from "@/lib/features/repository/text-content";
import type { FileKind } from "./pushed-files";

const APP_FILE = /^apps\/[a-z0-9][a-z0-9-]*\/./;
const IMAGE = /\.(?:png|jpe?g|webp|gif)$/i;

/** Files of apps: only their paths and sizes are checked. */
export const APP_FILES: FileKind = {
  root: "apps",
  bytesMax: MAX_FILE_BYTES,
  judge: (path) =>
    APP_FILE.test(path) ? null : "is not in an app. Move it to apps/<name>/, with lower-case letters and dashes.",
};

/** Documentation beside the files: texts of any kind, and images. */
export const DOC_FILES: FileKind = {
  root: "docs",
  bytesMax: MAX_FILE_BYTES,
  judge: (path, content) =>
    IMAGE.test(path) || isText(content) ? null : "is not UTF-8 text, and not a PNG, JPEG, WebP, GIF or SVG image.",
};

/** Settings of the repository itself. */
export const SETTING_FILES: FileKind = {
  root: ".millrace",
  bytesMax: MAX_FILE_BYTES,
  judge: (_, content) => (isText(content) ? null : "is not UTF-8 text."),
};
