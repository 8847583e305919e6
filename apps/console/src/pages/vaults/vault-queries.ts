import { useMutation } from '@tanstack/preact-query'
import {
  type CreateVaultInput,
  createVault,
  deleteVault,
  listVaults,
  restoreVault,
  type UpdateVaultInput,
  updateVault,
  type Vault,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { firstPages, usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { notePrivateVaults } from '../../private/private-vaults.ts'
import { text } from '../../text/text.ts'

const key = ['vaults'] as const
const refresh = () => queryClient.invalidateQueries({ queryKey: key })

const listKey = [...key, 'list']

async function readVaults({ cursor, signal }: { cursor: string | undefined; signal: AbortSignal }) {
  const asked = { limit: 100, sortBy: 'name', order: 'asc', cursor } as const
  const { vaults, nextCursor } = await listVaults(client(), asked, { signal }).page()
  return { items: vaults, nextCursor }
}

/** Vaults by name, page by page. */
export const useVaults = () => usePages(listKey, readVaults)

export const askForVaults = (): void => void queryClient.prefetchInfiniteQuery(firstPages(listKey, readVaults))

export function useCreateVault(onDone: (vault: Vault) => void) {
  return useMutation({
    mutationFn: (input: CreateVaultInput) => createVault(client(), input),
    meta: { toldByForm: true },
    async onSuccess(vault, { visibility }) {
      // Whatever the response says: its owner has asked for a private one.
      if (visibility === 'private') notePrivateVaults([vault.id])
      await refresh()
      onDone(vault)
      toast(text.value.vaults.made(vault.name))
    },
  })
}

export function useUpdateVault(onDone: () => void) {
  return useMutation({
    mutationFn: (input: UpdateVaultInput) => updateVault(client(), input),
    meta: { toldByForm: true },
    async onSuccess() {
      await refresh()
      onDone()
      toast(text.value.vaults.saved)
    },
  })
}

/** To the trash, with all its files; it can be taken back from the notice. */
export function useTrashVault(onDone: () => void) {
  const restore = useMutation({
    mutationFn: ({ id }: Vault) => restoreVault(client(), { vaultId: id }),
    async onSuccess(_, { name }) {
      await refresh()
      toast(text.value.vaults.restored(name))
    },
  })
  return useMutation({
    mutationFn: ({ id }: Vault) => deleteVault(client(), { vaultId: id, force: true }),
    meta: { toldByForm: true },
    async onSuccess(_, vault) {
      await refresh()
      onDone()
      toast(text.value.vaults.removed(vault.name), {
        label: text.value.app.undo,
        run: () => restore.mutate(vault),
      })
    },
  })
}
