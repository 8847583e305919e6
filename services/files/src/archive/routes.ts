import { readArchive } from '@tideport/contracts/public/archive'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { createByteShare } from '@tideport/service-kit/process/byte-share'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { SendDeps } from '../downloads/send-file.ts'
import { getLiveVault } from '../lookups/authorized-vault.ts'
import { readList } from './read-list.ts'
import { sendArchive } from './send-archive.ts'

interface Deps extends SendDeps {
  takeBytes: TakeBytes
  slowCalls: SlowCalls
  config: Pick<FilesConfig, 'archiveFilesMax' | 'archiveMemoryBytes'>
}

/** Each request in the cost of an archive covers this many files. */
const FILES_PER_REQUEST = 500

export function archiveRoutes(deps: Deps) {
  return { readArchive: readArchiveRoute(deps) } satisfies Partial<RoutesOf<'files'>>
}

/** `GET` and `HEAD` `/api/vaults/:vaultId/archive`. */
function readArchiveRoute({ takeBytes, slowCalls, config, ...deps }: Deps) {
  const maxBytes = config.archiveMemoryBytes
  const share = createByteShare({
    maxBytes,
    perHolderBytes: maxBytes / 2,
    refusal: 'Too many archives are being downloaded. Try again later.',
  })
  return serve(readArchive, async ({ principal, params, query, charge, request, reply }) => {
    const { accountId } = principal
    const vault = await getLiveVault(deps.db, accountId, params.vaultId)
    using room = share.open(accountId)
    const asked = { vault, prefix: query.prefix ?? '', filesMax: config.archiveFilesMax, room }
    const list = await slowCalls.run(accountId, () => readList(deps.db, asked))
    charge(Math.floor(list.count / FILES_PER_REQUEST))
    const beforehand = (bytes: number) => takeBytes(principal, bytes)
    return await sendArchive(deps, { list, name: `${vault.slug}.zip`, beforehand }, { request, reply })
  })
}
