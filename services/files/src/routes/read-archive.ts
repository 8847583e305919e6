import { readArchive } from '@tideport/contracts/public/archive'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Slots } from '@tideport/service-kit/process/slots'
import { readList } from '../archive/read-list.ts'
import { sendArchive } from '../archive/send-archive.ts'
import type { FilesConfig } from '../config.ts'
import type { SendDeps } from '../downloads/send-bytes.ts'
import type { TakeBytes } from '../limits/take-bytes.ts'
import { findLiveVault } from '../vaults/find-live-vault.ts'

interface Deps extends SendDeps {
  takeBytes: TakeBytes
  /** How many lists may be held at once. */
  slots: Slots
  config: Pick<FilesConfig, 'archiveFilesMax'>
}

/** Of so many files each costs one request. */
const FILES_PER_REQUEST = 500

/** `GET` and `HEAD` `/api/vaults/:vaultId/archive`. */
export function readArchiveRoute({ takeBytes, slots, config, ...deps }: Deps) {
  return serve(readArchive, async ({ principal, params, query, charge, request, reply }) => {
    const vault = await findLiveVault(deps.db, principal.accountId, params.vaultId)
    if (vault === null) throw notFound()
    const release = slots.take()
    try {
      const asked = { vaultId: vault.id, prefix: query.prefix ?? '', filesMax: config.archiveFilesMax }
      const list = await readList(deps.db, asked)
      charge(Math.floor(list.count / FILES_PER_REQUEST))
      const beforehand = (bytes: number) => takeBytes(principal, bytes)
      return await sendArchive(deps, { list, name: `${vault.slug}.zip`, beforehand }, { request, reply })
    } finally {
      release()
    }
  })
}
