/** Names of environment variables that configure access to registries. */
const NAMES = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_file)$/i;

/** Returns the variables that an isolated program needs to download packages. */
export function networkEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => NAMES.test(name)));
}
