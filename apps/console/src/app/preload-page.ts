import { basePath } from '../base.ts'
import type { PageProps } from '../pages/page-props.ts'
import { session } from '../session/session.ts'
import { type Page, pages } from './pages.ts'

/** Begins to load the page that the address names, and what it shows first, while the texts are loaded. */
export function preloadPage(): void {
  if (session.value === null) return
  const found = pageAt(location.pathname)
  if (found === null) return
  loadProgram(found.page)
  found.page.ask?.(found.params)
}

/**
 * Loads programs of pages before they are asked for: that of a link which is pointed at, touched or focused, and when the
 * browser has nothing else to do those that many go on to, or all (30 kB) where data cost nothing. They open at once then,
 * also while the service is away or has those of a newer version. Returns what stops it.
 */
export function preloadOthers(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  for (const name of ['pointerover', 'focusin', 'touchstart'])
    addEventListener(name, loadLinked, { passive: true, signal })
  // Safari has none.
  const whenIdle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 2_000))
  whenIdle(() => {
    if (signal.aborted) return
    const isThrifty = mayCost()
    for (const page of pages) {
      const isWanted = isThrifty ? page.isLikely : !page.isForOperators
      if (isWanted) loadProgram(page)
    }
  })
  return () => stop.abort()
}

/** Telephones, and where somebody asked to save data. */
function mayCost(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string; effectiveType?: string } }
  const isSlow = connection?.effectiveType !== undefined && connection.effectiveType !== '4g'
  return isSlow || connection?.saveData === true || connection?.type === 'cellular' || isTouched()
}

const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches

function loadLinked({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null
  if (link === null || link.origin !== location.origin) return
  const found = pageAt(link.pathname)
  if (found !== null) loadProgram(found.page)
}

/** What does not come is told when it is shown. Browsers never ask again for what failed once, so not without a network. */
function loadProgram({ load }: Page): void {
  if (navigator.onLine) load().catch(() => {})
}

function pageAt(pathname: string): { page: Page; params: PageProps['params'] } | null {
  if (!pathname.startsWith(basePath)) return null
  const parts = partsOf(pathname.slice(basePath.length))
  for (const page of pages) {
    const params = paramsOf(partsOf(page.path), parts)
    if (params !== null) return { page, params }
  }
  return null
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
