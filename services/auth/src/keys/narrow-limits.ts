import type { ByteBudgets } from '@tideport/contracts/internal/key-limits'
import type { KeyLimits } from '@tideport/contracts/public/api-keys'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { isIn, readNetwork } from '@tideport/service-kit/http/ip-address'
import type { AppError } from '@tideport/service-kit/process/app-error'

/** So many keys that one comes from may have a limit of bytes: each is a row more to count in. */
const BUDGETS_MAX = 8

/** Those that are left out are none. */
export function allLimits(given: { [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined }): KeyLimits {
  const { vaultIds = null, prefixes = null, verbs = null, bytesPerDay = null, addresses = null } = given
  return { vaultIds, prefixes, verbs, bytesPerDay, addresses }
}

/** The limits of a key that is made with one that has `held`: what is not asked for is inherited. Throws 403 beyond. */
export function narrowLimits(held: KeyLimits | null, wanted: KeyLimits): KeyLimits | null {
  const unlimited = Object.values(wanted).every((limit) => limit === null)
  if (held === null) return unlimited ? null : wanted
  const bytesPerDay = wanted.bytesPerDay ?? held.bytesPerDay
  if ((bytesPerDay ?? 0) > (held.bytesPerDay ?? Number.POSITIVE_INFINITY)) throw beyond('bytesPerDay')
  return {
    bytesPerDay,
    vaultIds: narrow('vaultIds', held.vaultIds, wanted.vaultIds, (id, ids) => ids.includes(id)),
    prefixes: narrow('prefixes', held.prefixes, wanted.prefixes, (prefix, prefixes) =>
      prefixes.some((outer) => prefix.startsWith(outer)),
    ),
    verbs: narrow('verbs', held.verbs, wanted.verbs, (verb, verbs) => verbs.includes(verb)),
    addresses: narrow('addresses', held.addresses, wanted.addresses, (network, networks) =>
      networks.some((outer) => contains(outer, network)),
    ),
  }
}

export function budgetsOf(id: string, held: ByteBudgets, { bytesPerDay }: KeyLimits): ByteBudgets {
  if (bytesPerDay === null) return held
  if (held.length < BUDGETS_MAX) return [...held, { id, bytesPerDay }]
  const issues = [{ path: 'limits.bytesPerDay', message: `Must not be sent: ${BUDGETS_MAX} keys above have one` }]
  throw invalidInput('body', issues)
}

function narrow<T>(
  limit: string,
  held: T[] | null,
  wanted: T[] | null,
  isWithin: (one: T, held: T[]) => boolean,
): T[] | null {
  if (wanted === null) return held
  if (held !== null && !wanted.every((one) => isWithin(one, held))) throw beyond(limit)
  return [...new Set(wanted)]
}

function beyond(limit: string): AppError {
  return outsideLimits('The limits of a key can only be narrower than those of the key that it is made with', { limit })
}

/** An address is a network of one; a text that is neither is in none. */
function contains(outer: string, inner: string): boolean {
  const [network, within] = [readNetwork(outer), readNetwork(inner)]
  return network !== null && within !== null && within[1] >= network[1] && isIn(within[0], [network])
}
