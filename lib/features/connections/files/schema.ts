import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";

/** A bare name: no folders, no leading dot, and none of the companions that an engine keeps beside a file. */
export const fileName = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_. -]{0,119}$/,
    "Use a file name such as sales.duckdb, with letters, digits, spaces, -, _ and .",
  )
  .refine((name) => !name.includes("..") && !/[. ]$/.test(name), "File name such as sales.duckdb")
  .refine((name) => !/(-wal|-shm|-journal|\.wal|\.tmp|\.upload)$/i.test(name), "This file extension is reserved.")
  .meta({
    pattern: "^[A-Za-z0-9_](?:(?:[A-Za-z0-9_ -]|\\.(?!\\.)){0,118}[A-Za-z0-9_-])?$",
    not: {
      pattern:
        "(-[wW][aA][lL]|-[sS][hH][mM]|-[jJ][oO][uU][rR][nN][aA][lL]|\\.[wW][aA][lL]|\\.[tT][mM][pP]|\\.[uU][pP][lL][oO][aA][dD])$",
    },
  });

export const uploadQuery = z.object({ name: fileName });
export const uploadAnswer = z.object({ file: z.string(), bytes: z.int() });
export type UploadedFile = z.infer<typeof uploadAnswer>;
export const fileSchema = z.object({ file: z.string(), bytes: z.int(), modifiedAt: isoDate });
export type StoredFile = z.infer<typeof fileSchema>;
