import type { ComponentType } from 'preact'
import { useAccess } from '../api/operator-access.ts'
import { askForFile } from '../pages/file/file-queries.ts'
import FilesPage from '../pages/files/files-page.tsx'
import { askForVault } from '../pages/files/use-entries.ts'
import type { PageProps } from '../pages/page-props.ts'
import { askForVaults } from '../pages/vaults/vault-queries.ts'
import VaultsPage from '../pages/vaults/vaults-page.tsx'
import type { Text } from '../text/en.ts'

export interface Page {
  /** Relative to the console: `/vaults/:vaultId`. */
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Requests the page's first data while its script loads. */
  ask?: (params: PageProps['params']) => void
  /** The navigation entry. Pages without one are reached from other pages. */
  nav?: keyof Text['nav']
  /** The script is preloaded even on metered connections. */
  isLikely?: true
  /** The page does not exist for other users. */
  isForOperators?: true
}

/**
 * Every page, in the order of the navigation. Scripts are loaded when a page is first opened, except those of the first
 * two.
 */
export const pages: readonly Page[] = [
  { path: '/', nav: 'vaults', load: async () => ({ default: VaultsPage }), ask: askForVaults },
  { path: '/vaults/:vaultId', load: async () => ({ default: FilesPage }), ask: askForVault },
  { path: '/trash', nav: 'trash', load: () => import('../pages/trash/trash-page.tsx') },
  { path: '/links', nav: 'links', load: () => import('../pages/links/links-page.tsx') },
  { path: '/keys', nav: 'keys', load: () => import('../pages/keys/keys-page.tsx') },
  { path: '/webhooks', nav: 'webhooks', load: () => import('../pages/webhooks/webhooks-page.tsx') },
  { path: '/webhooks/:webhookId', load: () => import('../pages/webhooks/webhook-page.tsx') },
  { path: '/jobs', nav: 'jobs', load: () => import('../pages/jobs/jobs-page.tsx') },
  { path: '/usage', nav: 'usage', load: () => import('../pages/usage/usage-page.tsx') },
  { path: '/audit', nav: 'audit', load: () => import('../pages/audit/audit-page.tsx') },
  { path: '/audit/files', load: () => import('../pages/audit/audit-page.tsx') },
  { path: '/export', nav: 'export', load: () => import('../pages/export/export-page.tsx') },
  {
    path: '/operator',
    nav: 'operator',
    isForOperators: true,
    load: () => import('../pages/operator/overview/overview-page.tsx'),
  },
  {
    path: '/operator/dead-letters',
    isForOperators: true,
    load: () => import('../pages/operator/dead-letters/dead-letters-page.tsx'),
  },
  { path: '/operator/runs', isForOperators: true, load: () => import('../pages/operator/runs/runs-page.tsx') },
  { path: '/operator/log', isForOperators: true, load: () => import('../pages/operator/log/log-page.tsx') },
  { path: '/check', load: () => import('../pages/check/check-page.tsx') },
  { path: '/passkeys', load: () => import('../pages/passkeys/passkeys-page.tsx') },
  { path: '/vaults/:vaultId/key', load: () => import('../pages/vault-key/vault-key-page.tsx') },
  { path: '/files/:fileId', load: () => import('../pages/file/file-page.tsx'), ask: askForFile, isLikely: true },
]

export function useNavigablePages(): { path: string; nav: keyof Text['nav'] }[] {
  const isOperator = useAccess().data?.isOperator === true
  return pages.flatMap(({ path, nav, isForOperators }) =>
    nav === undefined || (isForOperators && !isOperator) ? [] : [{ path, nav }],
  )
}
