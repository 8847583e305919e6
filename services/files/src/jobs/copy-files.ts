import { isBelowAny } from '@tideport/bulk-jobs/operations/operation'
import { copyFiles } from '@tideport/contracts/public/many-files'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { prefixesOf } from '../calls/enforce-key-limits.ts'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import type { FilesConfig } from '../config.ts'
import { getLiveVault, isIn, type SeenVault, targetOf } from '../lookups/authorized-vault.ts'
import { answerJob, type ManyDeps } from './answer-many.ts'

export interface CopyDeps extends ManyDeps {
  takeBytes: TakeBytes
  config: ManyDeps['config'] & Pick<FilesConfig, 'accountQuotaBytes' | 'openUploadsMax'>
}

export function copyFilesRoute(deps: CopyDeps) {
  const { db, takeBytes, config } = deps
  return serve(copyFiles, async (input) => {
    const { principal, params, body } = input
    const { prefix, to, onConflict } = body
    const source = await getLiveVault(db, principal.accountId, params.vaultId)
    const vaultId = await targetOf(db, source, body.toVaultId)
    const ids = body.ids && [...new Set(body.ids)]
    const prefixes = prefixesOf(principal)
    const isCounted = (principal.limits?.budgets.length ?? 0) > 0
    // The size of a folder is known only after all of it was read, which the job does.
    if (isCounted && ids === undefined)
      throw outsideLimits('The API key has a daily byte limit, so list the files in ids instead of using prefix', {
        limit: 'bytesPerDay',
      })
    const alongside = async (trx: Kysely<FilesDb>) => {
      if (isCounted && ids !== undefined) await takeBytes(principal, await sizeOf(trx, source, { ids, prefixes }), trx)
    }
    const settings = { quotaBytes: config.accountQuotaBytes, openUploadsMax: config.openUploadsMax }
    const request = { ...(ids === undefined ? { prefix } : { ids, ...(prefixes && { prefixes }) }), to, onConflict }
    const toVaultId = vaultId === source.id ? null : vaultId
    return await answerJob(
      deps,
      { ...input, vaultId: source.id },
      { kind: 'copy', toVaultId, request, settings, alongside },
    )
  })
}

async function sizeOf(
  db: Kysely<FilesDb>,
  vault: SeenVault,
  { ids, prefixes }: { ids: readonly string[]; prefixes: readonly string[] | null },
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes from file where id = any(${ids}::uuid[]) and ${isIn(vault)} and ${isBelowAny(prefixes)}`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}
