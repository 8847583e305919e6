import { useVaults } from './vault-queries.ts'

/** What vaults are called, by id; an id where that is not known here: of those in the trash, and behind the first page. */
export function useVaultNames(): (vaultId: string) => string {
  const { data } = useVaults()
  const names = new Map(data?.pages.flatMap(({ vaults }) => vaults.map(({ id, name }) => [id, name])))
  return (vaultId) => names.get(vaultId) ?? vaultId
}
