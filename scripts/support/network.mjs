/** A reader's way to the registries. */
const NAMES = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_file)$/i;

/** What of this environment a program needs that is to see nothing else of it, and still fetch packages. */
export function networkEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => NAMES.test(name)));
}
