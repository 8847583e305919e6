import type { ApiKey } from '@tideport/sdk'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'

/** What a key may not do beyond, by name. */
export function describeLimits(
  limits: ApiKey['limits'],
  vaultName: (vaultId: string) => string,
): [name: string, value: string | null | undefined][] {
  const t = text.value.keys
  if (limits === null) return []
  const { vaultIds, prefixes, verbs, bytesPerDay, addresses } = limits
  return [
    [t.vaults, vaultIds?.map((id) => isolated(vaultName(id))).join(', ')],
    [t.prefixes, prefixes?.map(isolated).join(', ')],
    [t.verbs, verbs?.map((verb) => t.verbNames[verb]).join(', ')],
    [t.bytesPerDay, bytesPerDay === null ? null : bytes(bytesPerDay)],
    [t.addresses, addresses?.join(', ')],
  ]
}
