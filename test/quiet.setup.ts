import { log } from "@/lib/platform/log";

// Tests provoke failures on purpose; what they log would only hide the report.
log.level = process.env.TEST_LOG_LEVEL ?? "silent";
