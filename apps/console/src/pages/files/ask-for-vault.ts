import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../../app/page-props.ts'
import { entriesQuery } from './entry-pages.ts'
import { vaultQuery } from './file-queries.ts'
import { placeOf } from './place.ts'

/** Both at once: the page shows what is in a vault only when it knows the vault. */
export function askForVault({ vaultId = '' }: PageProps['params']): void {
  const entries = entriesQuery(vaultId, placeOf(location.search), { current: new Set() })
  void queryClient.prefetchQuery(vaultQuery(vaultId))
  void queryClient.prefetchInfiniteQuery(entries)
}
