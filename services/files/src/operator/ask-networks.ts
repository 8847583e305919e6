import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

const WAIT_MS = 1000
/** However many ask, each network is asked so often. */
const CACHED_MS = 2000

export interface AskedNetwork {
  name: string
  driver: string
  role: 'required' | 'leaving'
  works: boolean
  fault: string | null
  freeBytes: number | null
  totalBytes: number | null
  reserveBytes: number | null
}

/** Asks each network of this configuration how it is; one that does not answer in a second does not work. */
export function createAskNetworks(networks: Networks, signal: AbortSignal): () => Promise<AskedNetwork[]> {
  return cachedFor(CACHED_MS, () => Promise.all(inOrder(networks).map((network) => ask(network, networks, signal))))
}

const inOrder = (networks: Networks): StorageNetwork[] =>
  networks.order.flatMap((name) => {
    const network = networks.get(name)
    return network ? [network] : []
  })

async function ask(network: StorageNetwork, { required }: Networks, signal: AbortSignal): Promise<AskedNetwork> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  const [answer, space] = await Promise.all([
    network.health(soon).then(
      () => ({ works: true, fault: null }),
      (error: unknown) => ({ works: false, fault: (error instanceof NetworkError && error.fault) || null }),
    ),
    network.space(soon).catch(() => null),
  ])
  const { name, driver } = network
  const { freeBytes = null, totalBytes = null, reserveBytes = null } = space ?? {}
  const role = required.includes(name) ? 'required' : 'leaving'
  return { name, driver, role, ...answer, freeBytes, totalBytes, reserveBytes }
}
