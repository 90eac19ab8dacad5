import { log } from "@/lib/log";

// Tests provoke failures on purpose; what they log would only hide the report.
log.level = "silent";
