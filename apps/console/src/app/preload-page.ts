import { session } from '../session/session.ts'
import { basePath } from './base.ts'
import { pages } from './pages.ts'

/** What the first page asks for comes before. */
const afterMs = 2_000

/** Begins to load the page that the address names, and what it shows first, while the texts are loaded. */
export function preloadPage(): void {
  if (session.value === null) return
  const parts = partsOf(location.pathname.slice(basePath.length))
  for (const { path, load, ask } of pages) {
    const params = paramsOf(partsOf(path), parts)
    if (params === null) continue
    // A page whose program does not come says so when it is shown.
    load().catch(() => {})
    ask?.(params)
    return
  }
}

/**
 * Loads the programs of all other pages a little later: they open at once then, also while the service
 * is away or has those of a newer version. Operators' pages are for few.
 */
export function preloadOthers(): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (connection?.saveData === true) return
  setTimeout(() => {
    for (const { path, load } of pages) if (!path.startsWith('/operator')) load().catch(() => {})
  }, afterMs)
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** What an address says to a path; null: it is another one. */
function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  const isIt =
    pattern.length === parts.length && pattern.every((part, index) => part[0] === ':' || part === parts[index])
  if (!isIt) return null
  const named = pattern.map((part, index) => [part.slice(1), parts[index] as string] as const)
  return Object.fromEntries(named.filter((_, index) => pattern[index]?.[0] === ':'))
}
