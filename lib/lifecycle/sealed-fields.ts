import "server-only";

// One line for each domain that seals something: the import registers its fields.
import "@/lib/connections/sealed-fields";
import "@/lib/flows/sealed-fields";
import "@/lib/mail/account-mail";
import "@/lib/notifications/sealed-fields";
import "@/lib/shares/sealed-fields";
