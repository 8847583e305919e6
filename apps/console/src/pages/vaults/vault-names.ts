import { useEffect } from 'preact/hooks'
import { useVaults } from './vault-queries.ts'

/** Vaults of which no more are looked through for a name. */
const pagesMax = 50

/** What vaults are called, by id; an id where that is not known: of those in the trash. Reads on while one is missing. */
export function useVaultNames(): (vaultId: string) => string {
  const { items, list } = useVaults()
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const names = new Map(items.map(({ id, name }) => [id, name]))
  let isMissing = false
  useEffect(() => {
    if (!isMissing || !hasNextPage || isFetching || isFetchNextPageError) return
    if ((data?.pages.length ?? 0) < pagesMax) void fetchNextPage()
  })
  return (vaultId) => {
    const name = names.get(vaultId)
    isMissing ||= name === undefined
    return name ?? vaultId
  }
}
