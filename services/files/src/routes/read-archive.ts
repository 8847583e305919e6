import { readArchive } from '@tideport/contracts/public/archive'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { ByteShare } from '@tideport/service-kit/process/byte-share'
import { readList } from '../archive/read-list.ts'
import { sendArchive } from '../archive/send-archive.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { TakeBytes } from '../calls/take-bytes.ts'
import type { FilesConfig } from '../config.ts'
import type { SendDeps } from '../downloads/send-bytes.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'

interface Deps extends SendDeps {
  takeBytes: TakeBytes
  slowCalls: SlowCalls
  /** Memory for lists. */
  share: ByteShare
  config: Pick<FilesConfig, 'archiveFilesMax'>
}

/** Of so many files each costs one request. */
const FILES_PER_REQUEST = 500

/** `GET` and `HEAD` `/api/vaults/:vaultId/archive`. */
export function readArchiveRoute({ takeBytes, slowCalls, share, config, ...deps }: Deps) {
  return serve(readArchive, async ({ principal, params, query, charge, request, reply }) => {
    const { accountId } = principal
    const vault = await findLiveVault(deps.db, accountId, params.vaultId)
    if (vault === null) throw notFound()
    using room = share.open(accountId)
    const asked = { vault, prefix: query.prefix ?? '', filesMax: config.archiveFilesMax, room }
    const list = await slowCalls.run(accountId, () => readList(deps.db, asked))
    charge(Math.floor(list.count / FILES_PER_REQUEST))
    const beforehand = (bytes: number) => takeBytes(principal, bytes)
    return await sendArchive(deps, { list, name: `${vault.slug}.zip`, beforehand }, { request, reply })
  })
}
