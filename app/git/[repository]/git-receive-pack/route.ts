export { postReceivePack as POST } from "@/lib/features/repository/git/service";
