import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { nameOf } from '../state/copy-transitions.ts'
import type { NamedCopy } from '../state/file-copies.ts'

/** Removes a copy from its network. The log tells when a locked copy stays until its lease ends. */
export async function letGo(
  network: StorageNetwork,
  copy: NamedCopy,
  { log }: { log: Log },
  signal: AbortSignal,
): Promise<void> {
  const removal = await network.remove(nameOf(copy), signal)
  if (removal.outcome === 'released') return
  log.info({ fileId: copy.fileId, network: network.name, until: removal.expiresAt }, 'a copy is kept by its network')
}
