/** A process environment: names to values, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment this process was started with. The launchers are used from tests, which have no `main.ts` to hand
 * it down; this is the one place of the package that reads it, and every function that needs it takes it as an option.
 */
export const hostEnvironment = (): Environment => process.env

/** The part of `environment` that any program needs to run, and nothing that configures one of ours. */
export function bareEnvironment(environment: Environment): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NODE_COMPILE_CACHE'] // biome-ignore format: a list
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
