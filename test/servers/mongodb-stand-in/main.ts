/** Starts the embedded store as a stand-in for a user's MongoDB server. */
import "./vocabulary.ts";
import "../../../lib/platform/embedded/mongo/main.ts";
