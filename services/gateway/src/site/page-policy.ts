/**
 * The Content-Security-Policy of a page: the sources in `directives`, and a second policy that narrows some of them to
 * the page's own paths. A browser enforces both. `'self'` alone would allow every file that a user has published on
 * this origin. A path source needs a host, but a gateway does not know all its host names. So the second policy allows
 * the path on any host, and the first allows only this origin. `publicUrl` contains the path prefix of a proxy.
 */
export function pagePolicy(
  directives: Readonly<Record<string, string>>,
  paths: Readonly<Record<string, string>>,
  publicUrl: string | undefined,
): string {
  const prefixes = new Set(['', prefixOf(publicUrl)])
  const sources = (path: string) => [...prefixes].map((prefix) => `*:*${prefix}${path}`).join(' ')
  const narrowed = Object.entries(paths).map(([name, path]) => [name, sources(path)])
  return [Object.entries(directives), narrowed]
    .map((policy) => policy.map((one) => one.join(' ')).join('; '))
    .join(', ')
}

/** Encodes semicolons and commas, which separate directives and policies. */
function prefixOf(publicUrl = 'http://localhost'): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '').replaceAll(';', '%3B').replaceAll(',', '%2C')
}
