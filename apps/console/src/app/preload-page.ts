import { basePath } from './base.ts'
import { pages } from './pages.ts'

/** Begins to load the program of the page that the address names, so that it comes while the service is asked who signs in. */
export function preloadPage(): void {
  const parts = partsOf(location.pathname.slice(basePath.length))
  const page = pages.find(({ path }) => {
    const pattern = partsOf(path)
    return pattern.length === parts.length && pattern.every((part, index) => part[0] === ':' || part === parts[index])
  })
  // A page whose program does not come says so when it is shown.
  page?.load().catch(() => {})
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')
