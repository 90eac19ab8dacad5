export { postReceivePack as POST } from "@/lib/git/service";
