import { log } from "@/lib/platform/log";

// Tests provoke failures on purpose; their logs would hide the report.
log.level = process.env.TEST_LOG_LEVEL ?? "silent";
