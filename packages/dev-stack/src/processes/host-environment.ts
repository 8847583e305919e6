export type Environment = Readonly<Record<string, string | undefined>>

/** The only place in this package that reads the environment, because tests use the launchers without `main.ts`. */
export const hostEnvironment = (): Environment => process.env

/** The variables of `environment` that every program needs, without any setting of Tideport. */
export function bareEnvironment(environment: Environment): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NODE_COMPILE_CACHE'] // biome-ignore format: a list
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
