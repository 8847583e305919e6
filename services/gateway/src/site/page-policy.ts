/**
 * The Content-Security-Policy of a page: the sources that `directives` allow, and a second policy that narrows some of
 * them to paths of this page's own. A browser enforces both. `'self'` alone admits every file that a user has published
 * on this origin. A path needs a host before it, and a gateway is reached by more names than it knows; so the second
 * policy allows the path on any host, and the first allows this origin only. `publicUrl` tells the path that a proxy
 * puts before the page's.
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

/** Encoded, because a semicolon ends a directive and a comma a policy. */
function prefixOf(publicUrl = 'http://localhost'): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '').replaceAll(';', '%3B').replaceAll(',', '%2C')
}
