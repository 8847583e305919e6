import type { ComponentType } from 'preact'
import type { Text } from '../text/en.ts'

export interface Page {
  /** As the router matches it, below the console's own address: `/vaults/:vaultId`. */
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Its entry in the navigation; pages without one are reached from others. */
  nav?: keyof Text['nav']
}

/** What the path says, decoded. */
export interface PageProps {
  params: Record<string, string | undefined>
}

/** Every page, in the order of the navigation. A page is a folder in `../pages`, loaded when it is first opened. */
export const pages: readonly Page[] = [
  { path: '/', nav: 'vaults', load: () => import('../pages/vaults/vaults-page.tsx') },
]
