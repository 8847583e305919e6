export type Environment = Readonly<Record<string, string | undefined>>

/** The only reader of the environment in this package, because tests use the launchers without a `main.ts`. */
export const hostEnvironment = (): Environment => process.env

/** The part of `environment` that any program needs to run, and nothing that configures one of ours. */
export function bareEnvironment(environment: Environment): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NODE_COMPILE_CACHE'] // biome-ignore format: a list
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
