import { basePath } from '../base.ts'
import type { PageProps } from '../pages/page-props.ts'
import { session } from '../session/session.ts'
import { type Page, pages } from './pages.ts'

/** Loads the page of the current address and its first data while the texts are loaded. */
export function preloadPage(): void {
  if (session.value === null) return
  const found = pageAt(location.pathname)
  if (found === null) return
  loadProgram(found.page)
  found.page.ask?.(found.params)
}

/**
 * Preloads scripts of linked pages on hover, touch, and focus, and of likely or all pages (30 kB) when the browser is
 * idle. Returns a function that stops this.
 */
export function preloadOthers(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  for (const name of ['pointerover', 'focusin', 'touchstart'])
    addEventListener(name, loadLinked, { passive: true, signal })
  // Safari has no requestIdleCallback.
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

function mayCost(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string; effectiveType?: string } }
  const isSlow = connection?.effectiveType !== undefined && connection.effectiveType !== '4g'
  const isTouched = matchMedia('(pointer: coarse)').matches
  return isSlow || connection?.saveData === true || connection?.type === 'cellular' || isTouched
}

function loadLinked({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null
  if (link === null || link.origin !== location.origin) return
  const found = pageAt(link.pathname)
  if (found !== null) loadProgram(found.page)
}

/** Errors are shown when the page is opened. Offline, an attempt would only make the browser cache the failure. */
function loadProgram({ load }: Page): void {
  if (navigator.onLine) load().catch(() => {})
}

function pageAt(pathname: string): { page: Page; params: PageProps['params'] } | null {
  if (!pathname.startsWith(basePath)) return null
  const path = pathname.slice(basePath.length) || '/'
  for (const page of pages) {
    const pattern = page.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}/?$`).exec(path)
    if (found !== null) return { page, params: { ...found.groups } }
  }
  return null
}
